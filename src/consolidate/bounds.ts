import type { Ending, Merge, Mergeable } from '../memory/upkeep/mergeable.js';
import { sumBy } from '../platform/base/sum.js';

/** What is always loaded of a memory, one line for each lesson or entry. */
export interface IndexSize {
  readonly lines: number;
  readonly bytes: number;
}

/** Most of what is always loaded. Reference: 200 lines and 25 KB. */
export const INDEX_BOUNDS: IndexSize = { lines: 200, bytes: 25 * 1024 };

/** A line of the index after the merges. */
export interface IndexLine<T extends Mergeable, M extends Merge<T>> {
  readonly text: string;
  /** The memory whose words it has. */
  readonly of: T;
  /** The merge whose result it is. */
  readonly merge: M | undefined;
  /** What ends if the line goes: with a merge, all that it is made of. */
  readonly all: readonly T[];
}

export const indexSize = (texts: readonly string[]): IndexSize => ({
  lines: texts.length,
  bytes: sumBy(texts, (text) => Buffer.byteLength(text, 'utf8') + 1),
});

/** The index as it is after the merges: one line for each live memory. `live`: those that nothing else ends. */
export function linesAfter<T extends Mergeable, M extends Merge<T>>(
  live: readonly T[],
  merges: readonly M[],
  textOf: (memory: T) => string,
): IndexLine<T, M>[] {
  const gone = new Set(merges.flatMap(({ from }) => from.map(({ id }) => id)));
  const kept = new Map(merges.map((merge) => [merge.into, merge]));
  return [
    ...live
      .filter(({ id }) => !gone.has(id))
      .map((of) => {
        const merge = kept.get(of.id);
        return { text: textOf(of), of, merge, all: [of, ...(merge?.from ?? [])] };
      }),
    ...merges.flatMap((merge) =>
      merge.written ? [{ text: merge.written.lesson.discovery, of: merge.base, merge, all: merge.from }] : [],
    ),
  ];
}

/**
 * Leaves out lines until the rest is within the bounds, in the order of `prunable`. A merge whose result would be pruned at
 * once is not made: its memories are pruned.
 */
export function withinBounds<T extends Mergeable, M extends Merge<T>>(
  lines: readonly IndexLine<T, M>[],
  prunable: readonly IndexLine<T, M>[],
  bounds: IndexSize = INDEX_BOUNDS,
) {
  const pruned = new Set<IndexLine<T, M>>();
  let after = indexSize(lines.map(({ text }) => text));
  for (const line of prunable) {
    if (after.lines <= bounds.lines && after.bytes <= bounds.bytes) break;
    const { lines: count, bytes } = indexSize([line.text]);
    after = { lines: after.lines - count, bytes: after.bytes - bytes };
    pruned.add(line);
  }
  return {
    merges: lines.flatMap((line) => (pruned.has(line) ? [] : (line.merge ?? []))),
    pruned: [...pruned].flatMap(({ all }) => all.map((memory): Ending<T> => ({ memory, reason: 'pruned', by: null }))),
    after,
  };
}
