import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { captureStrategy } from '../src/capture/analysis/capture.strategy.js';
import { analysisPayload } from '../src/capture/analysis/payload.js';
import { obstaclesOf } from '../src/capture/observations/obstacles.js';
import type { RecallableMemory } from '../src/memory/store/recallable-memory.js';
import { SeededRandom } from '../src/platform/base/seeded-random.js';
import { loadConfig, PROJECT_ROOT } from '../src/platform/config/config.js';
import { RulesProposer } from '../src/propose/lessons/rules.proposer.js';
import type { Embedder } from '../src/recall/embedding/embedder.js';
import { readCorpus } from '../src/recall/embedding/latent-corpus.js';
import { LatentEmbedder } from '../src/recall/embedding/latent-embedder.strategy.js';
import { FIT_ROUNDS, fitRound, latentDimensions, startFit } from '../src/recall/embedding/latent-fit.js';
import { LatentModel } from '../src/recall/embedding/latent-model.js';
import { LocalEmbedder } from '../src/recall/embedding/local-embedder.strategy.js';
import { Bm25Index } from '../src/recall/index/bm25-index.js';
import { embeddedText } from '../src/recall/index/embedded-text.js';
import { VectorIndex } from '../src/recall/index/vector-index.js';
import { relevanceOf } from '../src/recall/ranking/evidence.js';
import { DEFAULT_PROFILE } from '../src/recall/ranking/ranking-profile.schema.js';
import { memoryTerms } from '../src/recall/ranking/searchable-text.js';
import { NOTHING_DELIVERED } from '../src/recall/ranking/session-history.js';
import type { FoundMemory } from '../src/recall/ranking/source-ranking.js';
import { queryTerms } from '../src/recall/ranking/terms.js';
import { byEvidence, evidenceOf } from '../src/recall/search/memory-finder.service.js';
import { type AssemblyOptions, rankAndFilter } from '../src/recall/search/recall-result.js';
import { finish } from '../src/tuning/learning/training.js';
import { memoryEntry } from '../test/support/memory-entries.js';
import { observeStored } from './fidelity/product-lessons.js';
import type { Collection } from './retrieval-data.js';
import { mean, type Score, scoreOf } from './retrieval-score.js';
import { sampleRows } from './sets/sample-set.js';
import { readSet } from './sets/set-reader.js';

const POOL = 30;
const ALL = 'all';
/** Retrieval, by the built-in embedder and by a base that was trained on the memories. */
export const MODES = ['words', 'vectors', 'hybrid', 'vectors, trained', 'hybrid, trained'] as const;
export type Mode = (typeof MODES)[number];
type EmbedderName = 'built-in' | 'trained';

const Prompts = z.strictObject({ far: z.array(z.string()).length(200), near: z.array(z.string()).length(100) });

const OPTIONS: Omit<AssemblyOptions, 'weights' | 'weak'> = {
  agentId: 'another agent',
  now: new Date('2026-01-01T00:00:00.000Z'),
  profile: DEFAULT_PROFILE,
  deliveredBefore: NOTHING_DELIVERED,
  alreadyRead: new Set(),
  warnings: [],
  requestContext: [],
  tokenBudget: 0,
  limit: 10,
  diversify: false,
  role: 'user',
  nonce: '',
  isAllowed: () => true,
};

/** What a recall, or with `weak` a search, delivers: ids, best first, and the relevance of the most relevant. */
export interface Answer {
  readonly ids: readonly string[];
  readonly relevance: number;
}

/** Memories with the way in which recall finds, judges and ranks them. */
export class RecallStore {
  private readonly words = new Bm25Index();
  private readonly byId: ReadonlyMap<string, RecallableMemory>;
  private readonly embedders = new Map<EmbedderName, Promise<{ index: VectorIndex; embedder: Embedder }>>();
  private terms: ReadonlySet<string>[] | undefined;

  constructor(
    readonly name: string,
    private readonly memories: readonly RecallableMemory[],
  ) {
    for (const memory of memories) this.words.add(memory.id, ALL, memoryTerms(memory));
    this.byId = new Map(memories.map((memory) => [memory.id, memory]));
  }

  async recall(query: string, mode: Mode, weak = false): Promise<Answer> {
    const { hits } = this.words.search(queryTerms(query), [ALL], POOL);
    const { near, weight } = await this.near(query, mode);
    const wordHits = mode.startsWith('vectors') ? [] : hits;
    const ids = [...new Set([...wordHits, ...near].map(({ id }) => id))];
    const entries = ids.flatMap((id) => this.byId.get(id) ?? []);
    const evidence = evidenceOf(entries, query, this.words.rarityIn([ALL]));
    const vectorHits = near.map(({ id }) => ({ id, logOdds: evidence.get(id) ?? Number.NEGATIVE_INFINITY }));
    const ranks = new Map<string, FoundMemory['sourceRanks']>();
    for (const [source, list] of [
      ['words', byEvidence(wordHits, evidence)],
      ['vectors', vectorHits],
    ] as const)
      for (const [at, { id, logOdds }] of list.entries())
        ranks.set(id, { ...ranks.get(id), [source]: { rank: at + 1, relevance: relevanceOf(logOdds) } });
    const found = entries.map((entry) => ({ entry, sourceRanks: ranks.get(entry.id) ?? {} }));
    const { distinct } = rankAndFilter(found, { ...OPTIONS, weights: { words: 1, vectors: weight }, weak });
    return { ids: distinct.map(({ id }) => id), relevance: Math.max(0, ...distinct.map(({ rank }) => rank.relevance)) };
  }

  /** The most words other than function words that a memory shares with the text. */
  sharedWords(text: string): number {
    const asked = new Set(queryTerms(text).keys());
    this.terms ??= this.memories.map((memory) => new Set(memoryTerms(memory)));
    return Math.max(0, ...this.terms.map((terms) => [...asked].filter((term) => terms.has(term)).length));
  }

  private async near(query: string, mode: Mode) {
    if (mode === 'words') return { near: [], weight: 0 };
    const name: EmbedderName = mode.endsWith('trained') ? 'trained' : 'built-in';
    const made = this.embedders.get(name) ?? this.embedderOf(name);
    this.embedders.set(name, made);
    const { index, embedder } = await made;
    const [asked = new Float32Array()] = await embedder.embed([query]);
    return { near: index.search(asked, [ALL], POOL, embedder.minSimilarity), weight: embedder.weight };
  }

  private async embedderOf(name: EmbedderName) {
    const texts = this.memories.map(embeddedText);
    const embedder = name === 'trained' ? trainedOn(texts) : new LocalEmbedder();
    const vectors = await embedder.embed(texts);
    const index = new VectorIndex(vectors[0]?.length ?? 0);
    for (const [at, vector] of vectors.entries()) index.put(this.memories[at]?.id ?? '', ALL, vector);
    return { index, embedder };
  }
}

/** A base on these texts, with the weight of the words and a low threshold. */
function trainedOn(texts: readonly string[]): Embedder {
  const corpus = finish(readCorpus(texts.map((text) => ({ text, ownerId: null }))));
  const random = new SeededRandom(1);
  let fit = finish(startFit(corpus, () => random.normal()));
  while (fit.round < FIT_ROUNDS) fit = finish(fitRound(corpus, fit));
  const model = LatentModel.of(corpus.terms, corpus.weights, fit.basis, latentDimensions(corpus));
  return new LatentEmbedder(model.write(), { weight: 1, minSimilarity: 0.05 });
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
  const byMode: Record<Mode, number> = { ...NONE };
  const byStore: Record<string, number> = {};
  for (const mode of MODES)
    for (const [at, prompt] of [...far, ...near].entries()) {
      const by: string[] = [];
      for (const store of stores) if ((await store.recall(prompt, mode)).ids.length > 0) by.push(store.name);
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

const NONE: Readonly<Record<Mode, number>> = {
  words: 0,
  vectors: 0,
  hybrid: 0,
  'vectors, trained': 0,
  'hybrid, trained': 0,
};

/** Of the queries whose best match is stated to be that relevant: how many there are, and whose first answer is right. */
interface Stated {
  queries: number;
  right: number;
}

/** nDCG@10 on a half of the labelled queries. */
export interface Delivered {
  /** As a search ranks, which is never silent. */
  readonly searched: Score;
  /** As a recall delivers. */
  readonly recalled: Score;
  readonly stated: Readonly<Record<string, Stated>>;
}

const BINS = [0.95, 0.8, 0.65, 0.5] as const;

/** Measures on both halves of the queries: the evidence was fitted on the first. */
export async function measureDelivered(
  store: RecallStore,
  { queries }: Collection,
  mode: Mode,
): Promise<{ developed: Delivered; measured: Delivered }> {
  const of = async (half: 0 | 1): Promise<Delivered> => {
    const [searched, recalled]: [Score[], Score[]] = [[], []];
    const stated: Record<string, Stated> = {};
    for (const { text, relevant } of queries.filter((_, at) => at % 2 === half)) {
      const { ids, relevance } = await store.recall(text, mode);
      searched.push(scoreOf((await store.recall(text, mode, true)).ids, relevant));
      recalled.push(scoreOf(ids, relevant));
      const bin = BINS.find((least) => relevance >= least);
      if (bin === undefined) continue;
      const row = stated[bin] ?? { queries: 0, right: 0 };
      stated[bin] = row;
      row.queries += 1;
      if (relevant.has(ids[0] ?? '')) row.right += 1;
    }
    return { searched: mean(searched), recalled: mean(recalled), stated };
  };
  return { developed: await of(0), measured: await of(1) };
}
