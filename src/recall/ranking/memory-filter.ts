import type { RecallableMemory } from '../../memory/store/recallable-memory.js';
import type { FilterName } from './ranking-profile.schema.js';

export const NON_INFERABLE = 'non-inferable';

/** What a filter may decide by. */
export type Filterable = Pick<RecallableMemory, 'controlTags' | 'provenance'>;

/**
 * Decides for all strategies which memories may be delivered, each by itself. If it throws, nothing is delivered. One
 * conformance suite runs over every filter.
 */
export interface MemoryFilter {
  readonly name: FilterName;
  allows(entry: Filterable): boolean;
}

/** The injection token of the filter for all strategies. */
export const MEMORY_FILTER = Symbol('memory filter');

export interface Filtered<T> {
  readonly kept: readonly T[];
  readonly warning?: string;
}

/** Whether a model could not know this by itself. Other memories would only cost tokens. */
const isNonInferable = ({ controlTags }: Filterable): boolean => controlTags.includes(NON_INFERABLE);

const RULES: Readonly<Record<FilterName, MemoryFilter['allows']>> = {
  non_inferable: isNonInferable,
  verified: (entry) => isNonInferable(entry) && entry.provenance === 'verified',
  none: () => true,
};

export const createFilter = (name: FilterName): MemoryFilter => ({ name, allows: RULES[name] });

/** Fails closed: if the filter throws for any entry, nothing is kept and a warning is returned. */
export function filterEntries<T>(entries: readonly T[], keeps: (entry: T) => boolean): Filtered<T> {
  try {
    return { kept: entries.filter(keeps) };
  } catch {
    return { kept: [], warning: 'The memory filter failed, so nothing is recalled.' };
  }
}
