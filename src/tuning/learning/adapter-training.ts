import { SeededRandom } from '../../platform/base/seeded-random.js';
import { adaptedName } from '../../recall/embedding/adapted-embedder.strategy.js';
import { type MapShape, QueryMap } from '../../recall/embedding/query-map.js';
import { type AdapterState, type BestMap, readState, writeState } from './adapter-state.js';
import { Checkpoints } from './checkpoint.js';
import { CONTRASTIVE_SETTINGS, ContrastiveTraining, type Pair } from './contrastive-training.js';
import { decide } from './deploy-rule.js';
import { chooseSettings, chooseWeight, weightsFor } from './fusion-choice.js';
import { type FusionSettings, findSources, type Sources, vectorQuality } from './hybrid-search.js';
import { askDeciding, mappedSystem, measure, type PreparedLabels, prepareLabels } from './prepared-labels.js';
import { meanOf } from './ranking-quality.js';
import { during, StagedTraining } from './staged-training.js';
import type { Training, TrainingInput, TrainingProgress, TrainingResult } from './training-contract.js';

const MAX_STEPS = 1_000;
/** Steps between two looks at the stop queries. */
const LOOK_EVERY = 50;
/** Looks without an improvement. */
const PATIENCE = 8;
const HARD_POOL = 20;
/** With fewer pairs, or more dimensions, a diagonal map is tried as well. */
const PAIRS_FOR_FULL = 500;
const DIMENSIONS_FOR_FULL = 512;

/** Learns a map of queries from the labelled ones. Stored vectors stay as they are. */
export function startAdapterTraining(input: TrainingInput, saved?: Uint8Array): Training {
  const dimensions = input.documents[0]?.vector.length ?? 1;
  const settings = { ...CONTRASTIVE_SETTINGS, maxSteps: MAX_STEPS, lookEvery: LOOK_EVERY, patience: PATIENCE };
  const checkpoints = new Checkpoints(input, settings);
  const state: AdapterState = saved
    ? readState(checkpoints.read(saved), dimensions, ['full', 'diagonal'])
    : { finished: [] };
  return new StagedTraining(run(input, dimensions, state), () => checkpoints.write(writeState(state)));
}

function* run(
  input: TrainingInput,
  dimensions: number,
  state: AdapterState,
): Generator<TrainingProgress, TrainingResult> {
  const labels = yield* during({ stage: 'split', done: 0, total: 1 }, prepareLabels(input));
  const pairs = pairsOf(input, labels);
  const both = dimensions > DIMENSIONS_FOR_FULL || pairs.length < PAIRS_FOR_FULL;
  const shapes: MapShape[] = pairs.length === 0 ? [] : both ? ['full', 'diagonal'] : ['full'];
  for (const [at, shape] of shapes.entries()) {
    if (at < state.finished.length) continue;
    state.finished.push(yield* fitShape({ input, labels, pairs, dimensions, shape, shapes, state }));
    delete state.current;
  }
  const untrained = { step: 0, score: 0, map: QueryMap.identity(dimensions, 'diagonal') };
  const best = state.finished.reduce<BestMap>((one, next) => (next.score > one.score ? next : one), untrained);
  const chosen = yield* choose(input, labels, best.map);
  return yield* judge(input, labels, best, chosen);
}

/** A pair for each document that a query asks for. */
function pairsOf({ documents }: TrainingInput, { split, words }: PreparedLabels): Pair[] {
  const numbers = new Map(documents.map(({ id }, number) => [id, number]));
  const numbersOf = (ids: readonly string[]) => ids.flatMap((id) => numbers.get(id) ?? []);
  return split.train.flatMap((one) => {
    const { query, relevant } = one;
    const all = new Set(query.relevant);
    const near = (words.get(one) ?? []).filter((id) => !all.has(id) && !split.unseen.has(id));
    const hardNegatives = numbersOf(near.slice(0, HARD_POOL));
    const known = new Set(numbersOf(query.relevant));
    return numbersOf(relevant).map((document) => ({ query: query.vector, document, relevant: known, hardNegatives }));
  });
}

interface Fit {
  readonly input: TrainingInput;
  readonly labels: PreparedLabels;
  readonly pairs: readonly Pair[];
  readonly dimensions: number;
  readonly shape: MapShape;
  readonly shapes: readonly MapShape[];
  readonly state: AdapterState;
}

/** Trains until the stop queries have not improved for `PATIENCE` looks. Returns the best map, which may be the identity. */
function* fitShape(fit: Fit): Generator<TrainingProgress, BestMap> {
  const { input, labels, pairs, dimensions, shape, shapes, state } = fit;
  const { resumed } = state;
  const random = new SeededRandom(resumed ? resumed.random : input.seed);
  const vectors = input.documents.map(({ vector }) => vector);
  const training = new ContrastiveTraining(dimensions, shape, vectors, pairs, random, resumed);
  const total = MAX_STEPS * shapes.length;
  const progress = (): TrainingProgress => ({
    stage: 'fit',
    done: MAX_STEPS * state.finished.length + training.steps,
    total,
  });
  const look = (map: QueryMap | undefined) => during(progress(), stopQuality(labels, map));
  const start = resumed?.best ?? { step: 0, score: yield* look(undefined), map: QueryMap.identity(dimensions, shape) };
  const current = { training, random, best: start };
  state.current = current;
  delete state.resumed;
  // A training may have been saved between a step and its look. A look that is repeated changes nothing.
  let due = training.steps > 0 && training.steps % LOOK_EVERY === 0;
  for (;;) {
    if (due) {
      const score = yield* look(training.map);
      if (score > current.best.score) current.best = { step: training.steps, score, map: copyOf(training.map) };
      if (training.steps - current.best.step >= PATIENCE * LOOK_EVERY) break;
    }
    if (training.steps >= MAX_STEPS) break;
    training.step();
    due = training.steps % LOOK_EVERY === 0;
    yield progress();
  }
  return current.best;
}

const copyOf = ({ dimensions, shape, delta }: QueryMap): QueryMap => new QueryMap(dimensions, shape, delta.slice());

/** nDCG@10 of the vectors alone: the fusion would hide what the map does. */
function* stopQuality({ words, split, served }: PreparedLabels, map: QueryMap | undefined): Generator<void, number> {
  return meanOf((yield* findSources(mappedSystem(served.index, map), words, split.stop)).map(vectorQuality));
}

interface Chosen {
  readonly settings: FusionSettings;
  /** What is served, with the weight that is best for it. */
  readonly rival: FusionSettings;
}

function* choose(input: TrainingInput, labels: PreparedLabels, map: QueryMap): Generator<TrainingProgress, Chosen> {
  const { split, words, served } = labels;
  const mapped = mappedSystem(served.index, map);
  const weights = weightsFor(input.served.name);
  const stage = (done: number): TrainingProgress => ({ stage: 'choose', done, total: 4 });
  const find = function* (done: number, system: typeof served, part: typeof split.stop) {
    return yield* during(stage(done), findSources(system, words, part));
  };
  const before: Sources[] = yield* find(0, served, split.stop);
  const after: Sources[] = yield* find(1, mapped, split.stop);
  const probe = {
    before: yield* find(2, served, split.probeChoice),
    served: input.served,
    after: yield* find(3, mapped, split.probeChoice),
  };
  const { minSimilarity } = input.served;
  const rival = { weight: yield* during(stage(4), chooseWeight(before, weights, minSimilarity)), minSimilarity };
  return { settings: yield* during(stage(4), chooseSettings(weights, after, probe)), rival };
}

function* judge(
  input: TrainingInput,
  labels: PreparedLabels,
  best: BestMap,
  { settings, rival }: Chosen,
): Generator<TrainingProgress, TrainingResult> {
  const stage = (done: number): TrainingProgress => ({ stage: 'gate', done, total: 2 });
  const before = yield* during(stage(0), askDeciding(labels, labels.served));
  const served = yield* during(stage(0), measure(before, input.served));
  const ofRival = yield* during(stage(0), measure(before, rival));
  const mapped = yield* during(stage(1), askDeciding(labels, mappedSystem(labels.served.index, best.map)));
  const after = yield* during(stage(1), measure(mapped, settings));
  yield stage(2);
  const verdict = decide({ served, rivals: [ofRival], after, unchanged: best.step === 0, seed: input.seed });
  const model = best.map.write();
  return { model, name: adaptedName(input.served.name, model), dimensions: best.map.dimensions, ...settings, verdict };
}
