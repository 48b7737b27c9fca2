import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { McpTestClient } from '../support/mcp-client.js';

let app: TestApplication;
let ada: Awaited<ReturnType<TestApplication['agent']>>;
let mcp: McpTestClient;

async function start(categories: string): Promise<void> {
  app = await startTestApplication({
    GUILDBOOK_WRITABLE_CATEGORIES: categories,
    GUILDBOOK_RECALL_STRATEGY: 'self_editing',
  });
  ada = await app.agent('Ada');
  mcp = await McpTestClient.connect(app.url, ada.token);
}
const stop = async () => {
  await mcp.close();
  await app.close();
};
const stored = () => app.database.client.memory.count({ where: { scope: { not: 'project' } } });

describe('a server on which agents may not write procedures', () => {
  beforeAll(() => start('CORE,SEMANTIC,EPISODIC'));
  afterAll(stop);

  it('refuses a note over REST and over MCP, and stores nothing', async () => {
    const note = { lesson: 'Run the export with python3', tags: ['non-inferable'] };
    await expect(ada.client.remember(note)).rejects.toMatchObject({
      problem: { status: 403, code: 'memory.category_read_only' },
    });
    const { isError, text } = await mcp.call('remember', note);
    expect([isError, text]).toEqual([true, expect.stringContaining('PROCEDURAL are read-only')]);
    expect(await stored()).toBe(0);
    expect((await app.admin.journal.list({ action: 'memory.remembered' })).items).toEqual([]);
  });

  it('still keeps entries of session memory, which is another store', async () => {
    const { isError } = await mcp.call('remember', {
      kind: 'fact',
      project: 'books',
      lesson: 'The books close in May',
    });
    expect(isError).toBe(false);
  });

  it('stores no note in the core block beside its own tool, whatever its tags say', async () => {
    const fact = { lesson: 'The books close in March', category: 'SEMANTIC', tags: ['core', 'non-inferable'] };
    const { warnings } = await ada.client.memoryTool('archival_memory_write', fact);
    expect(warnings).toEqual([expect.stringContaining('without the tag "core"')]);
    expect((await ada.client.memoryTool('core_memory_read')).memories).toEqual([]);
    await ada.client.memoryTool('core_memory_write', { lesson: 'Ask before paying', tags: ['core', 'non-inferable'] });
    const [id = ''] = (await ada.client.memoryTool('core_memory_read')).memories;
    const row = await app.database.client.memory.findUniqueOrThrow({ where: { id } });
    expect(row.tags).toEqual(['core']);
  });

  it('refuses a core note above the budget with what it would take', async () => {
    const { problem } = await ada.client
      .memoryTool('core_memory_write', { lesson: `${'帳簿'.repeat(400)}`, tags: ['non-inferable'] })
      .then(
        () => ({ problem: undefined }),
        (error: { problem: { code: string; detail: string } }) => error,
      );
    expect(problem).toMatchObject({
      code: 'memory.block_full',
      detail: expect.stringMatching(/^The block has 1024 tokens and would take \d+ with this note. This note alone/),
    });
    const before = await stored();
    await ada.client.memoryTool('core_memory_write', { lesson: 'Books are 帳簿', tags: ['non-inferable'] });
    expect(await stored()).toBe(before + 1);
  });
});
