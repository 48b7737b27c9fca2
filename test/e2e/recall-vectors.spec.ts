import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MemoryReadService } from '../../src/memory/store/memory-read.service.js';
import { Ids } from '../../src/platform/base/ids.js';
import { Readiness } from '../../src/platform/http/readiness.service.js';
import { type Embedder, toLengthOne } from '../../src/recall/embedding/embedder.js';
import { ServedEmbedder } from '../../src/recall/embedding/served-embedder.js';
import { MemoryVectorRepository } from '../../src/recall/index/memory-vector.repository.js';
import { EMBEDDER, MemoryVectors } from '../../src/recall/index/memory-vectors.service.js';
import { EVERYDAY } from '../../src/recall/index/vector-set.service.js';
import type { NewRecall } from '../../src/recall/ranking/recall.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { byMeaning, type EmbeddingsApi, startEmbeddingsApi } from '../support/embeddings-api.js';
import { storedMemory } from '../support/memories.js';

let api: EmbeddingsApi;
let app: TestApplication;
let ada: Awaited<ReturnType<TestApplication['agent']>>;
let ben: Awaited<ReturnType<TestApplication['agent']>>;

beforeAll(async () => {
  api = await startEmbeddingsApi();
  app = await startTestApplication({
    GUILDBOOK_RETRIEVAL: 'hybrid',
    GUILDBOOK_EMBEDDER_URL: api.url,
    GUILDBOOK_EMBEDDER_MODEL: 'm-1',
  });
  ada = await app.agent('Ada');
  ben = await app.agent('Ben');
});
afterAll(async () => {
  await app.close();
  await api.close();
});

const remember = (discovery: string, agentId = ada.id) =>
  storedMemory(app.database, { discovery, agentId, createdAt: app.clock.now() });
const asked = (query: string, more: Partial<NewRecall> = {}) => ada.client.recall({ query, diversify: false, ...more });
const recalledIds = async (query: string, more: Partial<NewRecall> = {}) =>
  (await asked(query, more)).memories.map(({ id }) => id);
const rows = () => app.database.client.memoryVector.findMany({ orderBy: { memoryId: 'asc' } });
/** Waits until every memory has a vector. */
async function embedded(): Promise<void> {
  await asked('anything', { retrieval: 'hybrid' });
  await app.app.get(MemoryVectors).idle();
}
/** A second process of the same server. */
function otherProcess(embedder: Embedder): MemoryVectors {
  const [reading, repository] = [app.app.get(MemoryReadService), app.app.get(MemoryVectorRepository)];
  const served = embedder instanceof ServedEmbedder ? embedder : new ServedEmbedder(embedder);
  return new MemoryVectors(served, app.database, reading, repository, app.clock, app.app.get(Ids), new Readiness());
}
const reader = () => ({ agentId: ada.id, role: null, department: null });

describe('recall by vectors', () => {
  it('finds the same meaning in other words, and names the sources of each memory', async () => {
    const car = await remember('The automobile rental fails at night');
    const bird = await remember('A heron is no airplane');
    await remember('The vehicle of Ben', ben.id);
    expect(await recalledIds('book car', { retrieval: 'words' })).toEqual([]);
    await embedded();
    const answer = await asked('book car');
    expect(answer).toMatchObject({ retrieval: 'hybrid', warnings: [] });
    expect(answer.memories).toMatchObject([{ id: car, foundBy: { vectors: { rank: 1 } } }]);
    expect((await app.client().health()).progress).toEqual({ vectors: { done: 3, left: 0 } });
    expect(answer.memories[0]?.foundBy.words).toBeUndefined();
    expect(await recalledIds('airplane birds: egret', { retrieval: 'vectors' })).toEqual([bird]);
    const both = await asked('heron');
    expect(both.memories).toMatchObject([{ id: bird, foundBy: { words: { rank: 1 }, vectors: { rank: 1 } } }]);
    expect(await app.client(ada.token).recallState()).toMatchObject({
      retrieval: 'hybrid',
      memories: 3,
      vectors: { embedder: 'http/m-1', enabled: true, embedded: 3, pending: 0, problem: null },
    });
  });

  it('finds a memory by keyword overlap, without an index', async () => {
    const id = await remember('Quokka pictures need resizing', ada.id);
    expect(await recalledIds('resize the quokka pictures', { retrieval: 'keyword_overlap' })).toEqual([id]);
    expect((await ben.client.recall({ query: 'quokka pictures', retrieval: 'keyword_overlap' })).memories).toEqual([]);
  });

  it('updates the vector with its text, and deletes it with the memory', async () => {
    const id = await remember('An invoice is late');
    await embedded();
    expect(await recalledIds('payment', { retrieval: 'vectors' })).toEqual([id]);
    const change = (data: { discovery: string } | { supersededAt: Date }) =>
      app.database.transaction((tx) => tx.memory.update({ where: { id }, data }));
    await change({ discovery: 'An egret is late' });
    await embedded();
    expect(await recalledIds('payment', { retrieval: 'vectors' })).toEqual([]);
    expect(await recalledIds('egret', { retrieval: 'vectors' })).toContain(id);
    await change({ supersededAt: app.clock.now() });
    expect(await recalledIds('egret', { retrieval: 'vectors' })).not.toContain(id);
    const later = otherProcess(app.app.get<Embedder>(EMBEDDER));
    later.enable();
    await later.idle();
    expect((await rows()).map(({ memoryId }) => memoryId)).not.toContain(id);
  });

  it('reads vectors that another process stored, and embeds again only for another embedder, with progress', async () => {
    await embedded();
    const before = await rows();
    api.calls.length = 0;
    const same = otherProcess(app.app.get<Embedder>(EMBEDDER));
    same.enable();
    await same.idle();
    expect(same.state(before.length)).toMatchObject({ embedded: before.length, pending: 0 });
    // One request to learn the number of dimensions.
    expect(api.calls).toHaveLength(1);
    const asked: number[] = [];
    const searched = new EventEmitter();
    const isSearched = once(searched, 'done');
    const another: Embedder = {
      name: 'another/2',
      knowsMeaning: true,
      minSimilarity: 0.4,
      weight: 1,
      embed: async (texts) => {
        if (texts !== EVERYDAY) asked.push(texts.length);
        // The memories are embedded after the first search, which warns that they are not yet.
        if (texts !== EVERYDAY && texts.length > 1) await isSearched;
        return texts.map((text) => toLengthOne(Float32Array.from([...byMeaning(text), 1])));
      },
    };
    const changed = otherProcess(another);
    expect((await changed.search(reader(), 'car', 5)).warnings).toEqual([
      'The vector index is incomplete: 0 of 3 memories embedded so far.',
    ]);
    searched.emit('done');
    await changed.idle();
    expect(changed.state(before.length)).toMatchObject({ embedder: 'another/2', embedded: before.length, pending: 0 });
    expect(asked).toEqual([1, 1, before.length]);
    expect(new Set((await rows()).map(({ embedder }) => embedder))).toEqual(new Set(['another/2']));
    expect((await changed.search(reader(), 'car', 5)).warnings).toEqual([]);
  });

  it('uses keywords alone in a hybrid recall, with a warning, while the embedder is unavailable', async () => {
    const id = await remember('The car park closes early');
    await embedded();
    api.refuse({ status: 400 });
    expect(await asked('car park')).toMatchObject({
      memories: [{ id, foundBy: { words: { rank: 1 } } }],
      warnings: ['Vector search is unavailable: the embedder responded with status 400.'],
    });
    api.refuse({ status: 400 });
    expect(await asked('car park', { retrieval: 'vectors' })).toMatchObject({
      memories: [],
      messages: [],
      warnings: ['Vector search is unavailable: the embedder responded with status 400.'],
    });
  });

  it('is empty and well-formed, with a warning, when the embedder fails', async () => {
    const { embedder } = app.app.get<ServedEmbedder>(EMBEDDER).current;
    const { embed } = embedder;
    embedder.embed = () => Promise.reject(new Error('a secret of the embedder'));
    expect(await asked('car park')).toMatchObject({
      messages: [],
      memories: [],
      leftOut: [],
      tokens: 0,
      warnings: ['The embedder failed, so nothing is recalled.'],
    });
    embedder.embed = embed;
  });
});
