import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildApplication } from '../../src/application.js';
import type { RecallableMemory } from '../../src/memory/store/recallable-memory.js';
import { loadConfig } from '../../src/platform/config/config.js';
import { MemoryVectors } from '../../src/recall/index/memory-vectors.service.js';
import { MemoryFinder } from '../../src/recall/search/memory-finder.service.js';
import type { SimilarityStrategy } from '../../src/recall/search/similarity.js';
import { VectorSimilarity } from '../../src/recall/search/vector-similarity.strategy.js';
import { WordSimilarity } from '../../src/recall/search/word-similarity.strategy.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { type EmbeddingsApi, startEmbeddingsApi } from '../support/embeddings-api.js';
import { storedMemory } from '../support/memories.js';
import { profileFile } from '../support/profile-file.js';

type Agent = Awaited<ReturnType<TestApplication['agent']>>;

async function started(profile?: object, environment: Record<string, string> = {}) {
  const app = await startTestApplication({
    ...environment,
    ...(profile === undefined ? {} : { GUILDBOOK_RANKING_PROFILE: profileFile(profile) }),
  });
  const ada = await app.agent('Ada');
  const remember = (discovery: string, more: { controlTags?: string[]; hoursAgo?: number } = {}) =>
    storedMemory(app.database, {
      discovery,
      agentId: ada.id,
      steps: [discovery],
      ...(more.controlTags === undefined ? {} : { controlTags: more.controlTags }),
      createdAt: new Date(app.clock.now().getTime() - (more.hoursAgo ?? 0) * 3_600_000),
    });
  return { app, ada, remember };
}

describe('a server without a ranking profile', () => {
  it('ranks with the defaults, and names no profile in its answers and in the journal', async () => {
    const { app, ada, remember } = await started();
    try {
      await remember('The zeppelin export needs python3');
      const answer = await ada.client.recall({ query: 'zeppelin export' });
      expect(answer).not.toHaveProperty('profile');
      const [{ recency = 0, combined = 0 } = {}] = answer.memories;
      // The only one stands first.
      expect(combined).toBeCloseTo(0.7 + 0.3 * recency, 12);
      expect((await ada.client.recallState()).profile).toMatchObject({
        name: 'default',
        fromFile: false,
        values: { minRelevance: 0.5, maxResults: 20, fusion: { k: 60, embedderWeight: 0.002 } },
      });
      await app.settled();
      const { items } = await app.admin.journal.list({ action: 'memory.recalled' });
      expect(items).toHaveLength(1);
      expect(items[0]?.data).not.toHaveProperty('profile');
    } finally {
      await app.close();
    }
  });

  it('does not start with a profile that is wrong, and says where', async () => {
    const { app } = await started();
    try {
      const config = loadConfig({ GUILDBOOK_RANKING_PROFILE: profileFile({ diversity: { lambda: 2 } }) });
      await expect(buildApplication(config, app.database, { logger: false })).rejects.toThrow(
        /^GUILDBOOK_RANKING_PROFILE: .*profile\.json: diversity\.lambda: /,
      );
    } finally {
      await app.close();
    }
  });
});

describe('a server with a ranking profile', () => {
  let app: TestApplication;
  let ada: Agent;
  let remember: Awaited<ReturnType<typeof started>>['remember'];
  const PROFILE = {
    name: 'fleet-2',
    relevanceWeight: 0.4,
    recencyWeight: 0.6,
    decayPerHour: 0.5,
    personalBoost: 0,
    minRelevance: 0.05,
    defaultRelevance: 0.25,
    maxResults: 3,
    filter: 'none',
    diversity: { enabled: false, pool: 2 },
  };

  beforeAll(async () => {
    ({ app, ada, remember } = await started(PROFILE));
  });
  afterAll(() => app.close());

  it('names it in the settings, in each answer and in the journal', async () => {
    await remember('The okapi export needs python3');
    const { profile } = await ada.client.recallState();
    expect(profile).toMatchObject({
      name: 'fleet-2',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      fromFile: true,
      values: { decayPerHour: 0.5, fusion: { k: 60 }, diversity: { enabled: false, lambda: 0.7 }, filter: 'none' },
    });
    const answer = await ada.client.recall({ query: 'okapi export' });
    const { name, sha256 } = profile;
    expect(answer.profile).toEqual({ name, sha256, relevanceWeight: 0.4, recencyWeight: 0.6 });
    await app.settled();
    const { items } = await app.admin.journal.list({ action: 'memory.recalled' });
    expect(items[0]?.data).toMatchObject({ profile: sha256 });
  });

  it('ranks with its weights, decay and boost', async () => {
    const id = await remember('The zeppelin export needs python3', { hoursAgo: 2 });
    const { memories } = await ada.client.recall({ query: 'zeppelin export' });
    const { relevance = 0, recency = 0, combined = 0 } = memories.find((memory) => memory.id === id) ?? {};
    expect(recency).toBeCloseTo(Math.exp(-0.5 * 2), 3);
    expect(combined).toBeCloseTo(0.4 + 0.6 * recency, 12);
    // Without the boost, the relevance is that of the words.
    expect(relevance).toBe(memories.find((memory) => memory.id === id)?.foundBy.words?.relevance);
  });

  it('delivers what its filter allows, at most its results, from a pool of its size', async () => {
    for (let n = 0; n < 12; n++) await remember(`Quagga feeding in way ${n}`, { controlTags: [] });
    const { memories, leftOut, warnings } = await ada.client.recall({ query: 'quagga feeding', limit: 5 });
    expect(memories).toHaveLength(3);
    expect(memories.length + leftOut.length).toBe(5 * 2);
    expect(warnings).toEqual(['The ranking profile limits a recall to 3 memories.']);
  });

  it('gives its default relevance to core notes, which no search scores', async () => {
    await ada.client.memoryTool('core_memory_write', { lesson: 'Export by night', tags: ['non-inferable'] });
    const { memories } = await ada.client.recall({ query: 'x', strategy: 'self_editing' });
    expect(memories).toMatchObject([{ relevance: 0.25 }]);
  });

  it('does not diversify unless a request asks for it', async () => {
    const first = await remember('Heron heron nets are mended with green rope');
    const second = await remember('Heron heron nets are mended with green rope today');
    const other = await remember('A heron counts on its nets, which hang beside the rope of the ferry');
    const idsOf = async (more: object) =>
      (await ada.client.recall({ query: 'heron nets rope', limit: 2, ...more })).memories.map(({ id }) => id);
    expect((await idsOf({})).sort()).toEqual([first, second].sort());
    expect(await idsOf({ diversify: true })).toContain(other);
  });
});

describe('similarities', () => {
  let api: EmbeddingsApi;
  let app: TestApplication;
  let ada: Agent;
  let remember: Awaited<ReturnType<typeof started>>['remember'];
  const memories = new Map<string, RecallableMemory>();

  beforeAll(async () => {
    api = await startEmbeddingsApi();
    ({ app, ada, remember } = await started(
      { diversity: { similarity: 'cosine', lambda: 0.3 } },
      { GUILDBOOK_EMBEDDER_URL: api.url, GUILDBOOK_EMBEDDER_MODEL: 'm-1' },
    ));
    const texts = ['The rental car fails', 'The rental automobile fails', 'The heron at the rental fails'];
    for (const text of texts) {
      const id = await remember(text);
      const found = await app.app
        .get(MemoryFinder)
        .findOne({ id: ada.id, name: 'Ada', role: null, department: null, owner: null }, id);
      if (found) memories.set(text, found);
    }
    await ada.client.recall({ query: 'rental' });
    await app.app.get(MemoryVectors).idle();
  });
  afterAll(async () => {
    await app.close();
    await api.close();
  });
  const of = (...texts: string[]) => texts.flatMap((text) => memories.get(text) ?? []);

  /** The contract of every similarity. */
  describe.each([
    ['word_bigrams', WordSimilarity],
    ['cosine', VectorSimilarity],
  ] as const)('the similarity %s', (name, type) => {
    const strategy = (): SimilarityStrategy => app.app.get<SimilarityStrategy>(type);

    it('has its name, is symmetric, lies in [0, 1], and is 1 for the same text', async () => {
      expect(strategy().name).toBe(name);
      const all = [...memories.values(), ...memories.values()];
      const { similarity, warnings } = await strategy().compare(all);
      expect([all.length, warnings]).toEqual([6, []]);
      for (let a = 0; a < all.length; a++)
        for (let b = 0; b < all.length; b++) {
          const value = similarity(a, b);
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
          expect(similarity(b, a)).toBeCloseTo(value, 6);
          if (all[a] === all[b]) expect(value).toBeCloseTo(1, 5);
        }
    });

    it('compares nothing, one memory, and memories that it has never seen', async () => {
      expect((await strategy().compare([])).warnings).toEqual([]);
      const [one] = memories.values();
      if (!one) throw new Error('no memory');
      const stranger = { ...one, id: '00000000-0000-4000-8000-00000000dead' };
      const { similarity } = await strategy().compare([one, stranger]);
      expect(similarity(0, 1)).toBeCloseTo(1, 5);
    });
  });

  it('differ: by meaning, two words for one thing are alike; by words, they are not', async () => {
    const pair = of('The rental car fails', 'The rental automobile fails');
    const words = await app.app.get(WordSimilarity).compare(pair);
    const meaning = await app.app.get(VectorSimilarity).compare(pair);
    expect(words.similarity(0, 1)).toBeLessThan(0.9);
    expect(meaning.similarity(0, 1)).toBeGreaterThan(0.99);
  });

  it('of the profile decides what a recall delivers, and warns while vectors are missing', async () => {
    const asked = () => ada.client.recall({ query: 'rental fails', retrieval: 'words', limit: 2 });
    const { memories: delivered, warnings } = await asked();
    expect(warnings).toEqual([]);
    expect(delivered.map(({ discovery }) => discovery)).toContain('The heron at the rental fails');
    await app.database.client.memoryVector.deleteMany({});
    expect((await asked()).warnings).toEqual(['3 of 3 candidates have no vector yet: words compare them.']);
  });
});
