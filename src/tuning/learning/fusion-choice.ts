import { type FusionSettings, hybridQualities, type Sources } from './hybrid-search.js';
import { meanOf } from './ranking-quality.js';

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
export interface ProbeChoice {
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
