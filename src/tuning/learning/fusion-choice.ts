import { HASHED_NAME } from '../../recall/embedding/hashed-embedding.js';
import { type FusionSettings, hybridQuality, type Sources } from './hybrid-search.js';
import { meanOf } from './ranking-quality.js';

/** Of the vectors, beside 1 for the words. The last lets the vectors decide; words add what they miss. */
const WEIGHTS = [0.002, 0.1, 0.3, 1, 3, 500];
/** Hashed vectors know spelling only. A larger weight than the words' harmed documents without pairs. */
const MAX_WEIGHT_OF_HASHED = 1;
/** Cosines below which a stored vector is no match. */
const THRESHOLDS = [0.3, 0.25, 0.2, 0.15, 0.1, 0.05];
const EPSILON = 1e-9;
/** nDCG@10 that the choice may cost. */
const MAX_LOSS = 0.005;
const MAX_THRESHOLD_LOSS = 0.001;

export const weightsFor = (embedder: string): readonly number[] =>
  WEIGHTS.filter((weight) => embedder !== HASHED_NAME || weight <= MAX_WEIGHT_OF_HASHED);

const qualityOf = (sources: readonly Sources[], settings: FusionSettings): number =>
  meanOf(sources.map((one) => hybridQuality(one, settings)));

/** Of equal weights the first. */
export function bestWeight(stop: readonly Sources[], weights: readonly number[], minSimilarity: number): number {
  const scored = weights.map((weight) => ({ weight, score: qualityOf(stop, { weight, minSimilarity }) }));
  const [first = { weight: 0, score: 0 }, ...rest] = scored;
  return rest.reduce((best, next) => (next.score > best.score + EPSILON ? next : best), first).weight;
}

/** The weights with which documents without pairs lose little. Without such a weight, the smallest one. */
export function harmlessWeights(
  weights: readonly number[],
  probe: { readonly before: readonly Sources[]; readonly served: FusionSettings; readonly after: readonly Sources[] },
  minSimilarity: number,
): readonly number[] {
  const floor = qualityOf(probe.before, probe.served) - MAX_LOSS;
  const harmless = weights.filter((weight) => qualityOf(probe.after, { weight, minSimilarity }) >= floor);
  return harmless.length > 0 ? harmless : weights.slice(0, 1);
}

/** The highest threshold that costs the stop queries nothing: below it, what is near is near by chance. */
export function bestThreshold(stop: readonly Sources[], weight: number): number {
  const lowest = THRESHOLDS.at(-1) ?? 0;
  const floor = qualityOf(stop, { weight, minSimilarity: lowest }) - MAX_THRESHOLD_LOSS;
  return THRESHOLDS.find((minSimilarity) => qualityOf(stop, { weight, minSimilarity }) >= floor) ?? lowest;
}

/** Before a threshold is chosen. */
export const WITHOUT_THRESHOLD = THRESHOLDS.at(-1) ?? 0;
