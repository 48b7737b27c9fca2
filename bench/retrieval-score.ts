import { ndcgAt10 } from '../src/tuning/learning/ranking-quality.js';

/** nDCG@10, and recall@10. */
export interface Score {
  readonly ndcg10: number;
  readonly recall10: number;
}

export function scoreOf(ranking: readonly string[], relevant: ReadonlyMap<string, number>): Score {
  const found = ranking.slice(0, 10).filter((id) => (relevant.get(id) ?? 0) > 0).length;
  return { ndcg10: ndcgAt10(ranking, relevant), recall10: relevant.size === 0 ? 0 : found / relevant.size };
}

export function mean(scores: readonly Score[]): Score {
  const of = (key: keyof Score) => scores.reduce((sum, score) => sum + score[key], 0) / Math.max(1, scores.length);
  return { ndcg10: of('ndcg10'), recall10: of('recall10') };
}
