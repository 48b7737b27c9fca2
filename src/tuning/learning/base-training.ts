import { SeededRandom } from '../../platform/base/seeded-random.js';
import { readCorpus } from '../../recall/embedding/latent-corpus.js';
import { FIT_ROUNDS, type FitState, fitRound, latentDimensions, startFit } from '../../recall/embedding/latent-fit.js';
import { LatentModel, latentName } from '../../recall/embedding/latent-model.js';
import { floatsOf } from '../../recall/embedding/model-bytes.js';
import { Checkpoints } from './checkpoint.js';
import { decide } from './deploy-rule.js';
import { chooseSettings, weightsFor } from './fusion-choice.js';
import { findSources, indexVectors, type VectorSystem } from './hybrid-search.js';
import { askDeciding, measure, prepareLabels } from './prepared-labels.js';
import { during, StagedTraining } from './staged-training.js';
import {
  type Training,
  type TrainingDocument,
  type TrainingInput,
  TrainingMismatch,
  type TrainingProgress,
  type TrainingResult,
} from './training-contract.js';

const TEXTS_A_STEP = 10;

/**
 * The fit on all documents, which is served, and the one without the newest, which the probe asks. What lies between two
 * rounds is computed again after a resumption.
 */
interface BaseState {
  readonly fits: FitState[];
}
const FITS = 2;

/** Fits a latent base on the documents alone. Labels choose its weight and decide about its deployment. */
export function startBaseTraining(input: TrainingInput, saved?: Uint8Array): Training {
  const checkpoints = new Checkpoints(input, { rounds: FIT_ROUNDS });
  const state: BaseState = { fits: saved ? readFits(checkpoints.read(saved)) : [] };
  return new StagedTraining(run(input, state), () =>
    checkpoints.write(state.fits.flatMap(({ round, basis }) => [Uint32Array.of(round), basis])),
  );
}

function readFits(parts: readonly Uint8Array[]): FitState[] {
  if (parts.length % 2 !== 0 || parts.length > 2 * FITS)
    throw new TrainingMismatch(`a checkpoint of a base cannot have ${parts.length} parts`);
  return Array.from({ length: parts.length / 2 }, (_, fit) => {
    const [round, basis] = [parts[2 * fit], parts[2 * fit + 1]];
    const [number = 0] = new Uint32Array(round?.slice().buffer ?? new ArrayBuffer(0));
    return { round: number, basis: floatsOf(basis, Math.floor((basis?.byteLength ?? 0) / 4)) };
  });
}

function* run(input: TrainingInput, state: BaseState): Generator<TrainingProgress, TrainingResult> {
  const labels = yield* during({ stage: 'split', done: 0, total: 1 }, prepareLabels(input));
  const { split, words } = labels;
  const model = yield* fitModel(input, input.documents, state, 0);
  const earlier = input.documents.filter(({ id }) => !split.unseen.has(id));
  const earlierModel = yield* fitModel(input, earlier, state, 1);
  const stage = (done: number): TrainingProgress => ({ stage: 'choose', done, total: 4 });
  const latent = yield* during(stage(0), latentSystem(model, input));
  const foldedIn = yield* during(stage(1), latentSystem(earlierModel, input));
  const stop = yield* during(stage(2), findSources(latent, words, split.stop));
  const probe = {
    before: yield* during(stage(3), findSources(labels.served, words, split.probeChoice)),
    served: input.served,
    after: yield* during(stage(3), findSources(foldedIn, words, split.probeChoice)),
  };
  const bytes = model.write();
  const name = latentName(bytes, model.dimensions);
  const settings = yield* during(stage(4), chooseSettings(weightsFor(name), stop, probe));
  const gate = (done: number): TrainingProgress => ({ stage: 'gate', done, total: 2 });
  const before = yield* during(gate(0), askDeciding(labels, labels.served));
  const served = yield* during(gate(0), measure(before, input.served));
  const candidate = yield* during(gate(1), askDeciding(labels, latent, foldedIn));
  const after = yield* during(gate(1), measure(candidate, settings));
  yield gate(2);
  const verdict = decide({ served, rivals: [], after, unchanged: false, seed: input.seed });
  return { model: bytes, name, dimensions: model.dimensions, ...settings, verdict };
}

function* fitModel(
  { seed }: TrainingInput,
  documents: readonly TrainingDocument[],
  { fits }: BaseState,
  number: number,
): Generator<TrainingProgress, LatentModel> {
  const progress = (round: number): TrainingProgress => ({
    stage: 'fit',
    done: number * FIT_ROUNDS + round,
    total: FITS * FIT_ROUNDS,
  });
  const corpus = yield* during(progress(fits[number]?.round ?? 0), readCorpus(documents));
  const random = new SeededRandom(seed);
  let fit =
    fits[number] ??
    (yield* during(
      progress(0),
      startFit(corpus, () => random.normal()),
    ));
  if (fit.basis.length !== corpus.terms.length * latentDimensions(corpus))
    throw new TrainingMismatch('the checkpoint has a basis of another size');
  while (fit.round < FIT_ROUNDS) {
    fit = yield* during(progress(fit.round), fitRound(corpus, fit));
    fits[number] = fit;
    yield progress(fit.round);
  }
  return LatentModel.of(corpus.terms, corpus.weights, fit.basis, latentDimensions(corpus));
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
