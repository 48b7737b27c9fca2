import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pack } from './packing.js';
import { estimateTokens } from './rendering.js';

describe('packing', () => {
  const FRAMING = 7;
  const whole = (taken: readonly number[]) => FRAMING + taken.reduce((sum, tokens) => sum + tokens, 0);

  it('never exceeds the budget, including the framing, and leaves out nothing that still fits', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 50 })), fc.nat({ max: 300 }), (sizes, budget) => {
        const taken = pack(sizes, budget, whole);
        if (taken.length > 0) expect(whole(taken)).toBeLessThanOrEqual(budget);
        if (taken.length < sizes.length) {
          const left = [...sizes];
          for (const size of taken) left.splice(left.indexOf(size), 1);
          for (const size of left) expect(whole(taken) + size).toBeGreaterThan(budget);
        }
      }),
    );
  });

  it('takes items in order, and continues after one that is too large', () => {
    expect(pack([10, 90, 20, 5], 50, whole)).toEqual([10, 20, 5]);
    expect(pack([10], FRAMING + 9, whole)).toEqual([]);
  });
});

describe('the token estimate', () => {
  it('grows with every character, and is higher for characters that models split', () => {
    expect(estimateTokens('')).toBe(0);
    expect(estimateTokens('four word text here')).toBe(4);
    expect(estimateTokens('deployment')).toBe(3);
    expect(estimateTokens('{"a":1}')).toBe(7);
    expect(estimateTokens('部署')).toBe(4);
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(estimateTokens(a + b)).toBeGreaterThanOrEqual(estimateTokens(a));
        expect(estimateTokens(a + b)).toBeLessThanOrEqual(estimateTokens(a) + estimateTokens(b));
      }),
    );
  });
});
