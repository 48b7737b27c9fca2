import { DAY_MS } from '../../platform/base/durations.js';
import {
  byId,
  isProtected,
  type LessonEnd,
  lastUsedAt,
  type RetentionCandidate,
} from '../lessons/retention-candidate.js';
import { frontiers } from './frontier.js';

/** Selects the lessons of a store to end. Pure: the same store and time give the same result. */
export interface PruningStrategy {
  readonly type: 'none' | 'ttl' | 'pareto' | 'hybrid';
  prune(store: readonly RetentionCandidate[], now: Date): LessonEnd[];
}

export interface PruningSettings {
  readonly maxAgeDays: number;
  readonly maxEntries: number;
}

export class NoPruning implements PruningStrategy {
  readonly type = 'none';

  prune(): LessonEnd[] {
    return [];
  }
}

/** Ends lessons that were written too long ago. */
export class TtlPruning implements PruningStrategy {
  readonly type = 'ttl';

  constructor(private readonly settings: PruningSettings) {}

  prune(store: readonly RetentionCandidate[], now: Date): LessonEnd[] {
    const oldest = now.getTime() - this.settings.maxAgeDays * DAY_MS;
    return store
      .filter((lesson) => !isProtected(lesson) && lesson.createdAt.getTime() < oldest)
      .sort(byId)
      .map(({ id }) => ({ id, why: 'ttl' }));
  }
}

/**
 * Keeps `maxEntries` lessons: the first frontier of relevance × recency, then the next ones until the store is full.
 * Keeping the first frontier alone would end almost everything.
 */
export class ParetoPruning implements PruningStrategy {
  readonly type = 'pareto';

  constructor(private readonly settings: PruningSettings) {}

  prune(store: readonly RetentionCandidate[]): LessonEnd[] {
    const unprotected = store.filter((lesson) => !isProtected(lesson));
    const capacity = Math.max(0, this.settings.maxEntries - (store.length - unprotected.length));
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
}

/** Prunes by age first, then the rest by frontiers. */
export class HybridPruning implements PruningStrategy {
  readonly type = 'hybrid';
  private readonly ttl: TtlPruning;
  private readonly pareto: ParetoPruning;

  constructor(settings: PruningSettings) {
    this.ttl = new TtlPruning(settings);
    this.pareto = new ParetoPruning(settings);
  }

  prune(store: readonly RetentionCandidate[], now: Date): LessonEnd[] {
    const expired = this.ttl.prune(store, now);
    const expiredIds = new Set(expired.map(({ id }) => id));
    return [...expired, ...this.pareto.prune(store.filter(({ id }) => !expiredIds.has(id)))];
  }
}

export function pruningStrategy(type: PruningStrategy['type'], settings: PruningSettings): PruningStrategy {
  if (type === 'none') return new NoPruning();
  if (type === 'ttl') return new TtlPruning(settings);
  return type === 'pareto' ? new ParetoPruning(settings) : new HybridPruning(settings);
}
