import type { Contrast } from './contrast.js';
import { wilson } from './wilson.js';

/** What an estimator may look at. Units: executions of the window. */
export interface ConfidenceInput {
  /** Executions in which the failure occurred. */
  failing: number;
  /** Executions that used the action in that setting, whether it failed or not. */
  using: number;
  contrast: Contrast;
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
 * Lets a rare failure with a sure remedy count, where the failure rate alone gives it nothing: 0.5 + 0.5 × (1 − (1 −
 * rate) × (1 − gain)), the gain being the lower bound of the remedy's success rate minus the rate of repeating. Not the
 * default: whether it is better is for the benchmarks to say (spec E1.5).
 */
export const sureRemedyEstimator: ConfidenceEstimator = {
  name: 'sure-remedy',
  estimate(input) {
    const base = failureRateEstimator.estimate(input);
    const { chosen, repeat } = input.contrast;
    const gain = chosen ? Math.max(0, chosen.outcome.lower - repeat.rate) : 0;
    const raise = (value: number): number => 1 - (1 - value) * (1 - gain);
    return {
      value: raise(base.value),
      lower: raise(base.lower),
      upper: raise(base.upper),
      basis: `${base.basis}; the remedy is better than repeating by at least ${Math.round(gain * 100)} points`,
    };
  },
};
