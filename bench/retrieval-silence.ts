import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { captureStrategy } from '../src/capture/analysis/capture.strategy.js';
import { analysisPayload } from '../src/capture/analysis/payload.js';
import { obstaclesOf } from '../src/capture/observations/obstacles.js';
import type { RecallableMemory } from '../src/memory/store/recallable-memory.js';
import { loadConfig, PROJECT_ROOT } from '../src/platform/config/config.js';
import { RulesProposer } from '../src/propose/lessons/rules.proposer.js';
import { LocalEmbedder } from '../src/recall/embedding/local-embedder.strategy.js';
import { Bm25Index } from '../src/recall/index/bm25-index.js';
import { embeddedText } from '../src/recall/index/embedded-text.js';
import { memoryTerms } from '../src/recall/index/memory-index.js';
import { VectorIndex } from '../src/recall/index/vector-index.js';
import { EVERYDAY, SAMPLED } from '../src/recall/index/vector-set.service.js';
import { backgroundOf, logOddsByVector, relevanceOf } from '../src/recall/ranking/evidence.js';
import { DEFAULT_PROFILE } from '../src/recall/ranking/ranking-profile.schema.js';
import { type FoundMemory, rankFound } from '../src/recall/ranking/source-ranking.js';
import { queryTerms } from '../src/recall/ranking/terms.js';
import { byEvidence } from '../src/recall/search/found-by-words.js';
import { memoryEntry } from '../test/support/memory-entries.js';
import { observeStored } from './fidelity/product-lessons.js';
import type { Collection } from './retrieval-data.js';
import { mean, type Score, scoreOf } from './retrieval-score.js';
import { sampleRows } from './sets/sample-set.js';
import { readSet } from './sets/set-reader.js';

const POOL = 30;
const ALL = 'all';
const NOW = new Date('2026-01-01T00:00:00.000Z');
export const MODES = ['words', 'vectors', 'hybrid'] as const;
export type Mode = (typeof MODES)[number];

const Prompts = z.strictObject({ far: z.array(z.string()).length(200), near: z.array(z.string()).length(100) });

/** Memories with the way in which recall finds, judges and ranks them. */
export class RecallStore {
  private readonly words = new Bm25Index();
  private readonly byId: ReadonlyMap<string, RecallableMemory>;
  private vectors: VectorIndex | undefined;
  private terms: ReadonlySet<string>[] | undefined;
  private everyday: readonly Float32Array[] = [];
  private readonly embedder = new LocalEmbedder();

  constructor(
    readonly name: string,
    private readonly memories: readonly RecallableMemory[],
  ) {
    for (const memory of memories) this.words.add(memory.id, ALL, memoryTerms(memory));
    this.byId = new Map(memories.map((memory) => [memory.id, memory]));
  }

  /** The ids that a recall delivers in this mode, best first; none if nothing is relevant. */
  async recall(query: string, mode: Mode, minRelevance = DEFAULT_PROFILE.minRelevance): Promise<string[]> {
    const words = mode === 'vectors' ? [] : this.foundByWords(query);
    const vectors = mode === 'words' ? [] : await this.foundByVectors(query);
    const ranks = new Map<string, FoundMemory['sourceRanks']>();
    for (const [source, hits] of [
      ['words', words],
      ['vectors', vectors],
    ] as const)
      for (const [at, { id, logOdds }] of hits.entries())
        ranks.set(id, { ...ranks.get(id), [source]: { rank: at + 1, relevance: relevanceOf(logOdds) } });
    const found = [...ranks].flatMap(([id, sourceRanks]) => {
      const entry = this.byId.get(id);
      return entry ? [{ entry, sourceRanks }] : [];
    });
    const weights = { words: 1, vectors: this.embedder.weight };
    return rankFound(found, 'another agent', NOW, weights, { ...DEFAULT_PROFILE, minRelevance }).map(({ id }) => id);
  }

  /** The most words other than function words that a memory shares with the text. */
  sharedWords(text: string): number {
    const asked = new Set(queryTerms(text).keys());
    this.terms ??= this.memories.map((memory) => new Set(memoryTerms(memory)));
    return Math.max(0, ...this.terms.map((terms) => [...asked].filter((term) => terms.has(term)).length));
  }

  private foundByWords(query: string) {
    const { hits } = this.words.search(queryTerms(query), [ALL], POOL);
    return byEvidence(hits, this.byId, query, this.words.rarityIn([ALL]));
  }

  private async foundByVectors(query: string) {
    const index = await this.vectorIndex();
    const [asked = new Float32Array()] = await this.embedder.embed([query]);
    const background = backgroundOf(index.cosinesOf(this.everyday, [ALL], SAMPLED));
    return index
      .search(asked, [ALL], POOL, this.embedder.minSimilarity)
      .map(({ id, similarity }) => ({ id, logOdds: logOddsByVector(similarity, background) }));
  }

  private async vectorIndex(): Promise<VectorIndex> {
    if (this.vectors) return this.vectors;
    const vectors = await this.embedder.embed(this.memories.map(embeddedText));
    this.everyday = await this.embedder.embed(EVERYDAY);
    this.vectors = new VectorIndex(vectors[0]?.length ?? 0);
    for (const [at, vector] of vectors.entries()) this.vectors.put(this.memories[at]?.id ?? '', ALL, vector);
    return this.vectors;
  }
}

/** The documents of a labelled set as memories: what they are called is what they are about. */
export function storeOf({ name, documents }: Collection): RecallStore {
  const memories = documents.map(({ id, name: title, about, text }) => {
    const discovery = [title, about ?? ''].join('\n').trim() || id;
    return memoryOf(id, discovery, text);
  });
  return new RecallStore(name, memories);
}

function memoryOf(id: string, discovery: string, action: string): RecallableMemory {
  const activation = { condition: '', action, rationale: '' };
  return memoryEntry({ id, scope: 'role', lesson: { discovery, activation, steps: [], tags: [], confidence: 1 } });
}

/** The private lessons that the rules write about the sample fleet, as one store. */
export async function sampleFleetStore(): Promise<RecallStore> {
  const [minScore, percentile] = loadConfig({}).successQuality;
  const strategy = captureStrategy('hybrid', { minScore, percentile });
  const proposer = new RulesProposer();
  const lessons = readSet(sampleRows(), 'sample').executions.flatMap((read) => {
    const { report, observed } = observeStored(read);
    const obstacles = obstaclesOf(report.toolCalls);
    const decision = strategy.decide({ report, observations: observed, obstacles, recentQuality: [] });
    if (!decision.learnable) return [];
    return proposer.lessonsOf(analysisPayload(decision.kind, report, observed, obstacles));
  });
  return new RecallStore(
    'sample fleet',
    lessons.map((lesson, at) => memoryEntry({ id: `lesson ${at}`, lesson })),
  );
}

export interface Silence {
  readonly prompts: number;
  /** Prompts that get anything from any store in the mode, by words as the product does by default. */
  readonly answered: number;
  readonly byMode: Readonly<Record<Mode, number>>;
  readonly byStore: Readonly<Record<string, number>>;
  /** Of the hundred near prompts, those that share two words or more with a memory. */
  readonly near: number;
}

/** Asks each everyday prompt of each store, and prints each that gets anything. */
export async function measureSilence(stores: readonly RecallStore[]): Promise<Silence> {
  const { far, near } = Prompts.parse(
    JSON.parse(readFileSync(join(PROJECT_ROOT, 'bench', 'everyday-prompts.json'), 'utf8')),
  );
  const byMode: Record<Mode, number> = { words: 0, vectors: 0, hybrid: 0 };
  const byStore: Record<string, number> = {};
  for (const mode of MODES)
    for (const [at, prompt] of [...far, ...near].entries()) {
      const by: string[] = [];
      for (const store of stores) if ((await store.recall(prompt, mode)).length > 0) by.push(store.name);
      if (by.length === 0) continue;
      byMode[mode] += 1;
      if (mode === 'words') for (const name of by) byStore[name] = (byStore[name] ?? 0) + 1;
      console.log(
        `  ${mode}, ${at % 2 === 0 ? 'developed on' : 'measured on'}: "${prompt}" gets something of ${by.join(', ')}`,
      );
    }
  const sharing = near.filter((prompt) => stores.some((store) => store.sharedWords(prompt) >= 2)).length;
  return { prompts: far.length + near.length, answered: byMode.words, byMode, byStore, near: sharing };
}

/** nDCG@10 by words on a half of the labelled queries. */
export interface Delivered {
  /** As recall ranks, if it were never silent. */
  readonly ranked: Score;
  /** As it delivers. */
  readonly delivered: Score;
}

/** Measures on both halves of the queries: the evidence was fitted on the first. */
export async function measureDelivered(
  store: RecallStore,
  { queries }: Collection,
): Promise<{ developed: Delivered; measured: Delivered }> {
  const [ranked, delivered]: [Score[], Score[]] = [[], []];
  for (const { text, relevant } of queries) {
    ranked.push(scoreOf(await store.recall(text, 'words', 0), relevant));
    delivered.push(scoreOf(await store.recall(text, 'words'), relevant));
  }
  const half = (of: number): Delivered => ({
    ranked: mean(ranked.filter((_, at) => at % 2 === of)),
    delivered: mean(delivered.filter((_, at) => at % 2 === of)),
  });
  return { developed: half(0), measured: half(1) };
}
