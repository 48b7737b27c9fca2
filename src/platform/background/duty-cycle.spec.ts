import { describe, expect, it } from '@jest/globals';
import { inSlices } from './duty-cycle.js';

describe('work in slices', () => {
  it('ends with the last step, and rests as long as it worked at a share of a half', async () => {
    let left = 40;
    const busy = (): boolean => {
      const until = performance.now() + 5;
      while (performance.now() < until);
      left -= 1;
      return left > 0;
    };
    const began = performance.now();
    await inSlices(busy, 0.5);
    expect(left).toBe(0);
    // 40 steps of 5 ms, and rests between their slices: a machine that is busy otherwise only makes it longer.
    expect(performance.now() - began).toBeGreaterThan(300);
  });

  it('says how long it has worked since the last time that this was noted', async () => {
    const seen: number[] = [];
    let left = 6;
    const step = (): boolean => {
      const until = performance.now() + 20;
      while (performance.now() < until);
      left -= 1;
      return left > 0;
    };
    await inSlices(step, 1, (ms) => {
      seen.push(ms);
      return false;
    });
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.length).toBeGreaterThan(1);
  });
});
