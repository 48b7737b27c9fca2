import { byId } from '../lessons/retention-candidate.js';

/** A point of the relevance × recency plane. */
export interface FrontierPoint {
  readonly id: string;
  readonly relevance: number;
  readonly recency: number;
}

const descending = (a: FrontierPoint, b: FrontierPoint): number =>
  b.relevance - a.relevance || b.recency - a.recency || byId(a, b);

/** At least as good in both, and better in one. */
export const dominates = (a: FrontierPoint, b: FrontierPoint): boolean =>
  a.relevance >= b.relevance && a.recency >= b.recency && (a.relevance > b.relevance || a.recency > b.recency);

/**
 * Groups the points into Pareto frontiers: the first holds the points that no other dominates, the next those that only
 * points of the first dominate, and so on. O(n log n): in descending order a point's dominators come before it, and
 * each frontier is represented by its most recent point, which is never more recent than that of the frontier before.
 */
export function frontiers<P extends FrontierPoint>(points: readonly P[]): P[][] {
  const fronts: P[][] = [];
  const mostRecent: number[] = [];
  let before: { point: P; rank: number } | undefined;
  for (const point of [...points].sort(descending)) {
    const isSame = before?.point.relevance === point.relevance && before.point.recency === point.recency;
    const rank = isSame && before ? before.rank : firstBelow(mostRecent, point.recency);
    mostRecent[rank] = Math.max(mostRecent[rank] ?? Number.NEGATIVE_INFINITY, point.recency);
    const frontier = fronts[rank];
    if (frontier) frontier.push(point);
    else fronts.push([point]);
    before = { point, rank };
  }
  return fronts;
}

/** The first index whose value is below `limit`. `values` is non-increasing. */
function firstBelow(values: readonly number[], limit: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? Number.NEGATIVE_INFINITY) < limit) high = middle;
    else low = middle + 1;
  }
  return low;
}
