import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ConfidenceEstimator, failureRateEstimator, sureRemedyEstimator } from './confidence.js';
import { type Contrast, contrastOf } from './contrast.js';

const none: Contrast = contrastOf('x', []);

function withRemedy(successes: number, tries: number): Contrast {
  const agents = new Set(['a', 'b']);
  const trial = { how: 'replace', coarse: 'y', fine: 'y', tries, successes, verified: 0, agents } as const;
  return contrastOf('x', [{ ...trial, successAgents: agents }]);
}

describe.each([failureRateEstimator, sureRemedyEstimator])(
  'every confidence estimator: $name',
  (estimator: ConfidenceEstimator) => {
    it('stays between one half and one, inside its own interval, and grows with the failure rate', () => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(300), (using, k) => {
          const failing = 1 + (k % using);
          const estimate = estimator.estimate({ failing, using, contrast: none });
          expect(estimate.value).toBeGreaterThanOrEqual(0.5);
          expect(estimate.value).toBeLessThanOrEqual(1);
          expect(estimate.lower).toBeLessThanOrEqual(estimate.value);
          expect(estimate.upper).toBeGreaterThanOrEqual(estimate.value);
          const rarer = estimator.estimate({ failing, using: using + 10, contrast: none });
          expect(rarer.value).toBeLessThan(estimate.value);
        }),
      );
    });

    it('says in words what its figure is made of', () => {
      expect(estimator.estimate({ failing: 4, using: 5, contrast: none }).basis).toContain('4 of 5 executions');
    });
  },
);

describe('confidence', () => {
  it('is one half plus half the share of executions in which the action failed', () => {
    expect(failureRateEstimator.estimate({ failing: 3, using: 5, contrast: none }).value).toBeCloseTo(0.8);
    expect(failureRateEstimator.estimate({ failing: 5, using: 5, contrast: none }).value).toBe(1);
  });

  it('by failure rate ignores the remedy; with it, a rare failure with a sure remedy counts', () => {
    const rare = { failing: 10, using: 100 };
    const sure = withRemedy(16, 16);
    expect(failureRateEstimator.estimate({ ...rare, contrast: sure }).value).toBeCloseTo(0.55);
    expect(sureRemedyEstimator.estimate({ ...rare, contrast: sure }).value).toBeGreaterThan(0.8);
    expect(sureRemedyEstimator.estimate({ ...rare, contrast: withRemedy(3, 6) }).value).toBeLessThan(0.8);
    expect(sureRemedyEstimator.estimate({ ...rare, contrast: none }).value).toBeCloseTo(0.55);
  });
});
