import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyStore, lessonAged, NOW, shuffled } from '../../../test/support/kept-lessons.js';
import { DAY_MS } from '../../platform/base/durations.js';
import { isProtected, lastUsedAt, type RetentionCandidate } from '../lessons/retention-candidate.js';
import { dominates, pruningStrategy } from './pruning.strategy.js';

const SETTINGS = { maxAgeDays: 90, maxEntries: 10 };
const TYPES = ['none', 'ttl', 'pareto', 'hybrid'] as const;
const placed = (lesson: RetentionCandidate) => ({
  id: lesson.id,
  relevance: lesson.relevanceCount,
  recency: lastUsedAt(lesson),
});
const isTooOld = ({ createdAt }: RetentionCandidate): boolean =>
  NOW.getTime() - createdAt.getTime() > SETTINGS.maxAgeDays * DAY_MS;

describe.each(TYPES)('the pruning strategy %s', (type) => {
  const strategy = pruningStrategy(type, SETTINGS);
  const gone = (store: readonly RetentionCandidate[]) => strategy.prune(store, NOW);

  it('has its type', () => {
    expect(strategy.type).toBe(type);
  });

  it('never ends pinned or approved lessons, none twice, and none that it was not given', () => {
    fc.assert(
      fc.property(anyStore, (store) => {
        const ids = gone(store).map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        const free = store.filter((lesson) => !isProtected(lesson)).map(({ id }) => id);
        expect(free).toEqual(expect.arrayContaining(ids));
      }),
    );
  });

  it('does not depend on the order of the lessons', () => {
    fc.assert(
      fc.property(anyStore.chain(shuffled), ([store, other]) => {
        expect(gone(other)).toEqual(gone(store));
      }),
    );
  });

  it('ends nothing on a second run', () => {
    fc.assert(
      fc.property(anyStore, (store) => {
        const ids = new Set(gone(store).map(({ id }) => id));
        expect(gone(store.filter(({ id }) => !ids.has(id)))).toEqual([]);
      }),
    );
  });

  it('ends nothing of an empty store or of a single lesson of today', () => {
    expect(gone([])).toEqual([]);
    expect(gone([lessonAged(0)])).toEqual([]);
  });

  it('does not modify its input', () => {
    fc.assert(
      fc.property(anyStore, (store) => {
        const before = structuredClone(store);
        gone(store);
        expect(store).toEqual(before);
      }),
    );
  });
});

describe('pruning by age', () => {
  it('ends exactly the lessons that were written before the limit, however often they are retrieved', () => {
    fc.assert(
      fc.property(anyStore, (store) => {
        const expected = store.filter((lesson) => !isProtected(lesson) && isTooOld(lesson)).map(({ id }) => id);
        const ids = pruningStrategy('ttl', SETTINGS)
          .prune(store, NOW)
          .map(({ id }) => id);
        expect(ids.sort()).toEqual(expected.sort());
      }),
    );
  });

  it('keeps a lesson until the last moment of its days', () => {
    const ttl = pruningStrategy('ttl', SETTINGS);
    expect(ttl.prune([lessonAged(90)], NOW)).toEqual([]);
    expect(ttl.prune([lessonAged(90.001, { id: 'x' })], NOW)).toEqual([{ id: 'x', why: 'ttl' }]);
  });
});

describe('pruning by frontiers', () => {
  const pareto = pruningStrategy('pareto', SETTINGS);

  it('keeps as many lessons as allowed, not only the first frontier', () => {
    const chain = Array.from({ length: 101 }, (_, n) => lessonAged(n, { id: `lesson ${n}`, relevanceCount: 101 - n }));
    expect(chain.length - pareto.prune(chain, NOW).length).toBe(10);
    fc.assert(
      fc.property(anyStore, (store) => {
        const protectedOnes = store.filter(isProtected).length;
        const left = store.length - pareto.prune(store, NOW).length;
        expect(left).toBe(Math.min(store.length, Math.max(SETTINGS.maxEntries, protectedOnes)));
      }),
    );
  });

  it('never ends a lesson that is better in both dimensions than one it keeps', () => {
    fc.assert(
      fc.property(anyStore, (store) => {
        const ids = new Set(pareto.prune(store, NOW).map(({ id }) => id));
        const free = store.filter((lesson) => !isProtected(lesson));
        const kept = free.filter(({ id }) => !ids.has(id)).map(placed);
        for (const lesson of free.filter(({ id }) => ids.has(id)))
          expect(kept.filter((one) => dominates(placed(lesson), one))).toEqual([]);
      }),
    );
  });
});

describe('pruning by both', () => {
  it('ends lessons that are too old, then prunes the rest by frontiers', () => {
    fc.assert(
      fc.property(anyStore, (store) => {
        const aged = pruningStrategy('ttl', SETTINGS).prune(store, NOW);
        const rest = store.filter(({ id }) => !aged.some((one) => one.id === id));
        expect(pruningStrategy('hybrid', SETTINGS).prune(store, NOW)).toEqual([
          ...aged,
          ...pruningStrategy('pareto', SETTINGS).prune(rest, NOW),
        ]);
      }),
    );
  });
});

describe('no pruning', () => {
  it('ends nothing', () => {
    fc.assert(
      fc.property(anyStore, (store) => expect(pruningStrategy('none', SETTINGS).prune(store, NOW)).toEqual([])),
    );
  });
});
