import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newcombe } from './newcombe.js';

describe('the interval of a difference of shares', () => {
  it.each([
    // Newcombe 1998, table II, method 10.
    [56, 70, 48, 80, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.1705, 0.809],
    [6, 7, 2, 7, 0.0582, 0.8062],
    [5, 56, 0, 29, -0.0381, 0.1926],
    [0, 10, 0, 20, -0.1611, 0.2775],
    [10, 10, 0, 20, 0.6791, 1],
  ])('%d of %d against %d of %d has the published ends', (worked, n, others, m, low, high) => {
    const difference = newcombe({ worked, n }, { worked: others, n: m });
    expect(difference?.value).toBeCloseTo(worked / n - others / m, 10);
    expect(difference?.low).toBeCloseTo(low, 4);
    expect(difference?.high).toBeCloseTo(high, 4);
  });

  it('does not exist without tries on both sides', () => {
    expect(newcombe({ worked: 0, n: 0 }, { worked: 1, n: 2 })).toBeNull();
    expect(newcombe({ worked: 1, n: 2 }, { worked: 0, n: 0 })).toBeNull();
  });

  it('turns around with its sides', () => {
    const tries = fc.tuple(fc.nat(30), fc.nat(30)).map(([worked, others]) => ({ worked, n: worked + others + 1 }));
    fc.assert(
      fc.property(tries, tries, (a, b) => {
        const [one, other] = [newcombe(a, b), newcombe(b, a)];
        expect(one?.low).toBeCloseTo(-(other?.high ?? 0), 10);
        expect(one?.high).toBeCloseTo(-(other?.low ?? 0), 10);
      }),
    );
  });
});
