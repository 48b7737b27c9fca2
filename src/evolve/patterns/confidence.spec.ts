import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Counts } from '../evidence/counts.js';
import { wilson } from '../statistics/wilson.js';
import { betterThanRepeatingEstimator, failureRateEstimator } from './confidence.js';
import { type Contrast, contrastOf } from './contrast.js';

const none: Contrast = contrastOf('x', []);

function withRemedy(successes: number, tries: number): Contrast {
  const agents = Counts.of([0, 1]);
  const trial = { how: 'replace', coarse: 'y', fine: 'y', tries, successes, verified: 0, agents } as const;
  return contrastOf('x', [{ ...trial, successAgents: agents }]);
}

describe.each([failureRateEstimator, betterThanRepeatingEstimator])(
  'every confidence estimator: $name',
  (estimator) => {
    it('stays within 0..1 and inside its own interval', () => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(300), fc.nat(20), fc.nat(20), (using, k, good, bad) => {
          const contrast = withRemedy(good, good + bad);
          const { value, lower, upper } = estimator.estimate({ failing: 1 + (k % using), using, contrast });
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
          expect(lower).toBeLessThanOrEqual(value);
          expect(upper).toBeGreaterThanOrEqual(value);
        }),
      );
    });

    it('explains its value in words', () => {
      const { basis } = estimator.estimate({ failing: 4, using: 5, contrast: withRemedy(5, 5) });
      expect(basis).toContain('4 of 5 executions');
    });
  },
);

describe('confidence', () => {
  it('by failure rate is one half plus half the share of executions in which the action failed', () => {
    expect(failureRateEstimator.estimate({ failing: 3, using: 5, contrast: none }).value).toBeCloseTo(0.8);
    expect(failureRateEstimator.estimate({ failing: 5, using: 5, contrast: none }).value).toBe(1);
  });

  it('by failure rate ignores the remedy; by default, a rare failure with a certain remedy counts', () => {
    const rare = { failing: 10, using: 100 };
    const sure = withRemedy(16, 16);
    expect(failureRateEstimator.estimate({ ...rare, contrast: sure }).value).toBeCloseTo(0.55);
    expect(betterThanRepeatingEstimator.estimate({ ...rare, contrast: sure }).value).toBeGreaterThan(0.9);
  });

  it('uses the repeats after other failures of the kind if this failure was never repeated', () => {
    const of = (repeatingElsewhere = wilson(0, 0)) =>
      betterThanRepeatingEstimator.estimate({
        failing: 5,
        using: 5,
        contrast: withRemedy(6, 9),
        otherRepeats: repeatingElsewhere,
      });
    expect(of().value).toBeCloseTo(7 / 11);
    expect(of(wilson(1, 60)).value).toBeGreaterThan(0.9);
    expect(of(wilson(58, 60)).value).toBeLessThan(0.3);
    // A few repeats elsewhere move the estimate only a little.
    expect(of(wilson(0, 1)).value).toBeLessThan(0.8);
    expect(of(wilson(1, 60)).basis).toContain('after other failures in 1 of 60');
  });

  it('is low for a certain failure with an uncertain remedy, and 0 without a remedy', () => {
    const certain = { failing: 100, using: 100 };
    expect(betterThanRepeatingEstimator.estimate({ ...certain, contrast: withRemedy(4, 5) }).value).toBeLessThan(0.8);
    expect(betterThanRepeatingEstimator.estimate({ ...certain, contrast: none }).value).toBe(0);
  });
});
