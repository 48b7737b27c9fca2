import { DAY_MS } from '../../platform/base/durations.js';
import { byId, isProtected, type LessonEnd, type RetentionCandidate } from '../lessons/retention-candidate.js';
import { type PruningStrategy, without } from './pruning.strategy.js';

export interface EvictionSettings {
  /** Most lessons that an agent may hold. */
  readonly capacity: number;
  /** Days after which a lesson that was never retrieved ends. */
  readonly neverRetrievedDays: number;
}

/**
 * Ends lessons that were never retrieved within their days. Above capacity it also ends those that were retrieved in
 * the fewest sessions: of them copies first, then the oldest.
 */
export function evict(store: readonly RetentionCandidate[], settings: EvictionSettings, now: Date): LessonEnd[] {
  const oldest = now.getTime() - settings.neverRetrievedDays * DAY_MS;
  const isNeverRetrieved = (lesson: RetentionCandidate): boolean =>
    !isProtected(lesson) && lesson.relevanceCount === 0 && lesson.createdAt.getTime() < oldest;
  const neverRetrieved = store.filter(isNeverRetrieved).sort(byId);
  const remaining = store.filter((lesson) => !isNeverRetrieved(lesson));
  const evicted = remaining
    .filter((lesson) => !isProtected(lesson))
    .sort(
      (a, b) =>
        a.relevanceCount - b.relevanceCount ||
        copiesFirst(a, b) ||
        a.createdAt.getTime() - b.createdAt.getTime() ||
        byId(a, b),
    )
    .slice(0, Math.max(0, remaining.length - settings.capacity));
  return [
    ...neverRetrieved.map(({ id }): LessonEnd => ({ id, why: 'never_retrieved' })),
    ...evicted.map(({ id }): LessonEnd => ({ id, why: 'evicted' })),
  ];
}

const copiesFirst = (a: RetentionCandidate, b: RetentionCandidate): number =>
  Number(b.isCopy === true) - Number(a.isCopy === true);

/** Selects the lessons to prune, then to evict. */
export function selectLessonsToEnd(
  store: readonly RetentionCandidate[],
  strategy: PruningStrategy,
  settings: EvictionSettings,
  now: Date,
): LessonEnd[] {
  const pruned = strategy.prune(store, now);
  return [...pruned, ...evict(without(store, pruned), settings, now)];
}
