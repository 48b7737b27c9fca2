import type { RecallableMemory } from '../../memory/store/recallable-memory.js';
import { fuse } from './fusion.js';
import { byScore, orderingScore, type RankingScore } from './ranking.js';
import { DEFAULT_PROFILE, type RankingProfile } from './ranking-profile.schema.js';

/** A retrieval source: keyword search or vector search. */
export type SourceName = 'words' | 'vectors';

/**
 * The rank of a memory in the results of one source, from 1, and its relevance by that source's evidence, in [0, 1]: from
 * 1/2 on it is more likely about the query than not, whichever the source.
 */
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

export interface RankedMemory extends FoundMemory {
  readonly id: string;
  readonly rank: RankingScore;
}

const SOURCES: readonly SourceName[] = ['words', 'vectors'];

/**
 * Ranks the memories that the sources found: their rankings are fused, which says where a memory stands, and decides
 * nothing else, because fusion gives the last of each list 0, however good it is. Relevance is the best of the sources.
 */
export function rankFound(
  found: readonly FoundMemory[],
  agentId: string,
  now: Date,
  weights: SourceWeights,
  profile: RankingProfile = DEFAULT_PROFILE,
): RankedMemory[] {
  const placeOf = ({ sourceRanks }: FoundMemory, source: SourceName): number => sourceRanks[source]?.rank ?? 0;
  const fused = fuse(
    SOURCES.map((source) => ({
      ids: found
        .filter(({ sourceRanks }) => sourceRanks[source])
        .sort((x, y) => placeOf(x, source) - placeOf(y, source))
        .map(({ entry }) => entry.id),
      weight: weights[source],
    })),
    found.length,
    profile.fusion.k,
    profile.maxResults,
  );
  const byId = new Map(found.map((one) => [one.entry.id, one]));
  return fused
    .flatMap(({ id, score }) => {
      const one = byId.get(id);
      return one ? [rankedMemory(one, score, agentId, now, profile)] : [];
    })
    .sort(byScore);
}

function rankedMemory(
  { entry, sourceRanks }: FoundMemory,
  standing: number,
  agentId: string,
  now: Date,
  profile: RankingProfile,
): RankedMemory {
  const { id, scope } = entry;
  const candidate = {
    id,
    standing,
    // A copy is another agent's experience: it never ranks above its source.
    personal: scope === 'agent' && entry.agentId === agentId && entry.propagatedFromId === null,
    // An approved skill is a procedure, not an episode, so its age does not matter.
    writtenAt: scope === 'org' ? undefined : new Date(entry.createdAt),
  };
  const relevance = Math.max(...SOURCES.map((source) => sourceRanks[source]?.relevance ?? 0));
  return { id, entry, sourceRanks, rank: { relevance, ...orderingScore(candidate, now, profile) } };
}
