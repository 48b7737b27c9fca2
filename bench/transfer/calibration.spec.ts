import { describe, expect, it } from '@jest/globals';
import { checkOf } from '../../test/support/checked-proposal.js';
import { calibrationOf, type HeldCandidate } from './calibration.js';

type Pair = HeldCandidate['held'];
const arm = (worked: number, n: number) => ({ worked, n });
const candidate = (seen: Pair, held: Pair): HeldCandidate => ({ key: 'k', check: checkOf('observed', { seen }), held });

const SURE = { with: arm(20, 20), without: arm(0, 20) };
const UNSURE = { with: arm(3, 5), without: arm(1, 2) };

describe('the calibration of confidence', () => {
  it('compares what candidates state with the share that holds on the other half', () => {
    const better = { with: arm(9, 10), without: arm(2, 9) };
    const worse = { with: arm(2, 10), without: arm(5, 9) };
    expect(calibrationOf([candidate(SURE, better), candidate(UNSURE, better), candidate(UNSURE, worse)])).toMatchObject(
      [
        { from: 0, to: 0.7, n: 2, holds: { rate: 0.5 } },
        { from: 0.9, to: 1, n: 1, stated: 0.94, holds: { rate: 1 } },
      ],
    );
  });

  it('asks for more than half where nothing else was done', () => {
    const alone = (worked: number) => calibrationOf([candidate(SURE, { with: arm(worked, 4), without: arm(0, 0) })]);
    expect([2, 3].map((worked) => alone(worked)[0]?.holds.rate)).toEqual([0, 1]);
  });

  it('leaves out candidates that hardly anyone tried there', () => {
    expect(calibrationOf([candidate(SURE, { with: arm(2, 2), without: arm(0, 5) })])).toEqual([]);
  });
});
