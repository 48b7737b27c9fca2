import type { ConfidenceEstimate, ConfidenceEstimator, ConfidenceInput } from './confidence.js';
import type { Pattern } from './pattern.js';
import type { RepeatRates } from './repeat-rates.js';

/** Returns the confidence in a pattern, or in several merged ones. */
export type EstimateFunction = (
  pattern: Pattern,
  merged?: Pick<ConfidenceInput, 'failing' | 'using' | 'contrast'>,
) => ConfidenceEstimate;

export function estimateFunction(estimator: ConfidenceEstimator, repeating: RepeatRates): EstimateFunction {
  return (pattern, merged) =>
    estimator.estimate({
      ...(merged ?? {
        failing: pattern.evidence.executionIds.size,
        using: pattern.using,
        contrast: pattern.contrast,
      }),
      otherRepeats: repeating.excluding(pattern),
    });
}
