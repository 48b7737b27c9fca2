/**
 * npm run bench:retrieval -- --data FOLDER, or --docs FILE --queries FILE: measures retrieval quality by keywords, vectors,
 * both, and with diversity, compared with plain BM25; then what an embedder gains that learns. The last line is JSON.
 */
import { parseArgs } from 'node:util';
import { LocalEmbedder } from '../src/recall/embedding/local-embedder.strategy.js';
import { BM25, Bm25Index } from '../src/recall/index/bm25-index.js';
import { VectorIndex } from '../src/recall/index/vector-index.js';
import { diversify } from '../src/recall/ranking/diversity.js';
import { fuse } from '../src/recall/ranking/fusion.js';
import { queryTerms, termsOf } from '../src/recall/ranking/terms.js';
import { type Collection, readCollection, readFolder, readOwnDocuments, readSkills } from './retrieval-data.js';
import { mean, type Score, scoreOf } from './retrieval-score.js';
import { measureSet, type SetResult, tableOf } from './retrieval-sets.js';
import {
  type Delivered,
  MODES,
  measureDelivered,
  measureSilence,
  type RecallStore,
  sampleFleetStore,
  storeOf,
} from './retrieval-silence.js';

const HELP = `npm run bench:retrieval -- [--data FOLDER] [--docs FILE --queries FILE] [--skills FILE] [--sample]
  [--only NAME,…] [--seeds N]

  --data FOLDER    holds retrieval/cranfield, retrieval/metatool and skills-corpus/skills.jsonl
  --docs FILE      documents, one JSON object a line: id, title or name (else the id names it), text
  --queries FILE   queries, one JSON object a line: query, relevant ([ids] or {id: gain})
  --skills FILE    skills, one JSON object a line: id, name, description, body, when_to_use (the queries)
  --sample         the documents of the repository: a section is to be found by its heading
  --only NAME,…    these sets only
  --seeds N        trainings with N seeds, 5 by default: five seeds test each query once; 0 trains nothing

The trainings take some minutes on one core. For each set and seed a base is fitted, then an adapter on the base that the
rule serves. Test queries decide nothing. "known": new queries of known documents. "later": queries of documents that came
after everything was learned. Columns: words; before (today's hybrid); base and adapter (hybrid with them, deployed or
not); after (what the rule serves); queriesAsWords (the rival: labelled queries become words of their documents).

Smallest run: --sample --seeds 0`;

/** Recall requests three candidates from each source for each delivered memory. */
const POOL = 30;
const ALL = 'all';

interface Ranked {
  readonly id: string;
  readonly score: number;
}
type Search = (query: string) => readonly Ranked[];

/** The textbook defaults on the same terms: the baseline before tuning. */
function plainBm25({ documents }: Collection): Search {
  return bm25(
    documents.map(({ id, name, text }) => ({ id, terms: termsOf(name === id ? text : `${name}\n${text}`) })),
    { k1: 1.2, b: 0.75 },
  );
}

function sparse({ documents }: Collection): Search {
  return bm25(
    documents.map(({ id, name, text }) => ({ id, terms: [...termsOf(name), ...termsOf(text)] })),
    BM25,
  );
}

function bm25(documents: readonly { id: string; terms: string[] }[], settings: typeof BM25): Search {
  const index = new Bm25Index(settings);
  for (const { id, terms } of documents) index.add(id, ALL, terms);
  return (query) => index.search(queryTerms(query), [ALL], POOL).hits;
}

/** The local embedder with the threshold and weight that recall uses. */
async function dense({ documents, queries }: Collection): Promise<{ search: Search; weight: number }> {
  const embedder = new LocalEmbedder();
  const vectors = await embedder.embed(documents.map(({ name, text }) => `${name}\n${text}`));
  const index = new VectorIndex(vectors[0]?.length ?? 0);
  for (const [at, vector] of vectors.entries()) index.put(documents[at]?.id ?? '', ALL, vector);
  const asked = await embedder.embed(queries.map(({ text }) => text));
  const vectorOf = new Map(queries.map(({ text }, at) => [text, asked[at] ?? new Float32Array()]));
  const search: Search = (query) =>
    index
      .search(vectorOf.get(query) ?? new Float32Array(), [ALL], POOL, embedder.minSimilarity)
      .map(({ id, similarity }) => ({ id, score: similarity }));
  return { search, weight: embedder.weight };
}

const hybrid =
  (words: Search, vectors: Search, weight: number): Search =>
  (query) =>
    fuse([{ ids: words(query).map(({ id }) => id) }, { ids: vectors(query).map(({ id }) => id), weight }], POOL);

function diversified({ documents }: Collection, search: Search): Search {
  const texts = new Map(documents.map(({ id, name, text }) => [id, `${name} ${text}`]));
  return (query) => {
    const found = search(query).slice(0, POOL);
    const high = found[0]?.score ?? 1;
    return diversify(
      found.map(({ id, score }) => ({ id, score: score / high, text: texts.get(id) ?? '' })),
      10,
    );
  };
}

async function measure(collection: Collection): Promise<Record<string, Score>> {
  const words = sparse(collection);
  const { search: vectors, weight } = await dense(collection);
  const both = hybrid(words, vectors, weight);
  const searches: Record<string, Search> = {
    bm25: plainBm25(collection),
    sparse: words,
    dense: vectors,
    hybrid: both,
    'sparse+mmr': diversified(collection, words),
    'hybrid+mmr': diversified(collection, both),
  };
  return Object.fromEntries(
    Object.entries(searches).map(([name, search]) => [
      name,
      mean(
        collection.queries.map(({ text, relevant }) =>
          scoreOf(
            search(text).map(({ id }) => id),
            relevant,
          ),
        ),
      ),
    ]),
  );
}

/** What a search and a recall deliver in each mode. */
async function deliveredOf(store: RecallStore, collection: Collection) {
  const byMode: Record<string, { developed: Delivered; measured: Delivered }> = {};
  for (const mode of MODES) {
    const halves = await measureDelivered(store, collection, mode);
    byMode[mode] = halves;
    for (const [half, { searched, recalled, stated }] of Object.entries(halves)) {
      const shown = Object.entries(stated)
        .sort(([a], [b]) => Number(a) - Number(b))
        .map(([least, { queries, right }]) => `≥ ${least}: ${right}/${queries}`);
      console.log(
        `  ${mode.padEnd(16)} ${half} nDCG@10 ${searched.ndcg10.toFixed(4)} searched, ${recalled.ndcg10.toFixed(4)} recalled; first is right by stated relevance: ${shown.join(', ')}`,
      );
    }
  }
  return byMode;
}

interface Options {
  readonly collections: readonly Collection[];
  readonly seeds: number;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      data: { type: 'string' },
      docs: { type: 'string' },
      queries: { type: 'string' },
      skills: { type: 'string' },
      sample: { type: 'boolean', default: false },
      only: { type: 'string' },
      seeds: { type: 'string', default: '5' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(HELP);
    process.exit(0);
  }
  if ((values.docs === undefined) !== (values.queries === undefined))
    throw new Error('--docs and --queries must be used together');
  const found = [
    ...(values.data === undefined ? [] : readFolder(values.data)),
    ...(values.docs === undefined || values.queries === undefined ? [] : [readCollection(values.docs, values.queries)]),
    ...(values.sample ? [readOwnDocuments()] : []),
    ...(values.skills === undefined ? [] : [readSkills(values.skills)]),
  ];
  if (found.length === 0) throw new Error(`no collection given\n${HELP}`);
  if (!/^\d{1,3}$/.test(values.seeds)) throw new Error('--seeds takes a whole number');
  const names = values.only?.split(',') ?? found.map(({ name }) => name);
  const unknown = names.filter((name) => !found.some((collection) => collection.name === name));
  if (unknown.length > 0) throw new Error(`--only: there is no set ${unknown.join(', ')}`);
  return { collections: found.filter(({ name }) => names.includes(name)), seeds: Number(values.seeds) };
}

async function main(): Promise<void> {
  const results: Record<string, Record<string, Score>> = {};
  const sets: Record<string, SetResult> = {};
  const delivered: Record<string, Record<string, { developed: Delivered; measured: Delivered }>> = {};
  const { collections, seeds } = readOptions();
  const stores = [await sampleFleetStore(), ...collections.map(storeOf)];
  for (const collection of collections) {
    console.log(`\n${collection.name}: ${collection.documents.length} documents, ${collection.queries.length} queries`);
    const scores = await measure(collection);
    results[collection.name] = scores;
    for (const [name, { ndcg10, recall10 }] of Object.entries(scores))
      console.log(`  ${name.padEnd(12)} nDCG@10 ${ndcg10.toFixed(4)}   recall@10 ${recall10.toFixed(4)}`);
    const store = stores.find(({ name }) => name === collection.name);
    if (store) delivered[collection.name] = await deliveredOf(store, collection);
    if (seeds === 0) continue;
    const set = await measureSet(collection, seeds);
    sets[collection.name] = set;
    console.log(tableOf(set));
  }
  console.log('\neveryday prompts');
  const silent = await measureSilence(stores);
  console.log(JSON.stringify({ bench: 'retrieval', results, delivered, silent, sets }));
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
