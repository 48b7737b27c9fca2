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

describe('the recall settings of a server', () => {
  it('choose the strategy and the retrieval mode, and a request may override them', async () => {
    const usual = await ada.client.recall({ query: 'zeppelin' });
    expect([usual.strategy, usual.retrieval]).toEqual(['self_editing', 'keyword_overlap']);
    expect(usual.tools.map(({ name }) => name)).toContain('core_memory_read');
    const other = await ada.client.recall({ query: 'zeppelin', strategy: 'context', retrieval: 'words' });
    expect([other.strategy, other.retrieval, other.tools]).toEqual(['context', 'words', []]);
  });

  it('decide whether agents may write core memory', async () => {
    expect(await ada.client.memoryTool('core_memory_read')).toMatchObject({ memories: [] });
    await expect(ada.client.memoryTool('core_memory_write', { lesson: 'Always so' })).rejects.toMatchObject({
      problem: { status: 403, code: 'memory.core_read_only' },
    });
  });

  it('choose the categories that agents may write', async () => {
    expect(await write('PROCEDURAL')).toMatchObject({ memories: [] });
    await expect(write('SEMANTIC')).rejects.toMatchObject({ problem: { code: 'memory.category_read_only' } });
    await expect(ada.client.memoryTool('recall_memory_write', { lesson: 'It rained' })).resolves.toBeDefined();
  });
});
