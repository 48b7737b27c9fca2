import type { MeasuredAgain } from '../checkpoints/tuning.schema.js';
import type { TrainingInput, TrainingProgress, TrainingResult } from '../learning/training-contract.js';

/** What the thread of a run is asked for: to train, or with a `result` to measure that one again. */
export interface TrainingOrder {
  readonly input: TrainingInput;
  readonly result?: Pick<TrainingResult, 'model' | 'weight' | 'minSimilarity'>;
  /** The share of one core that a training may use. */
  readonly coreShare: number;
}

export type TrainingMessage =
  | { readonly kind: 'progress'; readonly progress: TrainingProgress }
  | { readonly kind: 'result'; readonly result: TrainingResult }
  | { readonly kind: 'measured'; readonly measured: MeasuredAgain };
