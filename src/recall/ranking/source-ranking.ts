import type { RecallableMemory } from '../../memory/store/recallable-memory.js';
import { fuse } from './fusion.js';
import { type Candidate, RANKING, type Ranked, type RankingSettings, rank } from './ranking.js';

/** By what memories are found (spec R2). */
export type SourceName = 'words' | 'vectors';

/** Where a source puts a memory, from 1 on, and how well it answers by the source's own measure, in [0, 1]. */
export interface SourceRank {
  readonly rank: number;
  readonly relevance: number;
}

/** A memory that answers the query, by one source or by several. */
export interface FoundMemory {
  readonly entry: RecallableMemory;
  readonly sourceRanks: Readonly<Partial<Record<SourceName, SourceRank>>>;
}

/** How much the order of each source counts, beside 1 for the words. */
export type SourceWeights = Readonly<Record<SourceName, number>>;

export interface RankedMemory extends Candidate {
  readonly entry: RecallableMemory;
  readonly sourceRanks: FoundMemory['sourceRanks'];
}

const SOURCES: readonly SourceName[] = ['words', 'vectors'];

/**
 * Ranks what was found. One source: by its own relevance. Several (spec R2): the threshold applies to each source's own
 * relevance, then their orders are fused, and what the fusion says is the relevance; there is no threshold after it,
 * since it gives the last of every list nothing, however good that is. What fails the threshold of every source that
 * found it is left out.
 */
export function rankFound(
  found: readonly FoundMemory[],
  agentId: string,
  now: Date,
  weights: SourceWeights,
  settings: RankingSettings = RANKING,
): Ranked<RankedMemory>[] {
  const used = SOURCES.filter((source) => found.some(({ sourceRanks: places }) => places[source]));
  const [only] = used;
  if (only === undefined) return [];
  if (used.length === 1) return rank(candidatesOf(found, only, agentId), now, settings);
  const fused = fuse(
    used.map((source) => ({
      ids: aboveThreshold(candidatesOf(found, source, agentId), source, now, settings),
      weight: weights[source],
    })),
    found.length,
  );
  const byId = new Map(found.map((one) => [one.entry.id, one]));
  const candidates = fused.flatMap(({ id, score }) => {
    const one = byId.get(id);
    return one ? [candidateOf(one, score, agentId)] : [];
  });
  return rank(candidates, now, { ...settings, minRelevance: 0 });
}

/** In the order of the source. */
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
    personal: entry.scope === 'agent' && entry.agentId === agentId,
    // An approved skill is a procedure, not an episode: it does not age.
    writtenAt: entry.scope === 'org' ? undefined : new Date(entry.createdAt),
  };
}
