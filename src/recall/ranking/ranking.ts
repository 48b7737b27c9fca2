import { compareText } from '../../platform/base/compare-text.js';
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
  // More likely about the query than not, in every retrieval mode.
  minRelevance: 0.5,
};

export interface Candidate {
  readonly id: string;
  /** How high it stands among what was found, in [0, 1]. */
  readonly standing: number;
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

/** The recency of a candidate, and its recency and standing together. Relevance decides whether it is delivered at all. */
export function orderingScore(
  { standing, personal, writtenAt }: Candidate,
  now: Date,
  settings: RankingSettings = RANKING,
): Omit<RankingScore, 'relevance'> {
  const lifted = Math.min(standing + (personal ? settings.personalBoost : 0), 1);
  const hours = writtenAt ? Math.max(0, now.getTime() - writtenAt.getTime()) / HOUR_MS : 0;
  const recency = Math.exp(-settings.decayPerHour * hours);
  return { recency, combined: settings.relevanceWeight * lifted + settings.recencyWeight * recency };
}

/** Best first; ties by id, so that the order is deterministic. */
export const byScore = (x: { id: string; rank: RankingScore }, y: { id: string; rank: RankingScore }): number =>
  y.rank.combined - x.rank.combined || compareText(x.id, y.id);
