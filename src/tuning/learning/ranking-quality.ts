const DEPTH = 10;

/** nDCG@10 with exponential gains (Järvelin and Kekäläinen 2002), in [0, 1]. `relevant` has a gain by id. */
export function ndcgAt10(ranking: readonly string[], relevant: ReadonlyMap<string, number>): number {
  const gainOf = (grade: number): number => 2 ** grade - 1;
  const sum = (gains: readonly number[]) => gains.reduce((total, gain, at) => total + gain / Math.log2(at + 2), 0);
  const best = [...relevant.values()].sort((a, b) => b - a).map(gainOf);
  const ideal = sum(best.slice(0, DEPTH));
  return ideal === 0 ? 0 : sum(ranking.slice(0, DEPTH).map((id) => gainOf(relevant.get(id) ?? 0))) / ideal;
}

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
