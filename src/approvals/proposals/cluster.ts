import type { ProposalContent } from './proposal.js';

/** What two items are compared by. */
export interface ClusterInput {
  readonly title: string;
  readonly condition: string;
  readonly fingerprints: readonly string[];
}

/** Shared words of all words, from which on two items are taken for near-duplicates. */
const MIN_SIMILARITY = 0.6;
/** Words that every proposal has. */
const COMMON = new Set(
  'a an and as be been before by for has in instead is it just of or run the to use when with'.split(' '),
);

export const clusterInputOf = ({
  proposedSkill,
  fingerprints,
}: Pick<ProposalContent, 'proposedSkill' | 'fingerprints'>): ClusterInput => ({
  title: proposedSkill.title,
  condition: proposedSkill.condition,
  fingerprints,
});

/** The cluster of the waiting item that says nearly the same; undefined when there is none. Ties go to the first. */
export function clusterOf<T extends ClusterInput & { readonly cluster: string }>(
  proposal: ClusterInput,
  waiting: readonly T[],
): string | undefined {
  let best: { cluster: string; similarity: number } | undefined;
  for (const other of waiting) {
    const similarity = similarityOf(proposal, other);
    if (similarity >= MIN_SIMILARITY && similarity > (best?.similarity ?? 0))
      best = { cluster: other.cluster, similarity };
  }
  return best?.cluster;
}

/** From 0 to 1: one where both answer for a pattern, else the share of words in title and condition that both have. */
export function similarityOf(a: ClusterInput, b: ClusterInput): number {
  if (a.fingerprints.some((fingerprint) => b.fingerprints.includes(fingerprint))) return 1;
  const [mine, theirs] = [wordsOf(a), wordsOf(b)];
  const shared = [...mine].filter((word) => theirs.has(word)).length;
  const all = mine.size + theirs.size - shared;
  return all === 0 ? 0 : shared / all;
}

function wordsOf({ title, condition }: ClusterInput): Set<string> {
  const words = `${title} ${condition}`.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [];
  return new Set(words.filter((word) => !COMMON.has(word)));
}
