import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GuildbookError } from '../../src/client/connection.js';
import { canonicalJson, sha256 } from '../../src/platform/base/canonical-json.js';
import { DAY_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CommandLine } from '../support/command-line.js';
import { McpTestClient } from '../support/mcp-client.js';
import { storedMemory } from '../support/memories.js';

let app: TestApplication;
let ada: Awaited<ReturnType<TestApplication['agent']>>;
let mcp: McpTestClient;

beforeAll(async () => {
  app = await startTestApplication();
  ada = await app.agent('Ada');
  mcp = await McpTestClient.connect(app.url, ada.token);
});
afterAll(async () => {
  await mcp.close();
  await app.close();
});

const memoryRow = (id: string) => app.database.client.memory.findUniqueOrThrow({ where: { id } });
const refusal = async (call: Promise<unknown>) => {
  const error = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof GuildbookError)) throw new Error('it was not refused');
  return error.problem;
};
/** Longer than 500 characters, and within 2,000. */
const longNote = (subject: string) => `${subject} ${'then the next step '.repeat(90)} to the very end`;

describe('a note of an agent', () => {
  it('is delivered over REST and MCP without a tag, whole, and as a note', async () => {
    for (const [subject, write] of [
      ['Puffin', async (note: Record<string, unknown>) => (await ada.client.remember({ lesson: '', ...note })).id],
      [
        'Guillemot',
        async (note: Record<string, unknown>) => String(JSON.parse((await mcp.call('remember', note)).text).id),
      ],
    ] as const) {
      const lesson = longNote(subject);
      const id = await write({ lesson, steps: [`Look for the ${subject}`, 'Wait'] });
      const { messages } = await ada.client.recall({ query: subject });
      const record = JSON.parse(messages[1]?.content.split('\n')[1] ?? '');
      expect(record).toMatchObject({ memory: id, lesson, outcome: 'note of an agent', 'step 2': 'Wait' });
      expect(messages[1]?.content).not.toContain('from a failure');
      expect((await mcp.call('search_memory', { query: subject })).text).toContain('to the very end');
    }
  });

  it('says that it is cut if the budget does not hold it, and is whole when it is read', async () => {
    const { id } = await ada.client.remember({ lesson: longNote('Razorbill') });
    const { tokens } = await ada.client.recall({ query: 'razorbill' });
    const { messages } = await ada.client.recall({ query: 'razorbill', tokenBudget: tokens - 60 });
    expect(JSON.parse(messages[1]?.content.split('\n')[1] ?? '')).toMatchObject({
      cut: 'recall_memory gives the rest',
    });
    expect((await mcp.call('recall_memory', { id })).text).toContain('to the very end');
  });

  it('is refused over its limit, with the field and the limit', async () => {
    const fields = { lesson: 'x'.repeat(2_001), task: 'x'.repeat(2_001), why: 'x'.repeat(2_001) };
    for (const [field, text] of Object.entries(fields)) {
      const problem = await refusal(ada.client.remember({ lesson: 'Short', [field]: text }));
      expect(problem).toMatchObject({ status: 400, code: 'request.invalid' });
      expect(JSON.stringify(problem.errors)).toMatch(new RegExp(`"${field}".*2000`));
      const { isError, text: answer } = await mcp.call('remember', { lesson: 'Short', [field]: text });
      expect([isError, answer]).toEqual([true, expect.stringMatching(new RegExp(`${field}[^]*2000|2000[^]*${field}`))]);
    }
    const tags = Array.from({ length: 21 }, (_, n) => `tag ${n}`);
    expect(JSON.stringify((await refusal(ada.client.remember({ lesson: 'Short', tags }))).errors)).toMatch(
      /"tags".*20/,
    );
  });

  it('is refused if redaction makes it longer than its limit, instead of being cut', async () => {
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
    const password = 'password=Qx7zLw ';
    const problem = await refusal(ada.client.remember({ lesson: `${password.repeat(124)} ${secret.slice(0, 8)}` }));
    expect(problem).toMatchObject({
      code: 'memory.too_long',
      errors: [{ field: 'lesson', message: 'has more than 2000 characters after redaction' }],
    });
    const full = Array.from({ length: 20 }, (_, n) => `tag ${n}`);
    const core = await refusal(ada.client.memoryTool('core_memory_write', { lesson: 'Core', tags: full }));
    expect(core).toMatchObject({ code: 'memory.too_long', errors: [{ field: 'tags' }] });
  });

  it('is stored with its tag although the same note without it was stored before and is not delivered', async () => {
    const text = 'The dovekie job runs at noon';
    const lesson = {
      discovery: text,
      activation: { condition: 'Not said.', action: text, rationale: 'Not said.' },
      steps: [text],
      confidence: 0.5,
      tags: [],
    };
    const hidden = { discovery: text, action: text, controlTags: [], agentId: ada.id, createdAt: app.clock.now() };
    const before = await storedMemory(app.database, hidden);
    await app.database.transaction((tx) =>
      tx.memory.update({ where: { id: before }, data: { contentSha256: sha256(canonicalJson(lesson)) } }),
    );
    const tagged = await ada.client.remember({ lesson: text, tags: ['non-inferable'] });
    expect(tagged).toMatchObject({ duplicate: false });
    expect((await ada.client.recall({ query: 'dovekie' })).memories.map(({ id }) => id)).toEqual([tagged.id]);
    expect(await memoryRow(before)).toMatchObject({ supersededById: tagged.id });
    expect(await ada.client.remember({ lesson: text })).toMatchObject({ id: tagged.id, duplicate: true });
  });
});

describe('the command guildbook remember', () => {
  let program: CommandLine;
  beforeAll(async () => {
    program = await CommandLine.create();
  });
  afterAll(() => program.remove());
  const guildbook = (...args: string[]) => program.run(args, { GUILDBOOK_SERVER: app.url, GUILDBOOK_TOKEN: ada.token });

  it('stores a note whole, which guildbook recall then shows whole', async () => {
    const lesson = longNote('Fulmar');
    const stored = await guildbook('remember', lesson, '--task', 'a fulmar is fed', '--step', 'Look', 'Feed');
    expect(stored).toMatchObject({ code: 0, stdout: expect.stringMatching(/Stored as [0-9a-f-]{36}, unverified\./) });
    const { stdout } = await guildbook('recall', 'fulmar');
    expect(stdout).toContain(`"lesson":"${lesson}","step 1":"Look","step 2":"Feed"`);
    expect(stdout).toContain('"outcome":"note of an agent","task":"a fulmar is fed"');
    expect(
      (await guildbook('remember', lesson, '--task', 'a fulmar is fed', '--step', 'Look', 'Feed')).stdout,
    ).toContain('Already stored as');
  });

  it('names the field and the limit of a note that is too long', async () => {
    const { code, stderr } = await guildbook('remember', 'x'.repeat(2_001));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/lesson[\s\S]*2000/)]);
    expect((await guildbook('recall', 'xxxxx')).stdout).toContain('No memory');
  });
});

describe('a recall without a session', () => {
  it('counts once over REST and MCP, and keeps what is used from pruning and eviction', async () => {
    const at = new Date(app.clock.now().getTime() - 31 * DAY_MS);
    const used = await storedMemory(app.database, { discovery: 'Auklet caches', agentId: ada.id, createdAt: at });
    const unused = await storedMemory(app.database, { discovery: 'Murrelet caches', agentId: ada.id, createdAt: at });
    await ada.client.recall({ query: 'auklet' });
    await mcp.call('search_memory', { query: 'auklet' });
    await mcp.call('recall_memory', { id: used });
    await ada.client.memoryTool('archival_memory_search', { query: 'auklet' });
    await app.settled();
    expect(await memoryRow(used)).toMatchObject({ relevanceCount: 4, lastRetrievedAt: expect.any(Date) });
    await ada.client.memoryTool('archival_memory_search', { query: 'auklet' }, 'one');
    await mcp.call('search_memory', { query: 'auklet', sessionId: 'one' });
    await app.settled();
    expect(await memoryRow(used)).toMatchObject({ relevanceCount: 5 });
    await app.admin.upkeep.run(false);
    expect(await memoryRow(used)).toMatchObject({ supersededAt: null });
    expect(await memoryRow(unused)).toMatchObject({ endReason: 'never_retrieved' });
  });

  it('cannot ask for new memories only: the refusal names the field', async () => {
    const refused = { status: 400, code: 'recall.session_missing', errors: [{ field: 'sessionId' }] };
    expect(await refusal(ada.client.recall({ query: 'auklet', newOnly: true }))).toMatchObject(refused);
    const search = ada.client.memoryTool('search_memory', { query: 'auklet', newOnly: true });
    expect(await refusal(search)).toMatchObject(refused);
    expect(await mcp.call('search_memory', { query: 'auklet', newOnly: true })).toMatchObject({
      isError: true,
      text: 'recall.session_missing: sessionId: is required with newOnly.',
    });
    const answer = await ada.client.memoryTool('archival_memory_search', { query: 'auklet', newOnly: true }, 'one');
    expect(answer).toMatchObject({ content: 'No memory matches this task.' });
  });
});
