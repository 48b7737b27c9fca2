/**
 * How well a clustering agrees with labels. The index corrects for chance; precision and recall of pairs are only
 * useful together.
 */
export interface ClusteringScore {
  readonly groups: number;
  /** Adjusted Rand index (Hubert and Arabie 1985): 1 for the same clustering, 0 for chance. */
  readonly ari: number;
  /** Of the pairs in one cluster, the share with the same label. */
  readonly pairPrecision: number;
  /** Of the pairs with the same label, the share in one cluster. */
  readonly pairRecall: number;
}

const pairs = (n: number): number => (n * (n - 1)) / 2;

export function clusteringScore(groups: readonly string[], labels: readonly string[]): ClusteringScore {
  if (groups.length !== labels.length) throw new Error('one label for each item');
  const both = pairsIn(groups.map((group, at) => JSON.stringify([group, labels[at]])));
  const inGroups = pairsIn(groups);
  const inLabels = pairsIn(labels);
  const expected = pairs(groups.length) === 0 ? 0 : (inGroups * inLabels) / pairs(groups.length);
  const most = (inGroups + inLabels) / 2;
  return {
    groups: new Set(groups).size,
    ari: most === expected ? 1 : (both - expected) / (most - expected),
    pairPrecision: inGroups === 0 ? 0 : both / inGroups,
    pairRecall: inLabels === 0 ? 0 : both / inLabels,
  };
}

function pairsIn(names: readonly string[]): number {
  const sizes = new Map<string, number>();
  for (const name of names) sizes.set(name, (sizes.get(name) ?? 0) + 1);
  return [...sizes.values()].reduce((sum, size) => sum + pairs(size), 0);
}
