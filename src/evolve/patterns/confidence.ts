import { priorAround, probabilityOfBetter } from '../statistics/probability.js';
import { type Proportion, wilson } from '../statistics/wilson.js';
import type { Contrast } from './contrast.js';

/** What an estimator may read, in executions of the window. */
export interface ConfidenceInput {
  /** Executions in which the failure occurred. */
  failing: number;
  /** Executions that used the action, whether it failed or not. */
  using: number;
  contrast: Contrast;
  /** How often repeating worked after other failures of this kind. */
  otherRepeats?: Proportion;
}

export interface ConfidenceEstimate {
  /** 0..1. Orders the queue and limits what is proposed; it never approves. */
  value: number;
  lower: number;
  upper: number;
  /** How the value was computed, in words for the reviewer. */
  basis: string;
}

/** Strategy: estimates the confidence in a pattern. The benchmarks can measure another one against the default. */
export interface ConfidenceEstimator {
  readonly name: string;
  estimate(input: ConfidenceInput): ConfidenceEstimate;
}

/**
 * The estimator of the reference system: 0.5 + 0.5 × the share of executions with the failure among those that used the
 * action. The point estimate decides; its 95 % interval is shown.
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
 * The probability that the remedy works better than repeating the action; the better estimator in the benchmarks. A
 * rare failure with a certain remedy counts in full, and a certain failure with a remedy seen three times does not. No
 * owner's tries count more than those of all others together. If
 * the action was hardly ever repeated, repeats after other failures of the kind give the prior. Without a remedy, the
 * confidence is 0. The interval is that of the remedy's own success rate, extended to the value.
 */
export const betterThanRepeatingEstimator: ConfidenceEstimator = {
  name: 'better-than-repeating',
  estimate({ failing, using, contrast, otherRepeats: repeatingElsewhere }) {
    const { chosen, repeat } = contrast;
    if (!chosen) return { value: 0, lower: 0, upper: 1, basis: 'nothing that was tried worked well enough' };
    const elsewhere = repeatingElsewhere ?? wilson(0, 0);
    const counted = contrast.perOwner ?? { chosen: chosen.outcome, repeat };
    const value = probabilityOfBetter(counted.chosen, counted.repeat, priorAround(elsewhere));
    const { successes, n } = chosen.outcome;
    return {
      value,
      lower: Math.min(value, chosen.outcome.lower),
      upper: Math.max(value, chosen.outcome.upper),
      basis: `worked in ${successes} of ${n} tries, repeating in ${repeat.successes} of ${repeat.n}, after other failures in ${elsewhere.successes} of ${elsewhere.n}; the failure met ${failing} of ${Math.max(using, failing)} executions that used the action`,
    };
  },
};
