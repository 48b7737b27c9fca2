import { HASHED_NAME } from '../../recall/embedding/hashed-embedding.js';
import { type FusionSettings, hybridQualities, type Sources } from './hybrid-search.js';
import { meanOf } from './ranking-quality.js';

/** Of the vectors, beside 1 for the words. The last lets the vectors decide; words add what they miss. */
const CANDIDATES = [0.002, 0.1, 0.3, 1, 3, 500];
/** Hashed vectors know spelling only. A larger weight than the words' harmed documents without pairs. */
const MAX_OF_HASHED = 1;
/** Cosines below which a stored vector is no match. */
const THRESHOLDS = [0.3, 0.25, 0.2, 0.15, 0.1, 0.05];
/** nDCG@10 that the choice may cost documents without pairs. */
const MAX_LOSS = 0.005;
/** nDCG@10 on the stop queries that is noise: of weights so close, the smaller one changes less of what is served. */
const SAME = 0.005;
const MAX_THRESHOLD_LOSS = 0.001;
/** Before a threshold is chosen. */
const LOWEST_THRESHOLD = THRESHOLDS.at(-1) ?? 0;

export const weightsFor = (embedder: string): readonly number[] =>
  CANDIDATES.filter((weight) => embedder !== HASHED_NAME || weight <= MAX_OF_HASHED);

function* qualityOf(sources: readonly Sources[], settings: FusionSettings): Generator<void, number> {
  return meanOf(yield* hybridQualities(sources, settings));
}

/** The smallest weight that answers the stop queries as well as the best one. */
export function* chooseWeight(
  stop: readonly Sources[],
  weights: readonly number[],
  minSimilarity: number,
): Generator<void, number> {
  const scores: number[] = [];
  for (const weight of weights) scores.push(yield* qualityOf(stop, { weight, minSimilarity }));
  const best = Math.max(...scores);
  return weights.find((_, at) => (scores[at] ?? 0) >= best - SAME) ?? 0;
}

/** What is found for documents without pairs, as it is served and by the candidate. */
export interface ProbeChoice {
  readonly before: readonly Sources[];
  readonly served: FusionSettings;
  readonly after: readonly Sources[];
}

/** Chooses weight and threshold on the stop queries, among the weights with which documents without pairs lose little. */
export function* chooseSettings(
  weights: readonly number[],
  stop: readonly Sources[],
  probe: ProbeChoice,
): Generator<void, FusionSettings> {
  const weight = yield* chooseWeight(stop, yield* harmlessWeights(weights, probe), LOWEST_THRESHOLD);
  return { weight, minSimilarity: yield* chooseThreshold(stop, weight) };
}

/** Without such a weight, the smallest one. */
function* harmlessWeights(weights: readonly number[], probe: ProbeChoice): Generator<void, readonly number[]> {
  const floor = (yield* qualityOf(probe.before, probe.served)) - MAX_LOSS;
  const harmless: number[] = [];
  for (const weight of weights)
    if ((yield* qualityOf(probe.after, { weight, minSimilarity: LOWEST_THRESHOLD })) >= floor) harmless.push(weight);
  return harmless.length > 0 ? harmless : weights.slice(0, 1);
}

/** The highest threshold that costs the stop queries nothing: below it, what is near is near by chance. */
function* chooseThreshold(stop: readonly Sources[], weight: number): Generator<void, number> {
  const floor = (yield* qualityOf(stop, { weight, minSimilarity: LOWEST_THRESHOLD })) - MAX_THRESHOLD_LOSS;
  for (const minSimilarity of THRESHOLDS)
    if ((yield* qualityOf(stop, { weight, minSimilarity })) >= floor) return minSimilarity;
  return LOWEST_THRESHOLD;
}
