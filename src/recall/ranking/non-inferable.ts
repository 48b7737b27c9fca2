export const NON_INFERABLE = 'non-inferable';

export interface Tagged {
  readonly controlTags: readonly string[];
}

/** Decides for all strategies which memories may be delivered. If it throws, nothing is delivered. */
export interface MemoryFilter {
  allows(entry: Tagged): boolean;
}

/** The injection token of the filter for all strategies. */
export const MEMORY_FILTER = Symbol('memory filter');

export interface Filtered<T> {
  readonly kept: readonly T[];
  readonly warning?: string;
}

/** Whether a model could not know this by itself. Other memories would only cost tokens. */
export const isNonInferable = ({ controlTags }: Tagged): boolean => controlTags.includes(NON_INFERABLE);

/** Fails closed: if the filter throws for any entry, nothing is kept and a warning is returned. */
export function filterEntries<T>(entries: readonly T[], keeps: (entry: T) => boolean): Filtered<T> {
  try {
    return { kept: entries.filter(keeps) };
  } catch {
    return { kept: [], warning: 'The memory filter failed, so nothing is recalled.' };
  }
}
