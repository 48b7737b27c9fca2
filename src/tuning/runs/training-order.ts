import type { MeasuredAgain } from '../checkpoints/tuning.schema.js';
import type { TrainingInput, TrainingProgress, TrainingResult } from '../learning/training-contract.js';

/** What the thread of a run is asked for. */
export type TrainingOrder =
  | {
      readonly task: 'train';
      readonly input: TrainingInput;
      readonly saved?: Uint8Array;
      /** The share of one core that it may use. */
      readonly coreShare: number;
      /** Milliseconds between two saved states. */
      readonly saveMs: number;
    }
  | {
      readonly task: 'measure';
      readonly input: TrainingInput;
      readonly result: Pick<TrainingResult, 'model' | 'weight' | 'minSimilarity'>;
    };

export type TrainingMessage =
  | { readonly kind: 'progress'; readonly progress: TrainingProgress }
  | { readonly kind: 'saved'; readonly saved: Uint8Array; readonly progress: TrainingProgress }
  /** The saved state is of other settings or of another input. */
  | { readonly kind: 'began-again'; readonly why: string }
  | { readonly kind: 'result'; readonly result: TrainingResult }
  | { readonly kind: 'measured'; readonly measured: MeasuredAgain };
