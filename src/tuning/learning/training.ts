import { startAdapterTraining } from './adapter-training.js';
import { startBaseTraining } from './base-training.js';
import { measureResult } from './measure-result.js';
import type { Training, TrainingInput, TrainingResult } from './training-contract.js';

export type {
  LabelledQuery,
  Training,
  TrainingDocument,
  TrainingInput,
  TrainingKind,
  TrainingProgress,
  TrainingResult,
  Verdict,
} from './training-contract.js';
export { TrainingMismatch } from './training-contract.js';

export function startTraining(input: TrainingInput): Training {
  return input.kind === 'base' ? startBaseTraining(input) : startAdapterTraining(input);
}

/**
 * Continues from the bytes of `save`. Throws TrainingMismatch if they are damaged, of other settings or of another
 * input.
 */
export function resumeTraining(input: TrainingInput, saved: Uint8Array): Training {
  return input.kind === 'base' ? startBaseTraining(input, saved) : startAdapterTraining(input, saved);
}

/**
 * The gains of a deployed result over `input.served`, on the gate and the probe of its training. `input` is the input of
 * the training, read again: served is what the result replaced, and the vectors are by that embedder.
 */
export function measureAgain(
  input: TrainingInput,
  result: Pick<TrainingResult, 'model' | 'weight' | 'minSimilarity'>,
): { readonly gateGain: number; readonly probeGain: number } {
  return measureResult(input, result);
}
