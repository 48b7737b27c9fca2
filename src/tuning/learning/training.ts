import { SeededRandom } from '../../platform/base/seeded-random.js';
import { type CorpusDocument, readCorpus } from '../../recall/embedding/latent-corpus.js';
import { FIT_ROUNDS, fitRound, latentDimensions, startFit } from '../../recall/embedding/latent-fit.js';
import { LatentModel, latentName } from '../../recall/embedding/latent-model.js';
import { decide, gainsOver, type Measured } from './deploy-rule.js';
import {
  type FusionSettings,
  findSources,
  findWords,
  hybridQualities,
  indexVectors,
  indexWords,
  type Sources,
  type VectorSystem,
  type WordHits,
} from './hybrid-search.js';
import { type LabelSplit, splitLabels } from './label-split.js';
import { meanOf } from './ranking-quality.js';
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

/** Of the vectors, beside 1 for the words. The last lets the vectors decide; words add what they miss. */
const CANDIDATES = [0.002, 0.1, 0.3, 1, 3, 500];
/** Cosines below which a stored vector is no match. */
const THRESHOLDS = [0.3, 0.25, 0.2, 0.15, 0.1, 0.05];
/** nDCG@10 that the choice may cost the newest documents. */
const MAX_LOSS = 0.005;
/** nDCG@10 on the stop queries that is noise: of weights so close, the smaller one changes less of what is served. */
const SAME = 0.005;
const MAX_THRESHOLD_LOSS = 0.001;
/** Before a threshold is chosen. */
const LOWEST_THRESHOLD = THRESHOLDS.at(-1) ?? 0;

/** What is found for the newest documents, as it is served and by the candidate. */
interface ProbeChoice {
  readonly before: readonly Sources[];
  readonly served: FusionSettings;
  readonly after: readonly Sources[];
}

/**
 * Chooses weight and threshold on the stop queries: of the weights with which the newest documents lose little, the
 * smallest one that answers as well as the best. Without such a weight, the smallest one.
 */
export function* chooseSettings(stop: readonly Sources[], probe: ProbeChoice): Generator<void, FusionSettings> {
  const floor = (yield* qualityOf(probe.before, probe.served)) - MAX_LOSS;
  const scored: { weight: number; score: number }[] = [];
  for (const weight of CANDIDATES) {
    const settings = { weight, minSimilarity: LOWEST_THRESHOLD };
    const isHarmless = (yield* qualityOf(probe.after, settings)) >= floor;
    if (isHarmless) scored.push({ weight, score: yield* qualityOf(stop, settings) });
  }
  const best = Math.max(...scored.map(({ score }) => score));
  const { weight = CANDIDATES[0] ?? 0 } = scored.find(({ score }) => score >= best - SAME) ?? {};
  return { weight, minSimilarity: yield* chooseThreshold(stop, weight) };
}

/** The highest threshold that costs the stop queries nothing: below it, what is near is near by chance. */
function* chooseThreshold(stop: readonly Sources[], weight: number): Generator<void, number> {
  const floor = (yield* qualityOf(stop, { weight, minSimilarity: LOWEST_THRESHOLD })) - MAX_THRESHOLD_LOSS;
  for (const minSimilarity of THRESHOLDS)
    if ((yield* qualityOf(stop, { weight, minSimilarity })) >= floor) return minSimilarity;
  return LOWEST_THRESHOLD;
}

function* qualityOf(sources: readonly Sources[], settings: FusionSettings): Generator<void, number> {
  return meanOf(yield* hybridQualities(sources, settings));
}

/** The split, and what does not change during a training: what the words find, and what is served. */
interface PreparedLabels {
  readonly split: LabelSplit;
  readonly words: WordHits;
  readonly served: VectorSystem;
}

function* prepareLabels(input: TrainingInput): Generator<void, PreparedLabels> {
  const split = splitLabels(input);
  yield;
  const index = yield* indexWords(input.documents);
  const { stop, gate, probeChoice, probe } = split;
  const words = yield* findWords(index, [...stop, ...gate, ...probeChoice, ...probe]);
  const stored = input.documents.map(({ vector }) => vector);
  yield;
  return { split, words, served: { index: indexVectors(input.documents, stored), vectorOf: ({ vector }) => vector } };
}

/** What a system finds for the queries that decide. */
interface DecidingSources {
  readonly gate: readonly Sources[];
  readonly probe: readonly Sources[];
}

/** Asks the queries that decide; those of the probe ask another system, if one is given. */
function* askDeciding(
  { split, words }: PreparedLabels,
  system: VectorSystem,
  ofProbe = system,
): Generator<void, DecidingSources> {
  const gate = yield* findSources(system, words, split.gate);
  const probe = yield* findSources(ofProbe, words, split.probe);
  return { gate, probe };
}

function* measure({ gate, probe }: DecidingSources, settings: FusionSettings): Generator<void, Measured> {
  const [ofGate, ofProbe] = [yield* hybridQualities(gate, settings), yield* hybridQualities(probe, settings)];
  return {
    gate: { qualities: ofGate, groups: gate.map(groupOf) },
    probe: { qualities: ofProbe, groups: probe.map(groupOf) },
  };
}

/** Queries of one document are drawn together. */
const groupOf = ({ split }: Sources): string => split.relevant[0] ?? '';

/** Reports a progress after each step of a part of the work. */
function* during<T>(progress: TrainingProgress, part: Generator<void, T>): Generator<TrainingProgress, T> {
  for (;;) {
    const { done, value } = part.next();
    if (done) return value;
    yield progress;
  }
}

/** Runs a part of the work to its end. */
export function finish<T>(part: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = part.next();
    if (done) return value;
  }
}
