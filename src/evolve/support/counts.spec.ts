import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Counts } from './counts.js';

describe('Counts', () => {
  it('equals a Map after any additions and removals', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(40), fc.integer({ min: -2, max: 3 })), { maxLength: 300 }), (steps) => {
        const [counts, map] = [new Counts(), new Map<number, number>()];
        for (const [key, by] of steps) {
          counts.increment(key, by);
          const now = (map.get(key) ?? 0) + by;
          if (now > 0) map.set(key, now);
          else map.delete(key);
        }
        expect([...counts.numbers()].sort((a, b) => a - b)).toEqual([...map.keys()].sort((a, b) => a - b));
        expect(counts.size).toBe(map.size);
        for (const [key] of steps)
          expect([counts.get(key), counts.has(key)]).toEqual([map.get(key) ?? 0, map.has(key)]);
      }),
      { numRuns: 300 },
    );
  });

  it('sums several without changing any of them', () => {
    const several = fc.array(fc.array(fc.tuple(fc.nat(3_000), fc.integer({ min: 1, max: 3 })), { maxLength: 40 }));
    fc.assert(
      fc.property(several, (lists) => {
        const all = lists.map((list) => {
          const counts = new Counts();
          for (const [key, by] of list) counts.increment(key, by);
          return counts;
        });
        const sum = Counts.sum(all);
        const keys = new Set(lists.flat().map(([key]) => key));
        for (const key of keys) expect(sum.get(key)).toBe(all.reduce((total, one) => total + one.get(key), 0));
        expect(sum.size).toBe(keys.size);
        sum.increment(1, 1);
        expect(Counts.sum(all).get(1)).toBe(sum.get(1) - 1);
      }),
    );
  });
});
