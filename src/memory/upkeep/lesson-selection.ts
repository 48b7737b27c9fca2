import type { LessonEnd, RetentionCandidate } from '../lessons/retention-candidate.js';
import { type EvictionSettings, evict } from './eviction.js';
import type { PruningStrategy } from './pruning.strategy.js';

/** Selects the lessons to prune, then to evict. */
export function selectLessonsToEnd(
  store: readonly RetentionCandidate[],
  strategy: PruningStrategy,
  settings: EvictionSettings,
  now: Date,
): LessonEnd[] {
  const pruned = strategy.prune(store, now);
  const prunedIds = new Set(pruned.map(({ id }) => id));
  const remaining = store.filter(({ id }) => !prunedIds.has(id));
  return [...pruned, ...evict(remaining, settings, now)];
}
