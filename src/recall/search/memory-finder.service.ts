import { Injectable, Logger } from '@nestjs/common';
import type { AgentIdentity } from '../../access/identity/agent-resolver.service.js';
import { MemoryReadService } from '../../memory/store/memory-read.service.js';
import type { Reader, RecallableMemory } from '../../memory/store/recallable-memory.js';
import { FifoCache } from '../../platform/background/fifo-cache.js';
import { FreshCache } from '../../platform/background/fresh-cache.js';
import { compareText } from '../../platform/base/compare-text.js';
import { stackOf } from '../../platform/base/error-text.js';
import { type DeliveryLimit, isDeliveredTo } from '../../skills/delivery/audience.js';
import { RolloutStages } from '../../skills/delivery/rollout-stages.service.js';
import { EmbedderUnavailable } from '../embedding/embedder.js';
import type { ServedReference } from '../embedding/served-embedder.js';
import { type Hit, idfOf } from '../index/bm25-index.js';
import { MAX_STALENESS_MS, MemorySearch } from '../index/memory-search.service.js';
import { MemoryVectors } from '../index/memory-vectors.service.js';
import { askedWords, logOddsByWords, MemoryWords, relevanceOf, SCORE_SHARE } from '../ranking/evidence.js';
import { keywordOverlapHits } from '../ranking/keyword-overlap.js';
import type { RetrievalMode } from '../ranking/recall.schema.js';
import type { FoundMemory, SourceName, SourceRank, SourceWeights } from '../ranking/source-ranking.js';

interface MemorySearchResult {
  readonly found: readonly FoundMemory[];
  readonly warnings: readonly string[];
}

interface FindQuery {
  readonly agent: AgentIdentity;
  readonly text: string;
  /** What the agent asked first, where `text` is an expansion of it: relevance is that to both. */
  readonly asked: string;
  readonly retrieval: RetrievalMode;
  readonly limit: number;
  /** Names of the tools that the agent has. */
  readonly tools: readonly string[];
  /** The embedder that was in service when the recall began. */
  readonly served: ServedReference;
}

/** The weight of each source's ranking in a fusion. */
export const weightsOf = ({ embedder }: ServedReference): SourceWeights => ({ words: 1, vectors: embedder.weight });

/** What one source found, best first, with its evidence on each. */
type Hits = Partial<Record<SourceName, readonly Evident[]>>;

interface SourceAnswer {
  readonly hits: Hits;
  /** The memories behind the hits that this reader may see. */
  readonly entries: readonly RecallableMemory[];
  readonly warnings: readonly string[];
}

/** Number of latest memories that keyword overlap searches. */
const LATEST = 500;
const EMBEDDER_FAILED = 'The embedder failed, so nothing is recalled.';

/** Finds memories. The index searches only the reader's groups, and visibility is checked again before delivery. */
@Injectable()
export class MemoryFinder {
  private readonly logger = new Logger(MemoryFinder.name);
  private readonly limitedRollouts: FreshCache<Map<string, DeliveryLimit>>;

  constructor(
    private readonly words: MemorySearch,
    private readonly vectors: MemoryVectors,
    private readonly memories: MemoryReadService,
    rollouts: RolloutStages,
  ) {
    this.limitedRollouts = new FreshCache(
      () => words.moment(),
      MAX_STALENESS_MS,
      () => rollouts.limits(),
    );
  }

  /** The embedder in service, for all searches of one recall. */
  get served(): ServedReference {
    return this.vectors.current;
  }

  async find(query: FindQuery): Promise<MemorySearchResult> {
    const reader = readerOf(query.agent);
    const { hits, entries, warnings } = await this.querySources(reader, query);
    const byId = new Map((await this.rolledOut(reader, entries)).map((entry) => [entry.id, entry]));
    const ranksById = new Map<string, Partial<Record<SourceName, SourceRank>>>();
    for (const [source, list] of sourcesOf(hits)) {
      const visibleHits = list.filter(({ id }) => byId.has(id));
      for (const [at, { id, logOdds }] of visibleHits.entries())
        ranksById.set(id, { ...ranksById.get(id), [source]: { rank: at + 1, relevance: relevanceOf(logOdds) } });
    }
    const found = [...ranksById].flatMap(([id, sourceRanks]) => {
      const entry = byId.get(id);
      return entry ? [{ entry, sourceRanks }] : [];
    });
    return { found, warnings };
  }

  /** Returns one memory that the agent may see; otherwise undefined. */
  async findOne(agent: AgentIdentity, id: string): Promise<RecallableMemory | undefined> {
    const reader = readerOf(agent);
    return (await this.rolledOut(reader, await this.memories.visible(reader, [id])))[0];
  }

  private async querySources(reader: Reader, query: FindQuery): Promise<SourceAnswer> {
    const { retrieval, text, asked, limit } = query;
    const whole = text === asked ? text : `${asked} ${text}`;
    if (retrieval === 'keyword_overlap') {
      const latest = await this.memories.latest(reader, LATEST);
      return { hits: { words: byOverlap(latest, text, whole, query.tools) }, entries: latest, warnings: [] };
    }
    const [words, vectorHits] = await Promise.all([
      // Also updates the vector index with committed changes.
      this.words.search(reader, text, limit),
      retrieval === 'words' ? NO_VECTORS : this.searchVectors(reader, query),
    ]);
    if (vectorHits.failed) return { hits: {}, entries: [], warnings: vectorHits.warnings };
    const wordHits = retrieval === 'vectors' ? [] : words.hits;
    const ids = [...new Set([...wordHits, ...vectorHits.hits].map(({ id }) => id))];
    const entries = await this.words.visible(reader, ids);
    const evidence = evidenceOf(entries, whole, words.rarityOf);
    const hits = {
      words: byEvidence(wordHits, evidence),
      vectors: vectorHits.hits.map(({ id, logOdds }) => ({
        id,
        logOdds: Math.max(logOdds, evidence.get(id) ?? logOdds),
      })),
    };
    return { hits, entries, warnings: vectorHits.warnings };
  }

  /**
   * Searches the vectors. An unavailable embedder is expected: it gives no hits and a warning, so a hybrid recall continues
   * with keywords. Any other error fails the whole search, and nothing is delivered.
   */
  private async searchVectors(reader: Reader, { text, limit, served }: FindQuery): Promise<VectorAnswer> {
    try {
      return { ...(await this.vectors.search(reader, text, limit, served)), failed: false };
    } catch (error) {
      if (error instanceof EmbedderUnavailable)
        return { hits: [], warnings: [`Vector search is unavailable: ${error.message}.`], failed: false };
      this.logger.error(stackOf(error));
      return { hits: [], warnings: [EMBEDDER_FAILED], failed: true };
    }
  }

  /** Keeps the memories whose rollout includes this reader. */
  private async rolledOut(reader: Reader, entries: readonly RecallableMemory[]): Promise<readonly RecallableMemory[]> {
    if (entries.every(({ skillName }) => skillName === null)) return entries;
    const limits = await this.limitedRollouts.get();
    return entries.filter(
      ({ id, skillName }) =>
        skillName === null || isDeliveredTo({ agentId: reader.agentId }, limits.get(id), skillName),
    );
  }
}

interface VectorAnswer {
  readonly hits: readonly Evident[];
  readonly warnings: readonly string[];
  readonly failed: boolean;
}
const NO_VECTORS: VectorAnswer = { hits: [], warnings: [], failed: false };

const readerOf = ({ id, role, department }: AgentIdentity): Reader => ({ agentId: id, role, department });

function sourcesOf({ words, vectors }: Hits) {
  const sources: [SourceName, NonNullable<Hits[SourceName]>][] = [];
  if (words) sources.push(['words', words]);
  if (vectors) sources.push(['vectors', vectors]);
  return sources;
}

/** A memory that a source found, with the evidence that it is about the query. */
interface Evident {
  readonly id: string;
  readonly logOdds: number;
}

/** Reading the words of a memory costs more than a search; most recalls find the same ones. */
const READ = new FifoCache<{ readonly entry: RecallableMemory; readonly words: MemoryWords }>(2_000);

function wordsOfMemory(entry: RecallableMemory): MemoryWords {
  const known = READ.get(entry.id);
  if (known?.entry === entry) return known.words;
  const words = new MemoryWords(entry);
  READ.set(entry.id, { entry, words });
  return words;
}

/** The log odds that each of these memories is about the query by its words. */
export function evidenceOf(
  entries: readonly RecallableMemory[],
  query: string,
  rarityOf: (term: string) => number,
): ReadonlyMap<string, number> {
  const asked = askedWords(query, rarityOf);
  return new Map(entries.map((entry) => [entry.id, logOddsByWords(asked, wordsOfMemory(entry))]));
}

/** The hits of a keyword search in the order of their evidence and their score; without those that share only function words. */
export const byEvidence = (hits: readonly Hit[], evidence: ReadonlyMap<string, number>): Evident[] =>
  hits
    .flatMap(({ id, score }) => {
      const logOdds = evidence.get(id) ?? Number.NEGATIVE_INFINITY;
      return Number.isFinite(logOdds) ? [{ id, logOdds, order: logOdds + SCORE_SHARE * Math.log(score) }] : [];
    })
    .sort((x, y) => y.order - x.order || compareText(x.id, y.id));

/** The hits of a search without an index, in its order. */
function byOverlap(
  entries: readonly RecallableMemory[],
  text: string,
  query: string,
  tools: readonly string[],
): Evident[] {
  const all = entries.map(wordsOfMemory);
  const evidence = evidenceOf(entries, query, (term) => idfOf(all.filter((one) => one.has(term)).length, all.length));
  return keywordOverlapHits(entries, text, tools).map((id) => ({ id, logOdds: evidence.get(id) ?? 0 }));
}
