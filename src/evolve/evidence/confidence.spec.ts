import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkOf } from '../../../test/support/checked-proposal.js';
import { confidenceOf } from './confidence.js';

const arm = (worked: number, n: number) => ({ worked, n });
const confidence = (taught: [number, number], other: [number, number]): number =>
  confidenceOf(checkOf('observed', { seen: { with: arm(...taught), without: arm(...other) } }));

describe('the confidence in a lesson', () => {
  it('grows with the tries, and is no certainty', () => {
    const found = [confidence([4, 4], [0, 1]), confidence([8, 8], [0, 4]), confidence([400, 400], [0, 400])];
    expect(found.map((one) => Math.round(one * 100))).toEqual([88, 94, 94]);
    expect(confidence([4, 4], [0, 1])).toBeLessThan(confidence([8, 8], [0, 4]));
  });

  it('is one half without any try, and if both sides work as often', () => {
    expect(confidence([0, 0], [0, 0])).toBe(0.5);
    expect(confidence([6, 9], [6, 9])).toBeCloseTo(0.5, 1);
  });

  it('takes what was never done otherwise for a coin toss, so that three successes alone are too few', () => {
    expect(confidence([3, 3], [0, 0])).toBeLessThan(0.8);
    expect(confidence([7, 8], [0, 0])).toBeGreaterThan(0.8);
  });

  it('falls with each failed try, and with each success of what is done otherwise', () => {
    const tries = fc.record({ worked: fc.nat(40), failed: fc.nat(40) });
    fc.assert(
      fc.property(tries, tries, (one, other) => {
        const base = confidence(
          [one.worked + 1, one.worked + one.failed + 1],
          [other.worked, other.worked + other.failed + 1],
        );
        const less = confidence(
          [one.worked, one.worked + one.failed + 1],
          [other.worked + 1, other.worked + other.failed + 1],
        );
        expect(base).toBeGreaterThanOrEqual(less);
      }),
    );
  });

  it('is that of the comparison that decides', () => {
    const check = checkOf('confirmed');
    const [deciding] = check.comparisons;
    if (!deciding) throw new Error('no comparison');
    const { with: taught, without } = deciding;
    expect(confidenceOf(check)).toBe(confidence([taught.worked, taught.n], [without.worked, without.n]));
  });
});
