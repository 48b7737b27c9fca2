import type { RecallableMemory } from '../../memory/store/recallable-memory.js';
import { fuse } from './fusion.js';
import { type Candidate, type Ranked, type RankingSettings, rank } from './ranking.js';
import { DEFAULT_PROFILE, type RankingProfile } from './ranking-profile.schema.js';

/** A retrieval source: keyword search or vector search. */
export type SourceName = 'words' | 'vectors';

/** The rank of a memory in the results of one source, from 1, and its relevance by that source's measure, in [0, 1]. */
export interface SourceRank {
  readonly rank: number;
  readonly relevance: number;
}

/** A memory that one or more sources found for the query. */
export interface FoundMemory {
  readonly entry: RecallableMemory;
  readonly sourceRanks: Readonly<Partial<Record<SourceName, SourceRank>>>;
}

/** The weight of each source's ranking; keyword search has 1. */
export type SourceWeights = Readonly<Record<SourceName, number>>;

export interface RankedMemory extends Candidate {
  readonly entry: RecallableMemory;
  readonly sourceRanks: FoundMemory['sourceRanks'];
}

const SOURCES: readonly SourceName[] = ['words', 'vectors'];

/**
 * Ranks the memories that the sources found. With one source, by its relevance. With several, each source's threshold is
 * applied to its own relevance first, and then their rankings are fused. The fused score is the relevance, and there is no
 * threshold after the fusion, because fusion gives the last of each list 0, however good it is. A memory below the
 * threshold of every source that found it is left out.
 */
export function rankFound(
  found: readonly FoundMemory[],
  agentId: string,
  now: Date,
  weights: SourceWeights,
  profile: RankingProfile = DEFAULT_PROFILE,
): Ranked<RankedMemory>[] {
  const used = SOURCES.filter((source) => found.some(({ sourceRanks: places }) => places[source]));
  const [only] = used;
  if (only === undefined) return [];
  if (used.length === 1) return rank(candidatesOf(found, only, agentId), now, profile);
  const fused = fuse(
    used.map((source) => ({
      ids: aboveThreshold(candidatesOf(found, source, agentId), source, now, profile),
      weight: weights[source],
    })),
    found.length,
    profile.fusion.k,
    profile.maxResults,
  );
  const byId = new Map(found.map((one) => [one.entry.id, one]));
  const candidates = fused.flatMap(({ id, score }) => {
    const one = byId.get(id);
    return one ? [candidateOf(one, score, agentId)] : [];
  });
  return rank(candidates, now, { ...profile, minRelevance: 0 });
}

/** The candidates above the threshold, in the order of the source. */
function aboveThreshold(
  candidates: readonly RankedMemory[],
  source: SourceName,
  now: Date,
  settings: RankingSettings,
): string[] {
  const kept = rank(candidates, now, settings);
  const rankInSource = ({ sourceRanks: places }: RankedMemory): number => places[source]?.rank ?? 0;
  return kept.sort((x, y) => rankInSource(x) - rankInSource(y)).map(({ id }) => id);
}

const candidatesOf = (found: readonly FoundMemory[], source: SourceName, agentId: string): RankedMemory[] =>
  found.flatMap((one) => {
    const place = one.sourceRanks[source];
    return place ? [candidateOf(one, place.relevance, agentId)] : [];
  });

function candidateOf({ entry, sourceRanks: places }: FoundMemory, relevance: number, agentId: string): RankedMemory {
  return {
    id: entry.id,
    entry,
    sourceRanks: places,
    relevance,
    // A copy is another agent's experience: it never ranks above its source.
    personal: entry.scope === 'agent' && entry.agentId === agentId && entry.propagatedFromId === null,
    // An approved skill is a procedure, not an episode, so its age does not matter.
    writtenAt: entry.scope === 'org' ? undefined : new Date(entry.createdAt),
  };
}
