import { LatentModel } from '../../recall/embedding/latent-model.js';
import { QueryMap } from '../../recall/embedding/query-map.js';
import { latentSystem } from './base-training.js';
import { gainsOver } from './deploy-rule.js';
import { askDeciding, mappedSystem, measure, prepareLabels } from './prepared-labels.js';
import { finish } from './staged-training.js';
import type { TrainingInput, TrainingResult } from './training-contract.js';

export function measureResult(
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
