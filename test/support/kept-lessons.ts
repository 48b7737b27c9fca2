import fc from 'fast-check';
import type { RetentionCandidate } from '../../src/memory/lessons/retention-candidate.js';
import { DAY_MS } from '../../src/platform/base/durations.js';

export const NOW = new Date('2026-03-31T12:00:00Z');

/** The time this number of days before `NOW`. */
export const DAYS = (days: number): Date => new Date(NOW.getTime() - days * DAY_MS);

/** A lesson of this age that was never retrieved. */
export function lessonAged(days: number, change: Partial<RetentionCandidate> = {}): RetentionCandidate {
  return {
    id: `lesson of ${days} days`,
    scope: 'agent',
    pinned: false,
    createdAt: DAYS(days),
    relevanceCount: 0,
    lastRetrievedAt: null,
    ...change,
  };
}

/** A store with ties of every kind, in which some lessons are pinned or approved. */
export const anyStore: fc.Arbitrary<RetentionCandidate[]> = fc.uniqueArray(
  fc
    .record({
      id: fc.uuid(),
      scope: fc.constantFrom('agent', 'agent', 'agent', 'org'),
      pinned: fc.constantFrom(false, false, false, true),
      age: fc.nat(200),
      relevanceCount: fc.nat(4),
      retrieved: fc.option(fc.nat(200)),
    })
    .map(
      ({ age, retrieved, scope, ...rest }): RetentionCandidate => ({
        ...rest,
        // The generator only yields values of the schema.
        scope: scope as RetentionCandidate['scope'],
        createdAt: DAYS(age),
        lastRetrievedAt: retrieved === null ? null : DAYS(Math.min(age, retrieved)),
      }),
    ),
  { selector: ({ id }) => id, maxLength: 40 },
);

/** The same items in two orders. */
export const shuffled = <T>(items: readonly T[]): fc.Arbitrary<[T[], T[]]> =>
  fc.shuffledSubarray([...items], { minLength: items.length }).map((other) => [[...items], other]);
