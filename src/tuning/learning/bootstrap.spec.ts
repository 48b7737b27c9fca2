import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lowerBound } from './deploy-rule.js';

const values = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 30 });
const own = (count: number) => Array.from({ length: count }, (_, at) => `g${at}`);

describe('the lower bound of a mean', () => {
  it('lies between the lowest value and the highest, and moves with all of them', () => {
    fc.assert(
      fc.property(values, fc.nat(), (some, seed) => {
        const bound = lowerBound(some, own(some.length), seed);
        expect(bound).toBeGreaterThanOrEqual(Math.min(...some) - 1e-12);
        expect(bound).toBeLessThanOrEqual(Math.max(...some) + 1e-12);
        const moved = lowerBound(
          some.map((value) => value + 1),
          own(some.length),
          seed,
        );
        expect(moved).toBeCloseTo(bound + 1, 9);
      }),
      { numRuns: 30 },
    );
  });

  it('is lower if the values of a document go together', () => {
    const some = Array.from({ length: 40 }, (_, at) => (at < 20 ? 0.4 : -0.1));
    const bound = lowerBound(some, own(40), 1);
    const grouped = lowerBound(
      some,
      some.map((_, at) => `g${Math.floor(at / 10)}`),
      1,
    );
    expect(bound).toBeGreaterThan(0);
    expect(bound).toBeLessThan(0.15);
    expect(grouped).toBeLessThan(bound);
    expect(lowerBound(some, own(40), 1)).toBe(bound);
  });

  it('is 0 without values', () => {
    expect(lowerBound([], [], 1)).toBe(0);
  });
});
