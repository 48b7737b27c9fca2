import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fisherExact } from './exact-tests.js';

describe("Fisher's exact test", () => {
  it.each([
    // Fisher's tea: 3 of 4 cups right on either side; p = 34/70.
    [3, 4, 1, 4, 34 / 70],
    // Fisher 1935, convicted twins: 10 of 13 against 2 of 17; p = 0.0005367.
    [10, 13, 2, 17, 0.0005367],
    [5, 5, 0, 5, 2 / 252],
    [2, 4, 2, 4, 1],
  ])('%d of %d against %d of %d', (worked, n, others, m, p) => {
    expect(fisherExact({ worked, n }, { worked: others, n: m })).toBeCloseTo(p, 6);
  });

  it('is 1 without tries on both sides', () => {
    expect(fisherExact({ worked: 0, n: 0 }, { worked: 3, n: 3 })).toBe(1);
  });

  it('does not depend on the order of the sides, and stays in 0..1 with thousands of tries', () => {
    const tries = fc
      .tuple(fc.nat(2_000), fc.nat(2_000))
      .map(([worked, others]) => ({ worked, n: worked + others + 1 }));
    fc.assert(
      fc.property(tries, tries, (a, b) => {
        const p = fisherExact(a, b);
        expect(p).toBeGreaterThanOrEqual(0);
        expect(p).toBeLessThanOrEqual(1);
        expect(fisherExact(b, a)).toBeCloseTo(p, 8);
      }),
      { numRuns: 30 },
    );
  });
});
