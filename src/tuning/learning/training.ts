import { LatentModel } from '../../recall/embedding/latent-model.js';
import { QueryMap } from '../../recall/embedding/query-map.js';
import { startAdapterTraining } from './adapter-training.js';
import { latentSystem, startBaseTraining } from './base-training.js';
import { gainsOver } from './deploy-rule.js';
import { askDeciding, mappedSystem, measure, prepareLabels } from './prepared-labels.js';
import { finish } from './staged-training.js';
import type { Training, TrainingInput, TrainingResult } from './training-contract.js';

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
  const labels = finish(prepareLabels(input));
  const system =
    input.kind === 'base'
      ? finish(latentSystem(LatentModel.read(result.model), input))
      : mappedSystem(labels.served.index, QueryMap.read(result.model));
  const before = finish(measure(finish(askDeciding(labels, labels.served)), input.served));
  const { gate, probe } = gainsOver(before, finish(measure(finish(askDeciding(labels, system)), result)));
  return { gateGain: gate, probeGain: probe };
}
