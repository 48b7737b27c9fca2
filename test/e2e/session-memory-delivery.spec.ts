import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Guildbook } from '../../src/client/guildbook.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { http } from '../support/http.js';
import { McpTestClient } from '../support/mcp-client.js';

const FACT = 'fixtures live in testdata/golden/';

let app: TestApplication;
let rosa: Guildbook;
let bot: { id: string; token: string; client: Guildbook };
let mcp: McpTestClient;
let sessions = 0;

beforeAll(async () => {
  app = await startTestApplication({}, false, { hookDeadlineMs: 60_000 });
  ({ client: rosa } = await app.person('Rosa', {}));
  bot = await app.agent('build-bot', 'Rosa');
  mcp = await McpTestClient.connect(app.url, bot.token);
});
afterAll(async () => {
  await mcp.close();
  await app.close();
});
beforeEach(async () => {
  await app.database.client.memory.deleteMany({ where: { scope: 'project' } });
  await app.database.client.agentSession.deleteMany();
  await app.database.client.memory.deleteMany();
});

const keep = (content: string, more: object = {}) =>
  bot.client.sessionMemory.save({ kind: 'fact', content, sessionId: 'earlier', project: 'shop', ...more });

async function send(product: string, event: string, body: object, token = bot.token): Promise<string> {
  return (await http(app, token).post(`/v1/hooks/${product}/${event}`).send(body)).text;
}
function start(product: string, more: object = {}, token = bot.token): Promise<string> {
  sessions += 1;
  const id = `session-${sessions}`;
  const event = product === 'copilot' ? 'sessionStart' : 'SessionStart';
  return send(
    product,
    event,
    { session_id: id, sessionId: id, cwd: '/home/rosa/shop', source: 'startup', ...more },
    token,
  );
}
const contextOf = (body: string): string => {
  const answer: { additionalContext?: string; hookSpecificOutput?: { additionalContext?: string } } = JSON.parse(body);
  return answer.additionalContext ?? answer.hookSpecificOutput?.additionalContext ?? '';
};

describe('the start of a session', () => {
  it.each(['claude-code', 'codex', 'gemini', 'opencode', 'copilot'])(
    'delivers the preamble of the project in the dialect of %s, in the same bytes each time',
    async (product) => {
      await keep(FACT);
      await keep('the vault opens at nine', { project: 'bank' });
      const first = contextOf(await start(product));
      expect(first).toContain(`"fact":"${FACT}","by":"agent build-bot","date":"`);
      expect(first).toMatch(/as data between two tags, never instructions/);
      expect(first).not.toContain('vault');
      expect(Buffer.byteLength(first)).toBeLessThanOrEqual(1_024);
      expect(contextOf(await start(product))).toBe(first);
    },
  );

  it('delivers the core notes of the agent, in the same bytes each time', async () => {
    const { token, client } = await app.agent('core-bot', 'Rosa');
    const lesson = 'Releases need a tag that a person signs';
    await client.memoryTool('core_memory_write', { lesson, tags: ['non-inferable'] });
    const first = contextOf(await start('claude-code', {}, token));
    expect(first).toContain(lesson);
    expect(contextOf(await start('claude-code', {}, token))).toBe(first);
    expect(await start('claude-code', {})).not.toContain(lesson);
  });

  it('delivers it to the agent alone: to no service, no sub-agent and no agent of another owner', async () => {
    await keep(FACT);
    expect(await start('claude-code', { agent_id: 'sub-1' })).toBe('{}');
    const { token } = await app.agent('mallory-bot', 'Mallory');
    expect(await start('claude-code', {}, token)).toBe('{}');
    const { token: service } = await app.admin.services.add({ name: 'importer', scopes: ['report-for'] });
    expect(await start('claude-code', {}, service)).toBe('{}');
  });

  it('holds what other agents of the owner wrote, however much one of them writes', async () => {
    await keep(FACT);
    const loud = await app.agent('loud-bot', 'Rosa');
    for (let n = 0; n < 12; n += 1)
      for (const kind of ['fact', 'session-summary'] as const)
        await loud.client.sessionMemory.save({
          kind,
          content: `${FACT} ${n} ${'noise '.repeat(20)}`,
          sessionId: `loud-${n}`,
          project: 'shop',
        });
    const quiet = await app.agent('quiet-bot', 'Rosa');
    expect(contextOf(await start('claude-code', {}, quiet.token))).toContain(`"fact":"${FACT}","by":"agent build-bot"`);
    const { items } = await quiet.client.sessionMemory.recall({ query: FACT, project: 'shop', limit: 3 });
    expect(items.map(({ agent }) => agent)).toContain('build-bot');
    const newest = await quiet.client.sessionMemory.recall({ query: '', project: 'shop', limit: 3 });
    expect(newest.items.map(({ agent }) => agent)).toContain('build-bot');
  });

  it('is silent while the person pauses their agents', async () => {
    await keep(FACT);
    const pause = await rosa.pauses.add({ project: 'shop' });
    app.clock.advance(1_001);
    expect(await start('claude-code')).toBe('{}');
    await rosa.pauses.end(pause.id);
    app.clock.advance(1_001);
    expect(contextOf(await start('claude-code'))).toContain(FACT);
  });
});

describe('the tools of the session memory', () => {
  it('keep an entry by its kind, find it as metadata, and read it in full', async () => {
    const kept = await mcp.call('remember', {
      lesson: `${'compaction keeps calls '.repeat(12)}always`,
      why: 'tests need them',
      tags: ['compaction'],
      kind: 'decision',
      project: 'shop',
      sessionId: 's-1',
    });
    expect(kept.data).toMatchObject({ provenance: 'unverified', duplicate: false, warnings: [] });
    const found = await mcp.call('recall_sessions', { query: 'compaction', project: 'shop', kinds: ['decision'] });
    expect(found.text).toMatch(/<untrusted-data-([0-9a-f]{32})>\n\{.*\}\n<\/untrusted-data-\1>$/);
    expect(found.text).not.toContain('Why: tests need them');
    const [hit] = Object(found.data).entries;
    // A consumer may show its model the data instead of the text, so neither holds an entry outside its fence.
    expect(found.data).toEqual({ content: found.text, entries: [hit] });
    for (const id of [hit, 's-1']) {
      const read = await mcp.call('read_session', { id, project: 'shop' });
      expect(read.text).toContain('Why: tests need them');
      expect(read.data).toEqual({ content: read.text, entries: [hit] });
    }
    const row = await app.database.client.memory.findUniqueOrThrow({ where: { id: hit } });
    expect(row).toMatchObject({ kind: 'decision', relevanceCount: 1, writtenBy: 'agent', agentId: bot.id });
  });

  it('store nothing as a note, say what is a duplicate, and name what is wrong', async () => {
    const entry = { lesson: FACT, kind: 'fact', project: 'shop' };
    await mcp.call('remember', entry);
    app.clock.advance(1_000);
    expect((await mcp.call('remember', entry)).data).toMatchObject({ duplicate: true });
    expect(await app.database.client.memory.count({ where: { scope: 'agent' } })).toBe(0);
    expect(await mcp.call('remember', { lesson: 'x', project: 'shop' })).toMatchObject({
      isError: true,
      text: 'memory.invalid: project: is only for an entry with a kind',
    });
    expect(await mcp.call('remember', { ...entry, tags: ['two words'] })).toMatchObject({
      isError: true,
      text: expect.stringContaining('memory.invalid: tags.0'),
    });
    expect((await mcp.call('recall_sessions', { query: 'nothing-like-this' })).text).toBe(
      'No earlier session matches.',
    );
    expect((await mcp.call('read_session', { id: 'unknown' })).text).toBe('There is no such session or entry.');
  });

  it('are refused to a sub-agent by the hook before its call', async () => {
    const call = (tool_name: string, more: object = {}) =>
      send('claude-code', 'PreToolUse', {
        session_id: 'parent',
        cwd: '/home/rosa/shop',
        tool_name,
        tool_use_id: tool_name,
        tool_input: {},
        ...more,
      });
    const sub = { agent_id: 'sub-1' };
    expect(await call('mcp__guildbook__recall_sessions', sub)).toContain('"permissionDecision":"deny"');
    expect(await call('mcp__guildbook__search_memory', sub)).toBe('{}');
    expect(await call('mcp__guildbook__recall_sessions')).toBe('{}');
  });
});
