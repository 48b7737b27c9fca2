import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { wilson } from './wilson.js';

describe('the Wilson interval', () => {
  it('has the published values', () => {
    // Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    const table = [
      [81, 263, 0.2553, 0.3662],
      [15, 148, 0.0624, 0.1605],
      [0, 20, 0, 0.1611],
      [1, 29, 0.0061, 0.1718],
    ] as const;
    for (const [s, n, lower, upper] of table) {
      expect(wilson(s, n).lower).toBeCloseTo(lower, 4);
      expect(wilson(s, n).upper).toBeCloseTo(upper, 4);
    }
  });

  it('is 0..1 without trials', () => {
    expect(wilson(0, 0)).toEqual({ successes: 0, n: 0, rate: 0, lower: 0, upper: 1 });
  });

  it('contains the rate, stays inside 0..1 and narrows with more of the same evidence', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(500), (n, k) => {
        const s = k % (n + 1);
        const few = wilson(s, n);
        const many = wilson(s * 10, n * 10);
        expect(few.lower).toBeGreaterThanOrEqual(0);
        expect(few.upper).toBeLessThanOrEqual(1);
        expect(few.lower).toBeLessThanOrEqual(few.rate);
        expect(few.upper).toBeGreaterThanOrEqual(few.rate);
        expect(many.upper - many.lower).toBeLessThan(few.upper - few.lower);
      }),
    );
  });
});
