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
  otherRepeats?: Pick<Proportion, 'successes' | 'n'>;
}

/** Strategy: estimates the confidence in a lesson, 0..1. It limits what is proposed, and never approves. */
export interface ConfidenceEstimator {
  readonly name: string;
  estimate(input: ConfidenceInput): number;
}

const NO_REPEATS = { successes: 0, n: 0 };

/**
 * The probability that the remedy works better than the tries without it; the better estimator in the benchmarks. A
 * rare failure with a certain remedy counts in full, and a certain failure with a remedy seen three times does not. If
 * hardly anything was tried without it, repeats after other failures of the kind give the prior.
 */
export const betterThanRepeatingEstimator: ConfidenceEstimator = {
  name: 'better-than-repeating',
  estimate: ({ with: chosen, without, otherRepeats = NO_REPEATS }) =>
    probabilityOfBetter(chosen, without, priorAround(otherRepeats)),
};

/**
 * Proportional to the failure rate: 0.5 + 0.5 × the share of executions that met the failure, among those that used the
 * action. The first estimator of the reference. It says nothing of the remedy, which other gates require.
 */
export const failureRateEstimator: ConfidenceEstimator = {
  name: 'failure-rate',
  estimate: ({ failing, using }) => 0.5 + 0.5 * wilson(failing, Math.max(using, failing)).rate,
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
