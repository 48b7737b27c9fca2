import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ExecutionReport } from '../../src/capture/report/execution-report.schema.js';
import type { ReportReceipt } from '../../src/capture/store/executions.schema.js';
import { Problem } from '../../src/platform/http/problem.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { startMessagesApi } from '../support/messages-api.js';
import { PYTHON_TO_PYTHON3, report, run } from '../support/reports.js';

let app: TestApplication;
let ada: { id: string; token: string };
let importer: string;

beforeAll(async () => {
  app = await startTestApplication();
  ada = await app.agent('Ada', 'Books');
  importer = (await app.admin.services.add({ name: 'Importer', owner: 'Fleet', scopes: ['report-for', 'read'] })).token;
});
afterAll(() => app.close());

type Headers = Readonly<Record<string, string>>;

/** Sends raw bytes, as a client does that is not ours. */
function post(body: string | Uint8Array<ArrayBuffer>, headers: Headers = {}): Promise<Response> {
  return fetch(`${app.url}/v1/executions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ada.token}`, ...headers },
    body,
  });
}

const send = (change: object, headers: Headers = {}): Promise<Response> =>
  post(JSON.stringify({ ...report(), ...change }), headers);
const by = (token: string, agent?: string): Headers => ({
  authorization: `Bearer ${token}`,
  ...(agent === undefined ? {} : { 'guildbook-agent': agent }),
});

async function received(response: Response): Promise<ReportReceipt> {
  expect(response.status).toBe(202);
  // The client's type; each test checks the content.
  return (await response.json()) as ReportReceipt;
}

/** The problem in the response, with the names of the invalid fields. */
async function problem(response: Response): Promise<{ status: number; code: string; fields: string[] }> {
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  const { status, code, errors = [] } = Problem.parse(await response.json());
  expect(status).toBe(response.status);
  return { status, code, fields: errors.map(({ field }) => field) };
}

const stored = () => app.database.client.execution.count();

describe('a report over HTTP', () => {
  it('is accepted, and accepted again as a duplicate', async () => {
    const first = await received(await send({ executionId: 'twice' }));
    expect(first).toMatchObject({ executionId: 'twice', agent: 'Ada', duplicate: false });
    const before = await stored();
    expect(await received(await send({ executionId: 'twice' }))).toEqual({ ...first, duplicate: true });
    expect(await stored()).toBe(before);
  });

  it('with the same id and different content is a conflict', async () => {
    await received(await send({ executionId: 'conflict' }));
    expect(await problem(await send({ executionId: 'conflict', taskTitle: 'Open the books' }))).toEqual({
      status: 409,
      code: 'execution.content_differs',
      fields: ['executionId'],
    });
  });

  it('may have an id that another agent used', async () => {
    const ben = await app.agent('Ben', 'Shop');
    const first = await received(await send({ executionId: 'shared' }));
    const second = await received(await send({ executionId: 'shared' }, by(ben.token)));
    expect(second).toMatchObject({ agent: 'Ben', duplicate: false });
    expect(second.id).not.toBe(first.id);
  });

  it('requires a credential with the scope to report', async () => {
    expect(await problem(await send({}, { authorization: '' }))).toMatchObject({ status: 401 });
    expect(await problem(await send({}, by('gbt_0123456789012345678901234567890123')))).toMatchObject({ status: 401 });
    const reader = await app.admin.services.add({ name: 'Reader', scopes: ['read'] });
    expect(await problem(await send({}, by(reader.token, 'Ada')))).toMatchObject({
      status: 403,
      code: 'access.scope_missing',
    });
  });
});

const call = (more: object) => ({ toolCalls: [{ ...run('make'), ...more }] });

describe('a malformed report is refused with the name of its field, and nothing is stored', () => {
  let before: number;
  beforeEach(async () => {
    before = await stored();
  });

  it.each<[string, object, string[]]>([
    ['a conversation', { messages: [{ role: 'user', content: 'hello' }] }, ['messages']],
    ['the output of a tool', call({ output: 'secret' }), ['toolCalls.0.output']],
    ['the reporter', { agentId: 'an agent', owner: 'an owner' }, ['agentId', 'owner']],
    ['a missing task', { taskTitle: undefined }, ['taskTitle']],
    ['a status of running', { status: 'running' }, ['status']],
    ['an unknown status', { status: 'ok' }, ['status']],
    ['more retries than allowed', { retryCount: 4 }, ['retryCount']],
    ['an end before the start', { finishedAt: '2026-03-31T17:59:59Z' }, ['finishedAt']],
    ['an invalid time', { startedAt: 'yesterday' }, ['startedAt']],
    ['a source that is not a hash', { sources: [`sha256:${'a'.repeat(64)}`, 'https://example.org'] }, ['sources.1']],
    ['a verdict without its source', { verification: { outcome: 'succeeded' } }, ['verification.source']],
    ['a quality above ten', { qualityScore: 10.1 }, ['qualityScore']],
    ['a title that is too long', { taskTitle: 'x'.repeat(501) }, ['taskTitle']],
    ['an action that is too long', call({ action: 'x'.repeat(1_001) }), ['toolCalls.0.action']],
    ['too many calls', { toolCalls: Array.from({ length: 5_001 }, () => run('ls')) }, ['toolCalls']],
    ['too many tags', { tags: Array.from({ length: 21 }, (_, n) => `tag-${n}`) }, ['tags']],
    ['a number as text', { retryCount: '0' }, ['retryCount']],
    ['a blank id', { executionId: '  ' }, ['executionId']],
  ])('%s', async (_what, change, fields) => {
    expect(await problem(await send({ executionId: 'refused', ...change }))).toEqual({
      status: 400,
      code: 'request.invalid',
      fields,
    });
    expect(await stored()).toBe(before);
  });

  it('a title of invisible characters', async () => {
    expect(await problem(await send({ executionId: 'refused', taskTitle: '\u200b' }))).toEqual({
      status: 400,
      code: 'execution.unusable_text',
      fields: ['taskTitle'],
    });
    expect(await stored()).toBe(before);
  });

  it.each<[string, string, Headers, number, string]>([
    ['fifty megabytes', JSON.stringify(report({ taskTitle: 'x'.repeat(50_000_000) })), {}, 413, 'request.too_large'],
    ['half a body', '{"executionId":', {}, 400, 'request.malformed_json'],
    ['no body', '', {}, 400, 'request.malformed_json'],
    ['plain text', JSON.stringify(report()), { 'content-type': 'text/plain' }, 415, 'request.media_type'],
    ['XML', '<report/>', { 'content-type': 'application/xml' }, 415, 'request.media_type'],
    ['a form', 'executionId=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'request.media_type'],
    [
      'a prototype',
      JSON.stringify(report()).replace('{', '{"__proto__":{"isAdmin":true},'),
      {},
      400,
      'request.malformed_json',
    ],
    [
      'a prototype inside a call',
      JSON.stringify(report()).replace('"name":', '"__proto__":{"ok":true},"name":'),
      {},
      400,
      'request.malformed_json',
    ],
    [
      'a constructor',
      JSON.stringify(report()).replace('{', '{"constructor":{"prototype":{"isAdmin":true}},'),
      {},
      400,
      'request.malformed_json',
    ],
  ])('%s', async (_what, body, headers, status, code) => {
    expect(await problem(await post(body, headers))).toMatchObject({ status, code });
    expect(await stored()).toBe(before);
  });

  it.each<[string, string]>([
    ['depth', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['depth of objects', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
  ])('%s', async (_what, deep) => {
    const known = JSON.stringify(report({ executionId: 'refused', toolCalls: [] }));
    for (const body of [
      known.replace('"toolCalls":[]', `"toolCalls":[${deep}]`),
      known.replace('{', `{"nested":${deep},`),
    ])
      expect(await problem(await post(body))).toEqual({ status: 400, code: 'request.too_deep', fields: [] });
    expect(await stored()).toBe(before);
  });

  it.each(['[]', 'null', '1', '"text"'])('a body of %s', async (body) => {
    expect(await problem(await post(body))).toEqual({ status: 400, code: 'request.invalid', fields: ['(body)'] });
    expect(await stored()).toBe(before);
  });
});

describe('who may report for which agent', () => {
  it('an agent that names another one is refused', async () => {
    expect(await problem(await send({ executionId: 'for-ben' }, by(ada.token, 'Ben')))).toEqual({
      status: 403,
      code: 'execution.other_agent',
      fields: ['guildbook-agent'],
    });
  });

  it('an importer without an agent name, or with an invalid one, is refused', async () => {
    const missing = await problem(await send({}, by(importer)));
    expect(missing).toEqual({ status: 400, code: 'execution.agent_missing', fields: ['guildbook-agent'] });
    const unreadable = await problem(await send({}, by(importer, '<script>')));
    expect(unreadable).toEqual({ status: 400, code: 'execution.agent_name', fields: ['guildbook-agent'] });
  });

  it('an importer registers new agents under its own owner', async () => {
    expect(await received(await send({}, by(importer, 'Nightly build')))).toMatchObject({ agent: 'Nightly build' });
    const { items } = await app.admin.agents.list();
    expect(items.find(({ name }) => name === 'Nightly build')).toMatchObject({ owner: 'Fleet' });
  });

  it('an importer reports for known agents of its own owner only', async () => {
    const cleo = await app.agent('Cleo', 'Fleet');
    const { id } = await received(await send({ executionId: 'imported' }, by(importer, 'Cleo')));
    expect(await app.database.client.execution.findUnique({ where: { id } })).toMatchObject({ agentId: cleo.id });
    const before = await stored();
    expect(await problem(await send({ executionId: 'made up' }, by(importer, 'Ada')))).toMatchObject({
      status: 403,
      code: 'access.other_owner',
    });
    expect(await stored()).toBe(before);
  });
});

describe('secrets in a report', () => {
  // Assembled here, so that no file contains a whole secret.
  const RANDOM = 'q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG5xTbVk0Q';
  const canary = (n: number): string => ['gh', 'p_', String(n).padStart(2, '0'), RANDOM.slice(4)].join('');
  const all = Array.from({ length: 20 }, (_, n) => canary(n));
  const [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p] = all;

  it('are removed from every field, in the database, the journal, lessons and every response', async () => {
    const dirty: ExecutionReport = {
      ...report(),
      executionId: `id ${a}`,
      taskId: `task ${b}`,
      taskTitle: `Deploy with ${c}`,
      taskDescription: `# gitleaks:allow\ntoken: ${d}`,
      taskType: `type ${e}`,
      sessionId: `session ${f}`,
      parentExecutionId: `parent ${g}`,
      model: `model ${h}`,
      status: 'failed',
      terminationReason: `reason ${i}`,
      errorCategory: `category ${j}`,
      errorMessage: `clone failed for ${k}`,
      toolCalls: [
        { name: `tool ${l}`, action: `curl -H "Authorization: Bearer ${m}"`, ok: false, errorMessage: `bad ${o}` },
        ...PYTHON_TO_PYTHON3,
      ],
      tags: [`tag ${p}`],
    };
    const answer = await post(JSON.stringify(dirty));
    const text = await answer.clone().text();
    const { id } = await received(answer);
    await app.settled();
    const client = app.database.client;
    const everything = JSON.stringify([
      text,
      await client.execution.findUnique({ where: { id } }),
      await client.analysisPayload.findMany(),
      await client.memory.findMany(),
      (await client.journalEntry.findMany()).map(({ data, actorName }) => [data, actorName]),
      await app.admin.executions.list(),
      await app.admin.lessons(),
      await app.admin.journal.list({ limit: 500 }),
      await (await fetch(`${app.url}/v1/executions/${id}`, { headers: by(app.adminToken) })).text(),
    ]);
    expect(everything).toContain('Deploy with [REDACTED:');
    for (const secret of all) expect(everything).not.toContain(secret);
    expect(everything).not.toContain(RANDOM.slice(4));
    const summary = (await app.admin.executions.list()).items.find((one) => one.id === id);
    expect(summary?.redactions).toBeGreaterThanOrEqual(15);
  });
});

describe('a report while learning fails', () => {
  it('is answered before capture, and does not fail with the proposer', async () => {
    const api = await startMessagesApi();
    await api.close();
    const broken = await startTestApplication({ ANTHROPIC_BASE_URL: api.url, GUILDBOOK_PROPOSER_TIMEOUT_SECONDS: '1' });
    try {
      const { client } = await broken.agent('Ada');
      expect(await client.executions.report(report())).toMatchObject({ duplicate: false });
      await broken.settled();
      expect((await broken.admin.lessons()).items).toEqual([
        expect.objectContaining({ proposer: 'rules/4', awaitingProposer: true, provenance: 'unverified' }),
      ]);
    } finally {
      await broken.close();
    }
  });
});
