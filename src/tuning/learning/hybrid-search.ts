import { Bm25Index } from '../../recall/index/bm25-index.js';
import { type VectorHit, VectorIndex } from '../../recall/index/vector-index.js';
import { fuse } from '../../recall/ranking/fusion.js';
import { queryTerms } from '../../recall/ranking/terms.js';
import type { JudgedQuery, SplitQuery } from './label-split.js';
import { ndcgAt10 } from './ranking-quality.js';
import type { TrainingDocument } from './training-contract.js';

/** Candidates of each source: recall asks for three times the ten that it delivers. */
const POOL = 30;
const ALL = 'all';
/** Below every threshold that can be chosen. */
const LOWEST_SIMILARITY = 0.01;
const DOCUMENTS_A_STEP = 50;
const QUERIES_A_STEP = 10;
/** Fusions in one step. */
const FUSIONS_A_STEP = 200;
/** Multiplications of a search in one step. */
const WORK_A_STEP = 8_000_000;

/** A way to answer: stored vectors, and the vector of a query among them. */
export interface VectorSystem {
  readonly index: VectorIndex;
  vectorOf(query: JudgedQuery): Float32Array;
}

/** How the vectors count beside the words. */
export interface FusionSettings {
  readonly weight: number;
  readonly minSimilarity: number;
}

/** What both sources of the hybrid search find for a query, before thresholds and fusion. */
export interface Sources {
  readonly split: SplitQuery;
  readonly words: readonly string[];
  readonly vectors: readonly VectorHit[];
}

export function* indexWords(documents: readonly TrainingDocument[]): Generator<void, Bm25Index> {
  const index = new Bm25Index();
  for (const [at, { id, terms }] of documents.entries()) {
    index.add(id, ALL, terms);
    if (at % DOCUMENTS_A_STEP === 0) yield;
  }
  return index;
}

export function indexVectors(
  documents: readonly Pick<TrainingDocument, 'id'>[],
  vectors: readonly Float32Array[],
): VectorIndex {
  const index = new VectorIndex(vectors[0]?.length ?? 1);
  for (const [at, vector] of vectors.entries()) index.put(documents[at]?.id ?? '', ALL, vector);
  return index;
}

/** What the words find. A query of two parts has two entries. */
export type WordHits = ReadonlyMap<SplitQuery, readonly string[]>;

/** Searches once for each query, deep enough for what its part leaves out. */
export function* findWords(index: Bm25Index, queries: readonly SplitQuery[]): Generator<void, WordHits> {
  const found = new Map<SplitQuery, readonly string[]>();
  for (const [at, split] of queries.entries()) {
    const { query, skipped } = split;
    const { hits } = index.search(queryTerms(query.text), [ALL], POOL + query.relevant.length);
    const kept = hits.map(({ id }) => id).filter((id) => !skipped.has(id));
    found.set(split, kept.slice(0, POOL));
    if (at % QUERIES_A_STEP === 0) yield;
  }
  return found;
}

export function* findSources(
  system: VectorSystem,
  words: WordHits,
  queries: readonly SplitQuery[],
): Generator<void, Sources[]> {
  const sources: Sources[] = [];
  let work = 0;
  for (const split of queries) {
    const limit = POOL + split.skipped.size;
    const hits = system.index.search(system.vectorOf(split.query), [ALL], limit, LOWEST_SIMILARITY);
    const vectors = hits.filter(({ id }) => !split.skipped.has(id)).slice(0, POOL);
    sources.push({ split, words: words.get(split) ?? [], vectors });
    work += system.index.size * system.index.dimensions;
    if (work > WORK_A_STEP) {
      work = 0;
      yield;
    }
  }
  return sources;
}

/** nDCG@10 of recall's own hybrid search, by query. */
export function* hybridQualities(sources: readonly Sources[], settings: FusionSettings): Generator<void, number[]> {
  const qualities: number[] = [];
  for (const [at, one] of sources.entries()) {
    qualities.push(hybridQuality(one, settings));
    if (at % FUSIONS_A_STEP === 0) yield;
  }
  return qualities;
}

function hybridQuality(sources: Sources, { weight, minSimilarity }: FusionSettings): number {
  const near = sources.vectors.filter(({ similarity }) => similarity >= minSimilarity).map(({ id }) => id);
  const fused = fuse([{ ids: sources.words }, { ids: near, weight }], POOL);
  return ndcgAt10(
    fused.map(({ id }) => id),
    new Map(sources.split.relevant.map((id) => [id, 1])),
  );
}
