import { DAY_MS } from '../../platform/base/durations.js';
import {
  byId,
  isProtected,
  type LessonEnd,
  lastUsedAt,
  type RetentionCandidate,
} from '../lessons/retention-candidate.js';

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

type Store = readonly RetentionCandidate[];

/** Selects the lessons of a store to end. Pure: the same store and time give the same result. */
export interface PruningStrategy {
  readonly type: 'none' | 'ttl' | 'pareto' | 'hybrid';
  prune(store: Store, now: Date): LessonEnd[];
}

interface PruningSettings {
  readonly maxAgeDays: number;
  readonly maxEntries: number;
}

const PRUNING: Readonly<
  Record<PruningStrategy['type'], (store: Store, settings: PruningSettings, now: Date) => LessonEnd[]>
> = { none: () => [], ttl: byAge, pareto: byFrontier, hybrid: byAgeAndFrontier };

export const pruningStrategy = (type: PruningStrategy['type'], settings: PruningSettings): PruningStrategy => ({
  type,
  prune: (store, now) => PRUNING[type](store, settings, now),
});

/** Ends lessons that were written too long ago. */
function byAge(store: Store, { maxAgeDays }: PruningSettings, now: Date): LessonEnd[] {
  const oldest = now.getTime() - maxAgeDays * DAY_MS;
  return store
    .filter((lesson) => !isProtected(lesson) && lesson.createdAt.getTime() < oldest)
    .sort(byId)
    .map(({ id }) => ({ id, why: 'ttl' }));
}

/**
 * Keeps `maxEntries` lessons: the first frontier of relevance × recency, then the next ones until the store is full.
 * Keeping the first frontier alone would end almost everything.
 */
function byFrontier(store: Store, { maxEntries }: PruningSettings): LessonEnd[] {
  const unprotected = store.filter((lesson) => !isProtected(lesson));
  const capacity = Math.max(0, maxEntries - (store.length - unprotected.length));
  const points = unprotected.map((lesson) => ({
    id: lesson.id,
    relevance: lesson.relevanceCount,
    recency: lastUsedAt(lesson),
  }));
  return frontiers(points)
    .flat()
    .slice(capacity)
    .sort(byId)
    .map(({ id }) => ({ id, why: 'pareto' }));
}

/** Prunes by age first, then the rest by frontiers. */
function byAgeAndFrontier(store: Store, settings: PruningSettings, now: Date): LessonEnd[] {
  const expired = byAge(store, settings, now);
  return [...expired, ...byFrontier(without(store, expired), settings)];
}

/** The lessons of a store that stay. */
export function without(store: Store, ended: readonly LessonEnd[]): RetentionCandidate[] {
  const ids = new Set(ended.map(({ id }) => id));
  return store.filter(({ id }) => !ids.has(id));
}

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
