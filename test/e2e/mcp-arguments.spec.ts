import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { report } from '../support/reports.js';

let app: TestApplication;
let token: string;

beforeAll(async () => {
  app = await startTestApplication();
  ({ token } = await app.agent('Ada'));
});
afterAll(() => app.close());

/** Posts one JSON-RPC message as it is. */
async function post(message: object): Promise<string> {
  const response = await fetch(`${app.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });
  const text = await response.text();
  return text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '');
}

async function call(name: string, given?: object | null) {
  const params = given === undefined ? { name } : { name, arguments: given };
  const { result } = JSON.parse(await post({ method: 'tools/call', params }));
  return { isError: result.isError === true, text: String(result.content[0].text), data: result.structuredContent };
}

describe('the MCP server takes what clients send', () => {
  it.each([
    ['no parameters', { method: 'tools/list' }],
    ['null for them', { method: 'tools/list', params: null }],
    ['null for one', { method: 'tools/list', params: { cursor: null, _meta: null } }],
  ])('with %s', async (_what, message) => {
    expect(JSON.parse(await post(message))).toMatchObject({ result: { tools: expect.any(Array) } });
  });

  it.each([
    ['no arguments', undefined],
    ['null for them', null],
    ['null for each', { sessionId: null, newOnly: null }],
  ])('with %s', async (_what, given) => {
    expect(await call('list_skills', given)).toMatchObject({ isError: false, data: { items: [] } });
  });

  it('null for each optional argument of a tool, also inside another one', async () => {
    const rest = { task: null, why: null, steps: null, tags: null, sources: null, sessionId: null, project: null };
    expect(await call('remember', { lesson: 'The osprey export needs python3', kind: null, ...rest })).toMatchObject({
      isError: false,
    });
    const checked = { tool: { name: 'Bash', action: null, effect: null }, memories: [], sessionId: null };
    expect(await call('check_action', checked)).toMatchObject({ isError: false, data: { decision: 'allow' } });
    const use = { executionId: 'e', event: 'loaded', at: '2026-03-01T00:00:00Z', outcome: null, version: null };
    expect((await call('report_skill_use', { name: 'no-such-skill', use })).text).toMatch(/^skill\.not_found/);
  });

  it.each([true, 'true', 'True', 'false', null])('%j for a boolean', async (newOnly) => {
    const answer = await call('list_skills', { newOnly, sessionId: 's' });
    expect(answer).toMatchObject({ isError: false, data: { items: [] } });
  });

  it('text for a boolean with its meaning', async () => {
    expect((await call('list_skills', { newOnly: 'true' })).text).toContain('recall.session_missing');
    expect((await call('list_skills', { newOnly: 'false' })).text).toBe('No skills yet.');
  });

  it.each(['3', 3, null])('%j for a number', async (limit) => {
    expect(await call('search_memory', { query: 'osprey', limit })).toMatchObject({ isError: false });
  });

  it.each([
    ['a list', ['plover', 'heron']],
    ['a list as JSON text', '["plover","heron"]'],
  ])('%s', async (what, steps) => {
    const { text } = await call('remember', { lesson: `The egret index, given as ${what}`, steps });
    const { text: read } = await call('recall_memory', { id: JSON.parse(text).id });
    expect(read).toContain('"step 1":"plover"');
    expect(read).toContain('"step 2":"heron"');
  });

  it.each([
    ['plover, heron', '"step 1":"plover, heron"'],
    ['[sic] plover', '"step 1":"[sic] plover"'],
  ])('the text %j for a list of one', async (steps, read) => {
    const { text } = await call('remember', { lesson: `The egret index needs ${steps}`, steps });
    expect((await call('recall_memory', { id: JSON.parse(text).id })).text).toContain(read);
  });

  it('lists and objects of a report as JSON text', async () => {
    const { toolCalls, verification, retryCount, ...rest } = report({ executionId: 'as-text' });
    const asText = {
      ...rest,
      toolCalls: JSON.stringify(toolCalls),
      verification: JSON.stringify(verification),
      retryCount: String(retryCount),
    };
    expect(await call('report_execution', asText)).toMatchObject({
      data: { executionId: 'as-text', duplicate: false },
    });
  });

  it('text where a tool takes text, as it is', async () => {
    const { text } = await call('remember', { lesson: 'true', why: '["a"]' });
    expect((await call('recall_memory', { id: JSON.parse(text).id })).text).toContain('true');
  });
});

describe('a refused argument', () => {
  it.each([
    ['search_memory', { query: null }, 'query'],
    ['search_memory', {}, 'query'],
    ['search_memory', { query: 'osprey', limit: 'many' }, 'limit'],
    ['search_memory', { query: 'osprey', limit: '1e400' }, 'limit'],
    ['search_memory', { query: 'osprey', limit: '9999' }, 'limit'],
    ['list_skills', { newOnly: 'perhaps' }, 'newOnly'],
    ['check_action', { tool: { name: null }, memories: [] }, 'tool.name'],
    ['check_action', { tool: '{"name":', memories: [] }, 'tool'],
    ['remember', { lesson: 'x', sources: 'not-an-id' }, 'sources'],
    ['remember', { lesson: 'x', tags: [null] }, 'tags'],
    ['remember', { lesson: 'x', tags: `${'['.repeat(5_000)}${']'.repeat(5_000)}` }, 'tags'],
    ['report_execution', null, 'executionId'],
    ['remember', { lesson: 'x', unknown: 'y' }, 'unknown'],
  ])('of %s names its field: %j', async (tool, given, field) => {
    const { isError, text } = await call(tool, given);
    expect(isError).toBe(true);
    expect(text).toContain(field);
  });
});
