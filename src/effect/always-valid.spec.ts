import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { alwaysValidHalfWidth } from './always-valid.js';

const variance = fc.double({ min: 1e-6, max: 0.25, noNaN: true });
const df = fc.double({ min: 4, max: 1_000, noNaN: true });
const MANY = 1e9;

describe('the half width of an always-valid interval', () => {
  it('is the normal mixture boundary if the variance is almost exactly known', () => {
    // √((v+m)/m · ln((v+m)/(v α²)) · v) with v = 0.0004, m = 0.01, α = 0.05, computed manually
    expect(alwaysValidHalfWidth(0.0004, MANY, 0.95)).toBeCloseTo(0.062, 3);
  });

  it('uses Student’s quantile for an estimated variance', () => {
    const normal = alwaysValidHalfWidth(0.0004, MANY, 0.95) / 0.02;
    const student = alwaysValidHalfWidth(0.0004, 10, 0.95) / 0.02;
    // two-sided tail beyond 3.10 of a normal variable: 0.0019; Student's t with 10 degrees of freedom has it beyond
    // 4.18
    expect(normal).toBeCloseTo(3.1, 1);
    expect(student).toBeCloseTo(4.18, 1);
  });

  it('is wider than the interval of a single look', () => {
    fc.assert(
      fc.property(variance, df, (v, degrees) => {
        expect(alwaysValidHalfWidth(v, degrees, 0.95)).toBeGreaterThan(1.96 * Math.sqrt(v));
      }),
    );
  });

  it('grows with the variance and the level, and shrinks with the degrees of freedom', () => {
    fc.assert(
      fc.property(variance, df, (v, degrees) => {
        const half = alwaysValidHalfWidth(v, degrees, 0.95);
        expect(alwaysValidHalfWidth(v * 1.1, degrees, 0.95)).toBeGreaterThan(half);
        expect(alwaysValidHalfWidth(v, degrees, 0.99)).toBeGreaterThan(half);
        expect(alwaysValidHalfWidth(v, degrees * 1.1, 0.95)).toBeLessThan(half);
      }),
    );
  });
});
