import { DAY_MS } from '../../platform/base/durations.js';
import {
  byId,
  isProtected,
  type LessonEnd,
  lastUsedAt,
  type RetentionCandidate,
} from '../lessons/retention-candidate.js';
import { frontiers } from './frontier.js';

type Store = readonly RetentionCandidate[];

/** Selects the lessons of a store to end. Pure: the same store and time give the same result. */
export interface PruningStrategy {
  readonly type: 'none' | 'ttl' | 'pareto' | 'hybrid';
  prune(store: Store, now: Date): LessonEnd[];
}

export interface PruningSettings {
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
