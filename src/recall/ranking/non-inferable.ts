export const NON_INFERABLE = 'non-inferable';

export interface Tagged {
  readonly controlTags: readonly string[];
}

/** Which memories may be told, whatever strategy tells them. One that throws lets nothing through. */
export interface MemoryFilter {
  allows(entry: Tagged): boolean;
}

/** The token of the filter that all strategies are given. */
export const MEMORY_FILTER = Symbol('memory filter');

export interface Filtered<T> {
  readonly kept: readonly T[];
  readonly warning?: string;
}

/** What a model could not know by itself; the rest would only cost tokens (spec R2). */
export const isNonInferable = ({ controlTags }: Tagged): boolean => controlTags.includes(NON_INFERABLE);

/** Fails closed: where a test throws, nothing is kept, and the warning says so. */
export function filterEntries<T>(entries: readonly T[], keeps: (entry: T) => boolean): Filtered<T> {
  try {
    return { kept: entries.filter(keeps) };
  } catch {
    return { kept: [], warning: 'The filter failed, so nothing is recalled.' };
  }
}
