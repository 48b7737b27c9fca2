import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { percentOf, percentText } from './percent.js';

describe('a percentage', () => {
  it.each([
    [0, 0],
    [0.004, 1],
    [0.376, 38],
    [0.5, 50],
    [0.996, 99],
    [0.999999, 99],
    [1, 100],
  ])('of %d is %d', (share, percent) => {
    expect(percentOf(share)).toBe(percent);
  });

  it('is 0 or 100 only for a share without an exception', () => {
    const counts = fc.nat({ max: 10_000 }).chain((n) => fc.tuple(fc.nat({ max: n }), fc.constant(n + 1)));
    fc.assert(
      fc.property(counts, ([worked, n]) => {
        expect(percentOf(worked / n)).toBeLessThan(100);
        expect(percentOf((n - worked) / n)).toBeGreaterThan(0);
      }),
    );
  });
});

describe('a share as a percentage', () => {
  it('is rounded to a whole number', () => {
    expect([0, 0.376, 0.8, 1].map(percentText)).toEqual(['0 %', '38 %', '80 %', '100 %']);
  });

  it('never rounds to certainty', () => {
    expect([0.996, 0.9999999].map(percentText)).toEqual(['> 99 %', '> 99 %']);
    expect([0.004, 0.0000001].map(percentText)).toEqual(['< 1 %', '< 1 %']);
  });
});
