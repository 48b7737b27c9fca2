import { describe, expect, it } from '@jest/globals';
import { signTest } from './exact-tests.js';

describe('the exact sign test', () => {
  it.each([
    // Twice the tail of Pascal's triangle.
    [6, 0, 2 / 64],
    [5, 0, 2 / 32],
    [7, 1, (2 * 9) / 256],
    [1, 9, (2 * 11) / 1_024],
    [3, 3, 1],
    [4, 3, 1],
    [0, 0, 1],
  ])('%d better and %d worse', (better, worse, p) => {
    expect(signTest(better, worse)).toBeCloseTo(p, 12);
  });

  it('needs ten of ten for p below 0.002', () => {
    expect(signTest(9, 0)).toBeGreaterThan(0.002);
    expect(signTest(10, 0)).toBeLessThan(0.002);
  });
});
