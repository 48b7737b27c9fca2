import { HOUR_MS } from '../../platform/base/durations.js';

/** Numbers of spec R2. */
export interface RankingSettings {
  readonly personalBoost: number;
  readonly decayPerHour: number;
  readonly relevanceWeight: number;
  readonly recencyWeight: number;
  readonly minRelevance: number;
}
export const RANKING: RankingSettings = {
  personalBoost: 0.1,
  decayPerHour: 0.01,
  relevanceWeight: 0.7,
  recencyWeight: 0.3,
  minRelevance: 0.3,
};

export interface Candidate {
  readonly id: string;
  /** How well it answers the query, in [0, 1]. */
  readonly relevance: number;
  /** The agent's own. */
  readonly personal: boolean;
  /** Undefined for what does not age: an approved skill is a procedure, not an episode. */
  readonly writtenAt: Date | undefined;
}

/** Why an entry stands where it does. */
export interface RankingScore {
  readonly relevance: number;
  readonly recency: number;
  readonly combined: number;
}

export type Ranked<C extends Candidate = Candidate> = C & { readonly rank: RankingScore };

/**
 * A BM25 score as relevance. It has no upper end, and depends on how rare words are here: measured in terms of the
 * query, one average term that is met gives a half, two give two thirds.
 */
export function relevanceOfScore(score: number, meanWeight: number): number {
  return score > 0 ? score / (score + meanWeight) : 0;
}

export function rankingScoreOf(candidate: Candidate, now: Date, settings: RankingSettings = RANKING): RankingScore {
  const { relevance: own, personal, writtenAt } = candidate;
  const relevance = Math.min(own + (personal ? settings.personalBoost : 0), 1);
  const hours = writtenAt ? Math.max(0, now.getTime() - writtenAt.getTime()) / HOUR_MS : 0;
  const recency = Math.exp(-settings.decayPerHour * hours);
  return { relevance, recency, combined: settings.relevanceWeight * relevance + settings.recencyWeight * recency };
}

/**
 * The candidates with their rank, best first; ties by id, so that the same entries always come in the same order. What
 * is below the threshold is left out; what does not age has to reach it by its relevance, since its recency says
 * nothing.
 */
export function rank<C extends Candidate>(
  candidates: readonly C[],
  now: Date,
  settings: RankingSettings = RANKING,
): Ranked<C>[] {
  return candidates
    .map((candidate) => ({ ...candidate, rank: rankingScoreOf(candidate, now, settings) }))
    .filter(
      ({ rank: { combined, relevance }, writtenAt }) =>
        combined >= settings.minRelevance && (writtenAt !== undefined || relevance >= settings.minRelevance),
    )
    .sort((x, y) => y.rank.combined - x.rank.combined || (x.id < y.id ? -1 : x.id > y.id ? 1 : 0));
}
