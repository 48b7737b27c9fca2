import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { wilson } from '../statistics/wilson.js';
import { betterThanRepeatingEstimator, confidenceEstimator, failureRateEstimator } from './confidence.js';

/** Tries that follow the lesson; none without it, unless they are given. */
const tried = (successes: number, tries: number, without = wilson(0, 0)) => ({
  with: wilson(successes, tries),
  without,
});

describe('confidence', () => {
  it('stays within 0..1', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(300), fc.nat(20), fc.nat(20), (using, k, good, bad) => {
        const value = betterThanRepeatingEstimator.estimate({
          failing: 1 + (k % using),
          using,
          ...tried(good, good + bad),
        });
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('is high for a rare failure with a certain remedy', () => {
    const value = betterThanRepeatingEstimator.estimate({ failing: 10, using: 100, ...tried(16, 16) });
    expect(value).toBeGreaterThan(0.9);
  });

  it('uses the repeats after other failures of the kind if this failure was never repeated', () => {
    const of = (repeatingElsewhere = wilson(0, 0)) =>
      betterThanRepeatingEstimator.estimate({
        failing: 5,
        using: 5,
        ...tried(6, 9),
        otherRepeats: repeatingElsewhere,
      });
    expect(of()).toBeCloseTo(7 / 11);
    expect(of(wilson(1, 60))).toBeGreaterThan(0.9);
    expect(of(wilson(58, 60))).toBeLessThan(0.3);
    // A few repeats elsewhere move the estimate only a little.
    expect(of(wilson(0, 1))).toBeLessThan(0.8);
  });

  it('falls if the tries without the lesson work as often', () => {
    const of = (worked: number) =>
      betterThanRepeatingEstimator.estimate({ failing: 12, using: 12, ...tried(10, 12, wilson(worked, 12)) });
    expect(of(1)).toBeGreaterThan(0.95);
    expect(of(10)).toBeLessThan(0.6);
  });

  it('is low for a certain failure with an uncertain remedy', () => {
    const certain = { failing: 100, using: 100 };
    expect(betterThanRepeatingEstimator.estimate({ ...certain, ...tried(4, 5) })).toBeLessThan(0.8);
  });
});

describe('confidence by failure rate', () => {
  const of = (failing: number, using: number) =>
    failureRateEstimator.estimate({ failing, using, ...tried(3, 4, wilson(1, 9)) });

  it('is proportional to the failure rate: half of it, above one half', () => {
    expect([of(0, 10), of(4, 10), of(10, 10)]).toEqual([0.5, 0.7, 1]);
  });

  it('does not change with the success of the remedy', () => {
    const other = failureRateEstimator.estimate({ failing: 4, using: 10, ...tried(9, 9, wilson(9, 9)) });
    expect(other).toBe(of(4, 10));
  });

  it('is chosen by its name', () => {
    for (const name of ['better-than-repeating', 'failure-rate'] as const)
      expect(confidenceEstimator(name).name).toBe(name);
  });
});
