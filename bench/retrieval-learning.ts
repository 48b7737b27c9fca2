import type { Embedder } from '../src/recall/embedding/embedder.js';
import { LatentEmbedder } from '../src/recall/embedding/latent-embedder.strategy.js';
import { LocalEmbedder } from '../src/recall/embedding/local-embedder.strategy.js';
import { Bm25Index } from '../src/recall/index/bm25-index.js';
import { VectorIndex } from '../src/recall/index/vector-index.js';
import { fuse } from '../src/recall/ranking/fusion.js';
import { queryTerms, termsOf } from '../src/recall/ranking/terms.js';
import { meanOf, ndcgAt10 } from '../src/tuning/learning/ranking-quality.js';
import { train } from '../src/tuning/learning/training.js';
import type { Training, TrainingInput, TrainingResult } from '../src/tuning/learning/training-contract.js';
import type { Document } from './retrieval-data.js';
import type { TestQuery, TestSplit } from './retrieval-split.js';

const POOL = 30;
const ALL = 'all';

/** nDCG@10 on the test queries, which decided nothing. */
export interface LearningScores {
  readonly words: number;
  /** Today's hybrid: words, and hashed vectors behind them. */
  readonly before: number;
  /** The hybrid with the new base, whether it is deployed or not. */
  readonly base: number;
  /** What is served after the deploy rule. */
  readonly after: number;
  /** The rival: the labelled queries become words of their documents. */
  readonly queriesAsWords: number;
}

export interface LearningRun {
  readonly scores: LearningScores;
  readonly base: TrainingResult;
}

const textOf = ({ name, text }: Document): string => `${name}\n${text}`;
const termsFor = ({ name, text }: Document): string[] => [...termsOf(name), ...termsOf(text)];

/** Learns a base from one split, and measures all. */
export async function learn(
  split: TestSplit,
  seed: number,
  finish: (training: Training) => TrainingResult,
): Promise<LearningRun> {
  const local = new LocalEmbedder();
  const base = finish(train(await inputFor(split, seed, local)));
  const latent = new LatentEmbedder(base.model, base);
  const measure = new Measurement(split);
  const scores = {
    words: measure.words(false),
    before: await measure.hybrid(local),
    base: await measure.hybrid(latent),
    after: await measure.hybrid(base.verdict.deploy ? latent : local),
    queriesAsWords: measure.words(true),
  };
  return { scores, base };
}

async function inputFor(split: TestSplit, seed: number, served: Embedder): Promise<TrainingInput> {
  const vectors = await served.embed(split.fitted.map(textOf));
  const asked = await served.embed(split.labelled.map(({ text }) => text));
  const documents = split.fitted.map((document, at) => ({
    id: document.id,
    text: textOf(document),
    terms: termsFor(document),
    ownerId: null,
    createdAt: at,
    vector: vectors[at] ?? new Float32Array(),
  }));
  return {
    seed,
    foreign: [],
    documents: documents.sort((a, b) => (a.id < b.id ? -1 : 1)),
    queries: split.labelled.map((query, at) => ({ ...query, vector: asked[at] ?? new Float32Array() })),
    served: { name: served.name, weight: served.weight, minSimilarity: served.minSimilarity },
  };
}

/** Asks the test queries among all documents, those that came later included. */
class Measurement {
  private readonly documents: readonly Document[];

  constructor(private readonly split: TestSplit) {
    this.documents = [...split.fitted, ...split.later];
  }

  words(withQueries: boolean): number {
    const index = this.wordIndex(withQueries);
    return this.mean((query) => this.wordHits(index, query));
  }

  async hybrid(embedder: Embedder): Promise<number> {
    const words = this.wordIndex(false);
    const vectors = await embedder.embed(this.documents.map(textOf));
    const index = new VectorIndex(vectors[0]?.length ?? 1);
    for (const [at, vector] of vectors.entries()) index.put(this.documents[at]?.id ?? '', ALL, vector);
    const { test } = this.split;
    const asked = await embedder.embed(test.map(({ text }) => text));
    return this.mean((query, at) => {
      const limit = POOL + query.skipped.size;
      const near = index.search(asked[at] ?? new Float32Array(), [ALL], limit, embedder.minSimilarity);
      const ids = kept(near, query);
      return fuse([{ ids: this.wordHits(words, query) }, { ids, weight: embedder.weight }], POOL).map(({ id }) => id);
    });
  }

  private mean(rank: (query: TestQuery, at: number) => readonly string[]): number {
    const { test } = this.split;
    return meanOf(test.map((query, at) => ndcgAt10(rank(query, at), new Map(query.relevant.map((id) => [id, 1])))));
  }

  private wordHits(index: Bm25Index, query: TestQuery): string[] {
    return kept(index.search(queryTerms(query.text), [ALL], POOL + query.skipped.size).hits, query);
  }

  private wordIndex(withQueries: boolean): Bm25Index {
    const asked = new Map<string, string[]>();
    if (withQueries)
      for (const { text, relevant } of this.split.labelled)
        for (const id of relevant) asked.set(id, [...(asked.get(id) ?? []), ...termsOf(text)]);
    const index = new Bm25Index();
    for (const document of this.documents)
      index.add(document.id, ALL, [...termsFor(document), ...(asked.get(document.id) ?? [])]);
    return index;
  }
}

const kept = (hits: readonly { readonly id: string }[], { skipped }: TestQuery): string[] =>
  hits
    .map(({ id }) => id)
    .filter((id) => !skipped.has(id))
    .slice(0, POOL);
