import { compareText } from '../../platform/base/compare-text.js';

/** Damps the first places (Cormack, Clarke and Büttcher 2009; spec R2). */
export const RRF_K = 60;
export const MAX_FUSED = 20;

export interface RankedSource {
  /** Ids, best first, each once, and only those that are good enough by the source's own score. */
  readonly ids: readonly string[];
  /** How much its word counts beside the others. */
  readonly weight?: number;
}

export interface Fused {
  readonly id: string;
  /** In [0, 1]: 1 for the first. */
  readonly score: number;
}

/**
 * Reciprocal rank fusion: Σ weight / (k + place), min–max normalised over the best `MAX_FUSED`: what is behind them has 0. At
 * most `limit` in all. Over everything that was found, a source that weighs little would press all others
 * together at the top, and whatever compares them afterwards (MMR) would take their order for a tie. Thresholds belong
 * before it: the last one has nothing by definition, however good it is.
 */
export function fuse(sources: readonly RankedSource[], limit = MAX_FUSED, k = RRF_K): Fused[] {
  const sums = new Map<string, number>();
  for (const { ids, weight = 1 } of sources)
    for (const [place, id] of ids.entries()) sums.set(id, (sums.get(id) ?? 0) + weight / (k + place + 1));
  const best = [...sums].sort(([x, a], [y, b]) => b - a || compareText(x, y));
  const high = best[0]?.[1] ?? 0;
  const low = best[Math.min(MAX_FUSED, best.length) - 1]?.[1] ?? 0;
  return best
    .slice(0, limit)
    .map(([id, sum]) => ({ id, score: high > low ? Math.max(0, (sum - low) / (high - low)) : sum < low ? 0 : 1 }));
}
