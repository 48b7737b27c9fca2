import type { ProposalContent } from './proposal.js';

/** What two proposals are compared by. */
export interface ClusterInput {
  readonly title: string;
  readonly condition: string;
  readonly fingerprints: readonly string[];
}

/** Minimum share of common words of two near-duplicates. */
const MIN_SIMILARITY = 0.6;
/** Words that most proposals contain. */
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

/** The cluster of the most similar pending proposal; undefined if none is similar enough. Ties go to the first. */
export function clusterOf<T extends ClusterInput & { readonly cluster: string }>(
  proposal: ClusterInput,
  pending: readonly T[],
): string | undefined {
  let best: { cluster: string; similarity: number } | undefined;
  for (const other of pending) {
    const similarity = similarityOf(proposal, other);
    if (similarity >= MIN_SIMILARITY && similarity > (best?.similarity ?? 0))
      best = { cluster: other.cluster, similarity };
  }
  return best?.cluster;
}

/** The similarity from 0 to 1: 1 for a common pattern, else the share of common words in title and condition. */
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
