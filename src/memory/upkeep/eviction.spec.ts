import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyStore, DAYS, lessonAged, NOW, shuffled } from '../../../test/support/kept-lessons.js';
import { isProtected } from '../lessons/retention-candidate.js';
import { evict } from './eviction.js';

const SETTINGS = { capacity: 3, neverRetrievedDays: 30 };
const ended = (store: Parameters<typeof evict>[0], change: Partial<typeof SETTINGS> = {}) =>
  evict(store, { ...SETTINGS, ...change }, NOW);

describe('eviction', () => {
  it('ends the least retrieved lessons first, and of those the oldest', () => {
    const store = [
      lessonAged(1, { id: 'young', relevanceCount: 1 }),
      lessonAged(9, { id: 'old', relevanceCount: 1 }),
      lessonAged(20, { id: 'useful', relevanceCount: 5 }),
      lessonAged(2, { id: 'new' }),
      lessonAged(3, { id: 'newer' }),
    ];
    expect(ended(store)).toEqual([
      { id: 'newer', why: 'evicted' },
      { id: 'new', why: 'evicted' },
    ]);
    expect(ended(store, { capacity: 2 }).map(({ id }) => id)).toEqual(['newer', 'new', 'old']);
  });

  it('ends copies from other agents before what the agent learned itself', () => {
    const store = [
      lessonAged(9, { id: 'own' }),
      lessonAged(1, { id: 'copy', isCopy: true }),
      lessonAged(2, { id: 'used copy', isCopy: true, relevanceCount: 1 }),
      lessonAged(3, { id: 'other' }),
    ];
    expect(ended(store).map(({ id }) => id)).toEqual(['copy']);
    expect(ended(store, { capacity: 2 }).map(({ id }) => id)).toEqual(['copy', 'own']);
  });

  it('ends lessons that were never retrieved after their days, even below capacity', () => {
    const store = [
      lessonAged(31, { id: 'useless' }),
      lessonAged(30, { id: 'just in time' }),
      lessonAged(400, { id: 'retrieved', relevanceCount: 1, lastRetrievedAt: DAYS(390) }),
    ];
    expect(ended(store)).toEqual([{ id: 'useless', why: 'never_retrieved' }]);
  });

  it('keeps as many lessons as the capacity, and ends no more than needed', () => {
    fc.assert(
      fc.property(anyStore, fc.nat(20), (store, capacity) => {
        const ends = ended(store, { capacity });
        const evicted = ends.filter(({ why }) => why === 'evicted').length;
        const neverRetrieved = ends.length - evicted;
        const protectedCount = store.filter(isProtected).length;
        expect(store.length - ends.length).toBeLessThanOrEqual(Math.max(capacity, protectedCount));
        if (evicted > 0) expect(store.length - neverRetrieved - evicted).toBe(Math.max(capacity, protectedCount));
      }),
    );
  });

  it('never ends pinned or approved lessons, and none twice', () => {
    fc.assert(
      fc.property(anyStore, fc.nat(20), (store, capacity) => {
        const ids = ended(store, { capacity }).map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const lesson of store.filter(isProtected)) expect(ids).not.toContain(lesson.id);
      }),
    );
  });

  it('never ends a lesson that was retrieved more often than one it keeps', () => {
    fc.assert(
      fc.property(anyStore, fc.nat(20), (store, capacity) => {
        const ends = new Set(ended(store, { capacity }).map(({ id }) => id));
        const unprotected = store.filter((lesson) => !isProtected(lesson));
        const mostEnded = Math.max(
          -1,
          ...unprotected.filter(({ id }) => ends.has(id)).map((one) => one.relevanceCount),
        );
        const leastKept = Math.min(
          Infinity,
          ...unprotected.filter(({ id }) => !ends.has(id)).map((one) => one.relevanceCount),
        );
        expect(mostEnded).toBeLessThanOrEqual(leastKept);
      }),
    );
  });

  it('does not depend on the order of the lessons, and ends nothing on a second run', () => {
    fc.assert(
      fc.property(anyStore.chain(shuffled), fc.nat(20), ([store, other], capacity) => {
        const ends = ended(store, { capacity });
        expect(ended(other, { capacity })).toEqual(ends);
        const remaining = store.filter(({ id }) => !ends.some((one) => one.id === id));
        expect(ended(remaining, { capacity })).toEqual([]);
      }),
    );
  });
});
