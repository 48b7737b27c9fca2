import { describe, expect, it } from '@jest/globals';
import { mantelHaenszel } from './mantel-haenszel.js';

const stratum = (worked: number, n: number, others: number, m: number) => ({
  with: { worked, n },
  without: { worked: others, n: m },
});

describe('the difference of shares within strata', () => {
  it('of one stratum is the difference of its shares, with the interval of Wald', () => {
    const difference = mantelHaenszel([stratum(15, 20, 8, 20)]);
    const margin = 1.959963984540054 * Math.sqrt((0.75 * 0.25 + 0.4 * 0.6) / 20);
    expect(difference?.value).toBeCloseTo(0.35, 10);
    expect(difference?.low).toBeCloseTo(0.35 - margin, 10);
    expect(difference?.high).toBeCloseTo(0.35 + margin, 10);
  });

  it('weights strata by both sides, computed on paper', () => {
    // weights 2 and 3.75; differences 1/2 and 1/5
    const difference = mantelHaenszel([stratum(3, 4, 1, 4), stratum(6, 10, 2, 6), stratum(1, 1, 0, 0)]);
    expect(difference?.value).toBeCloseTo((2 * 0.5 + 3.75 * (0.6 - 1 / 3)) / 5.75, 10);
    expect(difference?.strata).toBe(2);
  });

  it('is none where all of a difference is between strata', () => {
    // one agent always works and mostly does it, the other never works and mostly does not
    const difference = mantelHaenszel([stratum(9, 9, 1, 1), stratum(0, 1, 0, 9)]);
    expect(difference?.value).toBe(0);
    expect(difference?.low).toBeLessThan(0);
  });

  it('stays uncertain if all tries of either side end alike', () => {
    const difference = mantelHaenszel([stratum(2, 2, 0, 1)]);
    expect(difference?.value).toBe(1);
    expect(difference?.low).toBeCloseTo(1 - (1.959963984540054 * Math.sqrt(1.5)) / 4, 10);
  });

  it('does not exist if no stratum has tries on both sides', () => {
    expect(mantelHaenszel([stratum(3, 3, 0, 0), stratum(0, 0, 1, 3)])).toBeNull();
  });
});
