import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SeededRandom } from '../../src/platform/base/seeded-random.js';
import { readCorpus } from '../../src/recall/embedding/latent-corpus.js';
import { LatentEmbedder } from '../../src/recall/embedding/latent-embedder.strategy.js';
import { fitRound, latentDimensions, startFit } from '../../src/recall/embedding/latent-fit.js';
import { LatentModel } from '../../src/recall/embedding/latent-model.js';
import type { ServedEmbedder } from '../../src/recall/embedding/served-embedder.js';
import { EMBEDDER, MemoryVectors } from '../../src/recall/index/memory-vectors.service.js';
import { finish } from '../../src/tuning/learning/training.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { http } from '../support/http.js';
import { McpTestClient } from '../support/mcp-client.js';
import { storedMemory, verifiedByPerson } from '../support/memories.js';

const ABOUT = 'pnpm lint fails with "Command not found" in the billing worker';
const NOTES = ['The release v9 failed for want of a changelog entry.', 'Ask the captain of the team before a rerun.'];
const SHARING = 'Was the command of the captain found to be true?';
const EVERYDAY = ['write a haiku about spring', 'Fix the typo in the second paragraph of the README.', SHARING, 'a'];

let app: TestApplication;
let ada: Awaited<ReturnType<TestApplication['agent']>>;
let mcp: McpTestClient;

beforeAll(async () => {
  app = await startTestApplication({}, false, { hookDeadlineMs: 60_000 });
  ada = await app.agent('ada');
  const steps = ['Run `pnpm -w run lint`.'];
  const id = await storedMemory(app.database, {
    agentId: ada.id,
    scope: 'agent',
    discovery: ABOUT,
    steps,
    createdAt: app.clock.now(),
  });
  await verifiedByPerson(app.database, id);
  for (const lesson of NOTES) await ada.client.remember({ lesson, tags: ['non-inferable'] });
  mcp = await McpTestClient.connect(app.url, ada.token);
});
afterAll(async () => {
  await mcp.close();
  await app.close();
});

const prompt = async (text: string): Promise<string> => {
  const event = { session_id: `s ${text}`, cwd: '/home/ada/shop', hook_event_name: 'UserPromptSubmit', prompt: text };
  return (await http(app, ada.token).post('/v1/hooks/claude-code/UserPromptSubmit').send(event)).text;
};

describe('recall and the hook of a prompt', () => {
  it.each(EVERYDAY)('say nothing to "%s"', async (query) => {
    for (const retrieval of ['words', 'vectors', 'hybrid', 'keyword_overlap'] as const)
      expect((await ada.client.recall({ query, retrieval })).memories).toEqual([]);
    expect(await prompt(query)).toBe('{}');
  });

  it('say what a memory is about, and nothing beside it', async () => {
    const query = 'pnpm lint\nCommand not found';
    expect((await ada.client.recall({ query })).memories.map(({ discovery }) => discovery)).toEqual([ABOUT]);
    expect((await mcp.call('search_memory', { query })).text).toContain('verified: confirmed');
    expect(await prompt(query)).toContain('verified: confirmed');
  });
});

describe('a trained base, which places a text of one known word beside every memory with that word', () => {
  it('answers no everyday prompt', async () => {
    const vectors = app.app.get(MemoryVectors);
    const { configured } = app.app.get<ServedEmbedder>(EMBEDDER);
    const embedder = new LatentEmbedder(modelOf([ABOUT, ...NOTES]), { weight: 1, minSimilarity: 0.05 });
    vectors.switchTo({ embedder, displayName: 'trained', checkpointId: 'c' });
    try {
      await ada.client.recall({ query: ABOUT, retrieval: 'hybrid' });
      await vectors.idle();
      const weak = await ada.client.recall({ query: SHARING, retrieval: 'vectors', weak: true });
      expect(weak.memories.length).toBeGreaterThan(0);
      for (const query of EVERYDAY)
        for (const retrieval of ['vectors', 'hybrid'] as const)
          expect((await ada.client.recall({ query, retrieval })).memories).toEqual([]);
    } finally {
      vectors.switchTo(configured);
    }
  });
});

function modelOf(texts: readonly string[]): Uint8Array {
  const corpus = finish(readCorpus(texts.map((text) => ({ text, ownerId: null }))));
  const random = new SeededRandom(1);
  const fit = finish(fitRound(corpus, finish(startFit(corpus, () => random.normal()))));
  return LatentModel.of(corpus.terms, corpus.weights, fit.basis, latentDimensions(corpus)).write();
}

describe('a search, over MCP and over REST', () => {
  it.each(EVERYDAY)('is silent about "%s"', async (query) => {
    expect((await mcp.call('search_memory', { query })).text).toBe('No memory matches this task.');
  });

  it('lists weak matches by title where it is asked to, and they do not count as delivered', async () => {
    const { text, data } = await mcp.call('search_memory', { query: SHARING, weak: true });
    expect(text).toContain(`"title":"${ABOUT.replaceAll('"', '\\"')}","match":"weak`);
    expect(text).not.toContain('pnpm -w run lint');
    expect(data).toMatchObject({ memories: [] });
    const { memories } = await ada.client.recall({ query: SHARING, weak: true });
    expect(memories.map(({ weak }) => weak)).toEqual([true, true]);
  });
});
