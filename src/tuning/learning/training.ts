import { SeededRandom } from '../../platform/base/seeded-random.js';
import { type CorpusDocument, readCorpus } from '../../recall/embedding/latent-corpus.js';
import { FIT_ROUNDS, fitRound, latentDimensions, startFit } from '../../recall/embedding/latent-fit.js';
import { LatentModel, latentName } from '../../recall/embedding/latent-model.js';
import { decide, gainsOver } from './deploy-rule.js';
import { chooseSettings } from './fusion-choice.js';
import { findSources, indexVectors, type VectorSystem } from './hybrid-search.js';
import { askDeciding, measure, prepareLabels } from './prepared-labels.js';
import { during, finish } from './steps.js';
import type { Training, TrainingInput, TrainingProgress, TrainingResult } from './training-contract.js';

const TEXTS_A_STEP = 10;
/** That on all documents, which is served, and the one without the newest, which the probe asks. */
const FITS = 2;

/** Fits a latent base on the documents alone. Labels choose its weight and decide about its deployment. */
export function* train(input: TrainingInput): Training {
  const labels = yield* during({ stage: 'split', done: 0, total: 1 }, prepareLabels(input));
  const { split, words } = labels;
  const model = yield* fitModel(input, input.documents, 0);
  const earlier = input.documents.filter(({ id }) => !split.unseen.has(id));
  const earlierModel = yield* fitModel(input, earlier, 1);
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
  const settings = yield* during(stage(4), chooseSettings(stop, probe));
  const gate = (done: number): TrainingProgress => ({ stage: 'gate', done, total: 2 });
  const before = yield* during(gate(0), askDeciding(labels, labels.served));
  const served = yield* during(gate(0), measure(before, input.served));
  const candidate = yield* during(gate(1), askDeciding(labels, latent, foldedIn));
  const after = yield* during(gate(1), measure(candidate, settings));
  yield gate(2);
  return { model: bytes, name, dimensions: model.dimensions, ...settings, verdict: decide(served, after, input.seed) };
}

function* fitModel(
  { seed, foreign }: TrainingInput,
  documents: readonly CorpusDocument[],
  number: number,
): Generator<TrainingProgress, LatentModel> {
  const progress = (round: number): TrainingProgress => ({
    stage: 'fit',
    done: number * FIT_ROUNDS + round,
    total: FITS * FIT_ROUNDS,
  });
  const corpus = yield* during(progress(0), readCorpus([...documents, ...foreign]));
  const random = new SeededRandom(seed);
  const start = startFit(corpus, () => random.normal());
  let fit = yield* during(progress(0), start);
  while (fit.round < FIT_ROUNDS) fit = yield* during(progress(fit.round), fitRound(corpus, fit));
  return LatentModel.of(corpus.terms, corpus.weights, fit.basis, latentDimensions(corpus));
}

/** The documents and queries of an input as a latent model places them. */
function* latentSystem(model: LatentModel, { documents }: TrainingInput): Generator<void, VectorSystem> {
  const vectors: Float32Array[] = [];
  for (const [at, { text }] of documents.entries()) {
    vectors.push(model.embed(text));
    if (at % TEXTS_A_STEP === 0) yield;
  }
  return { index: indexVectors(documents, vectors), vectorOf: ({ text }) => model.embed(text) };
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
  const system = finish(latentSystem(LatentModel.read(result.model), input));
  const before = finish(measure(finish(askDeciding(labels, labels.served)), input.served));
  return gainsOver(before, finish(measure(finish(askDeciding(labels, system)), result)));
}
