import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CommandLine } from '../support/command-line.js';
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

describe('the core block of one agent', () => {
  const write = (lesson: string) => ada.client.memoryTool('core_memory_write', { lesson, tags: ['non-inferable'] });
  const opened = async () =>
    (await ada.client.recall({ query: 'books' })).messages.map(({ content }) => content).join();

  beforeAll(() => start('CORE,PROCEDURAL,SEMANTIC,EPISODIC'));
  afterAll(stop);

  it('has the budget that an administrator sets, for writes and for deliveries', async () => {
    await write('The books close in March');
    await write('The auditors come in April');
    expect(await app.admin.agents.change(ada.id, { coreTokens: 500 })).toMatchObject({ coreTokens: 500 });
    await expect(write(`The ledger ${'is kept in the vault '.repeat(60)}`)).rejects.toMatchObject({
      problem: { status: 409, code: 'memory.block_full', errors: [{ field: 'lesson' }] },
    });
    expect(await opened()).toContain('auditors');
    await app.admin.agents.change(ada.id, { coreTokens: 1 });
    expect(await opened()).not.toContain('auditors');
    expect((await ada.client.memoryTool('core_memory_read')).memories).toHaveLength(2);
    const other = await app.agent('Ben');
    await other.client.memoryTool('core_memory_write', { lesson: 'Ben counts', tags: ['non-inferable'] });
    expect(await app.admin.agents.change(ada.id, { coreTokens: null })).not.toHaveProperty('coreTokens');
    expect(await opened()).toContain('auditors');
  });

  it('is not written by an agent for which an administrator forbids it, and is delivered to it', async () => {
    await app.admin.agents.change(ada.id, { coreWritable: false });
    const before = await stored();
    await expect(write('Pay first')).rejects.toMatchObject({
      problem: { status: 403, code: 'memory.core_read_only', detail: expect.stringContaining('coreWritable') },
    });
    expect(await stored()).toBe(before);
    expect(await opened()).toContain('auditors');
    const listed = (await app.admin.agents.list()).items.map(({ name, coreWritable = true }) => [name, coreWritable]);
    expect(listed).toEqual(
      expect.arrayContaining([
        ['Ada', false],
        ['Ben', true],
      ]),
    );
    await app.admin.agents.change(ada.id, { coreWritable: true });
    await write('Pay last');
    expect((await app.admin.journal.list({ action: 'access.agent_changed', subject: ada.id })).items).toHaveLength(5);
  });

  it('is changed by administrators alone, and a wrong field is named', async () => {
    await expect(ada.client.agents.change(ada.id, { coreTokens: 5 })).rejects.toMatchObject({
      problem: { status: 403 },
    });
    await expect(app.admin.agents.change(ada.id, { coreTokens: 100_000 })).rejects.toMatchObject({
      problem: { status: 400, errors: [{ field: 'coreTokens' }] },
    });
    const commands = await CommandLine.create();
    const given = ['agents', 'change', 'Ada', '--core-tokens', '300', '--no-core-writable'];
    const { stdout } = await commands.run(given, { GUILDBOOK_SERVER: app.url, GUILDBOOK_TOKEN: app.adminToken });
    await commands.remove();
    expect(stdout).toContain('Ada: core block of 300 tokens, read-only.');
  });
});
