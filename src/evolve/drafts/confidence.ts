import { priorAround, probabilityOfBetter } from '../statistics/probability.js';
import { type Proportion, wilson } from '../statistics/wilson.js';

/** What an estimator may read, in executions of the window. */
export interface ConfidenceInput {
  /** Executions in which the failure occurred. */
  failing: number;
  /** Executions that used the action, whether it failed or not. */
  using: number;
  /** Tries that follow the lesson, and tries that do not. */
  with: Proportion;
  without: Proportion;
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

/** Strategy: estimates the confidence in a lesson. */
export interface ConfidenceEstimator {
  readonly name: string;
  estimate(input: ConfidenceInput): ConfidenceEstimate;
}

/**
 * The probability that the remedy works better than the tries without it; the better estimator in the benchmarks. A
 * rare failure with a certain remedy counts in full, and a certain failure with a remedy seen three times does not. If
 * hardly anything was tried without it, repeats after other failures of the kind give the prior. The interval is that of
 * the remedy's own success rate, extended to the value.
 */
export const betterThanRepeatingEstimator: ConfidenceEstimator = {
  name: 'better-than-repeating',
  estimate({ failing, using, with: chosen, without: repeat, otherRepeats: repeatingElsewhere }) {
    const elsewhere = repeatingElsewhere ?? wilson(0, 0);
    const value = probabilityOfBetter(chosen, repeat, priorAround(elsewhere));
    const { successes, n } = chosen;
    return {
      value,
      lower: Math.min(value, chosen.lower),
      upper: Math.max(value, chosen.upper),
      basis: `worked in ${successes} of ${n} tries, without it in ${repeat.successes} of ${repeat.n}, repeating after other failures in ${elsewhere.successes} of ${elsewhere.n}; the failure met ${failing} of ${Math.max(using, failing)} executions that used the action`,
    };
  },
};

/**
 * Proportional to the failure rate: 0.5 + 0.5 × the share of executions that met the failure, among those that used the
 * action. The first estimator of the reference. It says nothing of the remedy, which other gates require.
 */
export const failureRateEstimator: ConfidenceEstimator = {
  name: 'failure-rate',
  estimate({ failing, using, with: { successes, n } }) {
    const { rate, lower, upper } = wilson(failing, Math.max(using, failing));
    const confidenceAt = (share: number): number => 0.5 + 0.5 * share;
    return {
      value: confidenceAt(rate),
      lower: confidenceAt(lower),
      upper: confidenceAt(upper),
      basis: `the failure met ${failing} of ${Math.max(using, failing)} executions that used the action; the remedy worked in ${successes} of ${n} tries`,
    };
  },
};

const ESTIMATORS = [betterThanRepeatingEstimator, failureRateEstimator] as const;

/** The names by which an operator chooses an estimator. */
export type EstimatorName = 'better-than-repeating' | 'failure-rate';

/** Throws RangeError for an unknown name. */
export function confidenceEstimator(name: EstimatorName): ConfidenceEstimator {
  const found = ESTIMATORS.find((one) => one.name === name);
  if (!found) throw new RangeError(`there is no confidence estimator ${name}`);
  return found;
}
