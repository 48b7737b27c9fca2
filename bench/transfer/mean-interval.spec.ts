import { describe, expect, it } from '@jest/globals';
import { meanOfCounts } from './mean-interval.js';

describe('the mean of counts', () => {
  it('has an upper bound above 0 even if every count is 0', () => {
    const { mean, interval } = meanOfCounts(Array(200).fill(0));
    expect([mean, interval[0]]).toEqual([0, 0]);
    expect(interval[1]).toBeCloseTo(3.689 / 200, 4);
  });

  it('has the wider of the exact interval of a Poisson count and the normal one', () => {
    // of 10 events: 4.795 to 18.39 exactly, 3.944 to 16.06 normally
    const { mean, interval } = meanOfCounts([...Array(190).fill(0), ...Array(10).fill(1)]);
    expect(mean).toBe(0.05);
    expect(interval.map((end) => end * 200)).toEqual([expect.closeTo(3.944, 2), expect.closeTo(18.39, 2)]);
  });

  it('has a wider interval if counts vary more', () => {
    const { interval } = meanOfCounts([...Array(190).fill(0), ...Array(10).fill(10)]);
    expect(interval[0]).toBeLessThan(0.25);
    expect(interval[1]).toBeGreaterThan(0.75);
  });
});
