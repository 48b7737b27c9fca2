import { readCorpus } from '../../recall/embedding/latent-corpus.js';
import { FIT_ROUNDS, type FitState, fitRound, latentDimensions, startFit } from '../../recall/embedding/latent-fit.js';
import { LatentModel, latentName } from '../../recall/embedding/latent-model.js';
import { floatsOf } from '../../recall/embedding/model-bytes.js';
import { Checkpoints } from './checkpoint.js';
import { decide } from './deploy-rule.js';
import { bestThreshold, bestWeight, WITHOUT_THRESHOLD, weightsFor } from './fusion-choice.js';
import { findSources, indexVectors, type VectorSystem } from './hybrid-search.js';
import { measure, prepareLabels } from './prepared-labels.js';
import { SeededRandom } from './seeded-random.js';
import { during, StagedTraining } from './staged-training.js';
import {
  type Training,
  type TrainingInput,
  TrainingMismatch,
  type TrainingProgress,
  type TrainingResult,
} from './training-contract.js';

const TEXTS_A_STEP = 50;

/** The only state that steps build on. What lies between two rounds is computed again after a resumption. */
interface BaseState {
  fit?: FitState;
}

/** Fits a latent base on the documents alone. Labels choose its weight and decide about its deployment. */
export function startBaseTraining(input: TrainingInput, saved?: Uint8Array): Training {
  const checkpoints = new Checkpoints(input, { rounds: FIT_ROUNDS });
  const state: BaseState = saved ? readState(checkpoints.read(saved)) : {};
  return new StagedTraining(run(input, state), () =>
    checkpoints.write(state.fit ? [Uint32Array.of(state.fit.round), state.fit.basis] : []),
  );
}

function readState([round, basis, ...rest]: readonly Uint8Array[]): BaseState {
  if (round === undefined && basis === undefined) return {};
  if (round?.byteLength !== 4 || basis === undefined || rest.length > 0)
    throw new TrainingMismatch('the checkpoint has no complete round');
  const [number = 0] = new Uint32Array(round.slice().buffer);
  return { fit: { round: number, basis: floatsOf(basis, Math.floor(basis.byteLength / 4)) } };
}

function* run(input: TrainingInput, state: BaseState): Generator<TrainingProgress, TrainingResult> {
  const labels = yield* during({ stage: 'split', done: 0, total: 2 }, prepareLabels(input));
  const corpus = yield* during({ stage: 'split', done: 1, total: 2 }, readCorpus(input.documents));
  const random = new SeededRandom(input.seed);
  let fit = state.fit ?? startFit(corpus, () => random.normal());
  while (fit.round < FIT_ROUNDS) {
    fit = yield* during({ stage: 'fit', done: fit.round, total: FIT_ROUNDS }, fitRound(corpus, fit));
    state.fit = fit;
    yield { stage: 'fit', done: fit.round, total: FIT_ROUNDS };
  }
  const model = LatentModel.of(corpus.terms, corpus.weights, fit.basis, latentDimensions(corpus));
  const bytes = model.write();
  const name = latentName(bytes, model.dimensions);
  const latent = yield* during({ stage: 'choose', done: 0, total: 2 }, latentSystem(model, input));
  const stop = yield* during(
    { stage: 'choose', done: 1, total: 2 },
    findSources(latent, labels.words, labels.split.stop),
  );
  const weight = bestWeight(stop, weightsFor(name), WITHOUT_THRESHOLD);
  yield { stage: 'choose', done: 2, total: 2 };
  const settings = { weight, minSimilarity: bestThreshold(stop, weight) };
  const served = yield* during({ stage: 'gate', done: 0, total: 2 }, measure(labels, labels.served, input.served));
  const after = yield* during({ stage: 'gate', done: 1, total: 2 }, measure(labels, latent, settings));
  yield { stage: 'gate', done: 2, total: 2 };
  const verdict = decide({ served, rivals: [], after, unchanged: false, seed: input.seed });
  return { model: bytes, name, dimensions: model.dimensions, ...settings, verdict };
}

/** The documents and queries of an input as a latent model places them. */
export function* latentSystem(model: LatentModel, { documents }: TrainingInput): Generator<void, VectorSystem> {
  const vectors: Float32Array[] = [];
  for (const [at, { text }] of documents.entries()) {
    vectors.push(model.embed(text));
    if (at % TEXTS_A_STEP === 0) yield;
  }
  const index = indexVectors(
    documents.map(({ id }) => id),
    vectors,
  );
  return { index, vectorOf: ({ text }) => model.embed(text) };
}
