import { priorAround, probabilityOfBetter } from '../statistics/probability.js';
import { type Proportion, wilson } from '../statistics/wilson.js';
import type { Contrast } from './contrast.js';

/** What an estimator may look at. Units: executions of the window. */
export interface ConfidenceInput {
  /** Executions in which the failure occurred. */
  failing: number;
  /** Executions that used the action in that setting, whether it failed or not. */
  using: number;
  contrast: Contrast;
  /** How doing the same again went after other failures like this one. */
  otherRepeats?: Proportion;
}

export interface ConfidenceEstimate {
  /** 0..1; orders the queue and guards promotion, never approves (spec E1.5). */
  value: number;
  lower: number;
  upper: number;
  /** What the figure is made of, in words for the reviewer. */
  basis: string;
}

/** Strategy: how sure a pattern is. Another one can be measured against the default by the benchmarks. */
export interface ConfidenceEstimator {
  readonly name: string;
  estimate(input: ConfidenceInput): ConfidenceEstimate;
}

/**
 * Proportional to the failure rate (spec E1.5): 0.5 + 0.5 × rate, the rate being the share of executions in which the
 * failure occurred among those that used the action. The point estimate decides; its 95 % interval is shown.
 */
export const failureRateEstimator: ConfidenceEstimator = {
  name: 'failure-rate',
  estimate({ failing, using }) {
    const share = wilson(failing, Math.max(using, failing));
    const scale = (rate: number): number => 0.5 + 0.5 * rate;
    return {
      value: scale(share.rate),
      lower: scale(share.lower),
      upper: scale(share.upper),
      basis: `failed in ${share.successes} of ${share.n} executions that used it`,
    };
  },
};

/**
 * How probable it is that the remedy works better than doing the same again, from what was tried (spec E1.5: the better
 * estimator of the benchmarks). A rare failure with a sure remedy counts in full, and a certain failure whose remedy was
 * seen three times does not. Where nobody, or hardly anybody, did the same again, how that goes after other failures of the
 * kind says what to expect of it. Without a remedy there is nothing to be sure of. The interval is that of the remedy's own
 * success rate against the rate of repeating.
 */
export const betterThanRepeatingEstimator: ConfidenceEstimator = {
  name: 'better-than-repeating',
  estimate({ failing, using, contrast, otherRepeats: repeatingElsewhere }) {
    const { chosen, repeat } = contrast;
    if (!chosen) return { value: 0, lower: 0, upper: 1, basis: 'nothing that was tried worked well enough' };
    const elsewhere = repeatingElsewhere ?? wilson(0, 0);
    const value = probabilityOfBetter(chosen.outcome, repeat, priorAround(elsewhere));
    const { successes, n } = chosen.outcome;
    return {
      value,
      lower: Math.min(value, chosen.outcome.lower),
      upper: Math.max(value, chosen.outcome.upper),
      basis: `worked in ${successes} of ${n} tries, repeating in ${repeat.successes} of ${repeat.n}, after other failures in ${elsewhere.successes} of ${elsewhere.n}; the failure met ${failing} of ${Math.max(using, failing)} executions that used the action`,
    };
  },
};
