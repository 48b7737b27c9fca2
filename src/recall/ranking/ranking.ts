import { HOUR_MS } from '../../platform/base/durations.js';

/** The weights and limits of the ranking formula. */
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
  /** Relevance to the query, in [0, 1]. */
  readonly relevance: number;
  /** Whether the asking agent learned it itself. */
  readonly personal: boolean;
  /** Undefined for an approved skill: it is a procedure, not an episode, and does not age. */
  readonly writtenAt: Date | undefined;
}

/** The parts of a memory's score, each in [0, 1]. */
export interface RankingScore {
  readonly relevance: number;
  readonly recency: number;
  readonly combined: number;
}

export type Ranked<C extends Candidate = Candidate> = C & { readonly rank: RankingScore };

/**
 * Converts a BM25 score to a relevance in [0, 1). The score is unbounded and depends on term rarity, so it is compared
 * with the mean weight of the query's terms: one matching average term gives 1/2, two give 2/3.
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
 * Returns the candidates above the threshold with their scores, best first; ties by id, so that the order is
 * deterministic. A candidate that does not age must reach the threshold by relevance alone, because its recency of 1 is
 * meaningless.
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
