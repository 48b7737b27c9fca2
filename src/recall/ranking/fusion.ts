import { compareText } from '../../platform/base/compare-text.js';

/** Reduces the weight of the first ranks (Cormack, Clarke and Büttcher 2009). */
export const RRF_K = 60;
export const MAX_FUSED = 20;

export interface RankedSource {
  /** Unique ids, best first, above the threshold of the source. */
  readonly ids: readonly string[];
  /** Weight relative to the other sources; 1 by default. */
  readonly weight?: number;
}

export interface Fused {
  readonly id: string;
  /** In [0, 1]; the first has 1. */
  readonly score: number;
}

/**
 * Reciprocal rank fusion: Σ weight / (k + rank), min–max normalised over the best `window`; later results have 0.
 * Returns at most `limit`. Normalising over all results would let a source with a small weight compress all others near 1,
 * and MMR would then treat their order as a tie. Apply thresholds before the fusion: the last result always gets 0.
 */
export function fuse(sources: readonly RankedSource[], limit = MAX_FUSED, k = RRF_K, window = MAX_FUSED): Fused[] {
  const sums = new Map<string, number>();
  for (const { ids, weight = 1 } of sources)
    for (const [index, id] of ids.entries()) sums.set(id, (sums.get(id) ?? 0) + weight / (k + index + 1));
  const best = [...sums].sort(([x, a], [y, b]) => b - a || compareText(x, y));
  const high = best[0]?.[1] ?? 0;
  const low = best[Math.min(window, best.length) - 1]?.[1] ?? 0;
  return best
    .slice(0, limit)
    .map(([id, sum]) => ({ id, score: high > low ? Math.max(0, (sum - low) / (high - low)) : sum < low ? 0 : 1 }));
}
