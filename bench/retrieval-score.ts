/** nDCG@10 with exponential gains (Järvelin and Kekäläinen 2002), and recall@10. */
export interface Score {
  readonly ndcg10: number;
  readonly recall10: number;
}

export function scoreOf(ranking: readonly string[], relevant: ReadonlyMap<string, number>): Score {
  const gainOf = (id: string): number => 2 ** (relevant.get(id) ?? 0) - 1;
  const first = ranking.slice(0, 10);
  const sum = (gains: readonly number[]) => gains.reduce((total, gain, at) => total + gain / Math.log2(at + 2), 0);
  const best = [...relevant.values()].sort((a, b) => b - a).map((gain) => 2 ** gain - 1);
  const ideal = sum(best.slice(0, 10));
  return {
    ndcg10: ideal === 0 ? 0 : sum(first.map(gainOf)) / ideal,
    recall10: relevant.size === 0 ? 0 : first.filter((id) => (relevant.get(id) ?? 0) > 0).length / relevant.size,
  };
}

export function mean(scores: readonly Score[]): Score {
  const of = (key: keyof Score) => scores.reduce((sum, score) => sum + score[key], 0) / Math.max(1, scores.length);
  return { ndcg10: of('ndcg10'), recall10: of('recall10') };
}
