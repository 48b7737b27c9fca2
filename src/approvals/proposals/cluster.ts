import type { ItemContent } from './approval-item.js';

/** What two items are compared by. */
export interface Brief {
  readonly title: string;
  readonly condition: string;
  readonly fingerprints: readonly string[];
}

/** Shared words of all words, from which on two items are taken for near-duplicates. */
const ALIKE = 0.6;
/** Words that every proposal has. */
const COMMON = new Set(
  'a an and as be been before by for has in instead is it just of or run the to use when with'.split(' '),
);

export const briefOf = ({ proposal, fingerprints }: Pick<ItemContent, 'proposal' | 'fingerprints'>): Brief => ({
  title: proposal.title,
  condition: proposal.condition,
  fingerprints,
});

/** The cluster of the waiting item that says nearly the same; undefined when there is none. Ties go to the first. */
export function clusterOf<T extends Brief & { readonly cluster: string }>(
  item: Brief,
  waiting: readonly T[],
): string | undefined {
  let best: { cluster: string; alike: number } | undefined;
  for (const other of waiting) {
    const alike = likeness(item, other);
    if (alike >= ALIKE && alike > (best?.alike ?? 0)) best = { cluster: other.cluster, alike };
  }
  return best?.cluster;
}

/** From 0 to 1: one where both answer for a pattern, else the share of words in title and condition that both have. */
export function likeness(a: Brief, b: Brief): number {
  if (a.fingerprints.some((fingerprint) => b.fingerprints.includes(fingerprint))) return 1;
  const [mine, theirs] = [wordsOf(a), wordsOf(b)];
  const shared = [...mine].filter((word) => theirs.has(word)).length;
  const all = mine.size + theirs.size - shared;
  return all === 0 ? 0 : shared / all;
}

function wordsOf({ title, condition }: Brief): Set<string> {
  const words = `${title} ${condition}`.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [];
  return new Set(words.filter((word) => !COMMON.has(word)));
}
