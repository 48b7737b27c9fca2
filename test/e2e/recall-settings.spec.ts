import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';

let app: TestApplication;
let ada: Awaited<ReturnType<TestApplication['agent']>>;

beforeAll(async () => {
  app = await startTestApplication({
    GUILDBOOK_RECALL_STRATEGY: 'self_editing',
    GUILDBOOK_RETRIEVAL: 'keyword_overlap',
    GUILDBOOK_WRITABLE_CATEGORIES: 'PROCEDURAL,EPISODIC',
  });
  ada = await app.agent('Ada');
});
afterAll(() => app.close());

const write = (category: string) =>
  ada.client.memoryTool('archival_memory_write', { lesson: `A zeppelin of ${category}`, category });

describe('how a server is set up to recall', () => {
  it('says by which strategy, and by what memories are found; a request may say otherwise', async () => {
    const usual = await ada.client.recall({ query: 'zeppelin' });
    expect([usual.strategy, usual.retrieval]).toEqual(['self_editing', 'keyword_overlap']);
    expect(usual.tools.map(({ name }) => name)).toContain('core_memory_read');
    const other = await ada.client.recall({ query: 'zeppelin', strategy: 'context', retrieval: 'words' });
    expect([other.strategy, other.retrieval, other.tools]).toEqual(['context', 'words', []]);
  });

  it('says whether agents write what is always before them', async () => {
    expect(await ada.client.memoryTool('core_memory_read')).toMatchObject({ memories: [] });
    await expect(ada.client.memoryTool('core_memory_write', { lesson: 'Always so' })).rejects.toMatchObject({
      problem: { status: 403, code: 'memory.core_read_only' },
    });
  });

  it('says what kinds of memories they write', async () => {
    expect(await write('PROCEDURAL')).toMatchObject({ memories: [] });
    await expect(write('SEMANTIC')).rejects.toMatchObject({ problem: { code: 'memory.category_read_only' } });
    await expect(ada.client.memoryTool('recall_memory_write', { lesson: 'It rained' })).resolves.toBeDefined();
  });
});
