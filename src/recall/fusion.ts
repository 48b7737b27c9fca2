/** Damps the first places (Cormack, Clarke and Büttcher 2009; spec R2). */
export const RRF_K = 60;
export const MAX_FUSED = 20;

export interface Source {
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
 * Reciprocal rank fusion: Σ weight / (k + place), min–max normalised over everything that was found, then at most
 * `limit`. Thresholds belong before it: the normalised score of the last one is 0 by definition, however good it is.
 */
export function fuse(sources: readonly Source[], limit = MAX_FUSED, k = RRF_K): Fused[] {
  const sums = new Map<string, number>();
  for (const { ids, weight = 1 } of sources)
    for (const [place, id] of ids.entries()) sums.set(id, (sums.get(id) ?? 0) + weight / (k + place + 1));
  const values = [...sums.values()];
  const low = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const high = values.reduce((a, b) => Math.max(a, b), 0);
  return [...sums]
    .map(([id, sum]) => ({ id, score: high > low ? (sum - low) / (high - low) : 1 }))
    .sort((x, y) => y.score - x.score || (x.id < y.id ? -1 : 1))
    .slice(0, limit);
}
