/** How well a grouping agrees with labels. Chance is 0 for the index, and neither of the two parts of a pair score alone. */
export interface ClusteringScore {
  readonly groups: number;
  /** Adjusted Rand index (Hubert and Arabie 1985): 1 is the same grouping, 0 what chance gives. */
  readonly ari: number;
  /** Of the pairs that the grouping puts together, those with one label. */
  readonly pairPrecision: number;
  /** Of the pairs with one label, those that the grouping puts together. */
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
