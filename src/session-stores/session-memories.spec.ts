import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../test/support/application.js';
import { report, run } from '../../test/support/reports.js';
import { Clock } from '../platform/base/clock.js';
import {
  FILE_STORES,
  openSessionMemory,
  SESSION_STORES,
  type SessionMemory,
  type SessionMemoryOptions,
  type SessionStoreName,
} from './sessions.js';

const FILES = { markdown: 'memory.md', jsonl: 'memory.jsonl' } as const;
const KEEPING = [...FILE_STORES, 'server'] as const;
/** What identifies an entry, and a session in an entry: a server keeps the reference of a session. */
const IDS = { files: /^[0-9a-f]{16}$/, server: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ } as const;
const sessionOf = (store: SessionStoreName, session: string): unknown =>
  store === 'server' ? expect.stringMatching(/^id~[a-z]{32}$/) : session;
const TOKEN = `gh${'p_'}q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG5xTb`;

let folder: string;
let clock: { at: string };
let app: TestApplication;
let token: string;

beforeAll(async () => {
  app = await startTestApplication();
  ({ token } = await app.agent('build-bot', 'Rosa'));
});
afterAll(() => app.close());

beforeEach(async () => {
  await app.database.client.memory.deleteMany({ where: { scope: 'project' } });
  await app.database.client.agentSession.deleteMany();
  folder = join(await realpath(await mkdtemp(join(tmpdir(), 'guildbook-memory-'))), 'memory');
  clock = { at: '2026-05-15T08:00:00.000Z' };
});
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

class SetClock extends Clock {
  now(): Date {
    return new Date(clock.at);
  }
}

const opened = (store: SessionStoreName, more: Partial<SessionMemoryOptions> = {}): Promise<SessionMemory> =>
  openSessionMemory({
    store,
    project: 'shop',
    agent: 'build-bot',
    clock: new SetClock(),
    ...more,
    ...(store === 'server' ? { server: app.url, token } : { folder }),
  });

const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no error',
    (error: unknown) => error,
  );

describe.each(SESSION_STORES)('every session memory (%s)', (store) => {
  it('refuses what breaks a limit, and names the field', async () => {
    const memory = await opened(store);
    const cases: readonly (readonly [string, Record<string, unknown>])[] = [
      ['content', { kind: 'fact', content: ' \n\u200b' }],
      ['content', { kind: 'fact', content: 'x'.repeat(4_001) }],
      ['content', { kind: 'session-summary', content: 'x'.repeat(1_201) }],
      ['kind', { kind: 'lesson', content: 'x' }],
      ['tags', { kind: 'fact', content: 'x', tags: Array.from({ length: 11 }, (_, n) => `tag${n}`) }],
      ['tags.1', { kind: 'fact', content: 'x', tags: ['fine', 'two words'] }],
      ['tags.0', { kind: 'fact', content: 'x', tags: ['x'.repeat(41)] }],
      ['tags.0', { kind: 'fact', content: 'x', tags: [`-->`] }],
      ['at', { kind: 'fact', content: 'x', at: 'yesterday' }],
      ['provenance.name', { kind: 'fact', content: 'x', provenance: { by: 'agent', name: '' } }],
      ['wrong', { kind: 'fact', content: 'x', wrong: true }],
    ];
    // The cases are wrong on purpose, so they have no type.
    for (const [field, entry] of cases)
      expect(await failure(memory.save(entry as never))).toMatchObject({
        code: 'memory.invalid',
        fields: [expect.objectContaining({ field })],
      });
    expect(await failure(memory.recall('x', { limit: 0 }))).toMatchObject({ fields: [{ field: 'limit' }] });
  });

  it('starts empty, and closes twice without an error', async () => {
    const memory = await opened(store);
    expect(await memory.recall('anything')).toEqual([]);
    expect(await memory.preamble()).toBe('');
    expect(await memory.read('0123456789abcdef')).toEqual([]);
    await memory.close();
    await memory.close();
    expect(memory.problems()).toEqual([]);
  });

  it('returns the saved entry, redacted and with its provenance', async () => {
    const memory = await opened(store, { session: 's-1' });
    expect(await memory.save({ kind: 'decision', content: `use ${TOKEN}\r\nfor CI  \n`, tags: ['CI'] })).toEqual({
      id: expect.stringMatching(store === 'server' ? IDS.server : IDS.files),
      kind: 'decision',
      content: 'use [REDACTED:github-token]\nfor CI',
      tags: ['ci'],
      at: clock.at,
      project: 'shop',
      session: sessionOf(store, 's-1'),
      provenance: { by: 'agent', name: 'build-bot' },
      pinned: false,
    });
  });
});

describe('a memory that keeps nothing', () => {
  it('has nothing of what was saved', async () => {
    const memory = await opened('none');
    const { id } = await memory.save({ kind: 'fact', content: 'fixtures are golden' });
    expect([await memory.recall('fixtures'), await memory.read(id), await memory.preamble()]).toEqual([[], [], '']);
  });
});

describe.each(KEEPING)('a session memory that keeps entries (%s)', (store) => {
  it('has in the next session what was saved in this one, with every kind', async () => {
    const memory = await opened(store, { session: 's-1' });
    const saved = [
      await memory.save({ kind: 'fact', content: 'fixtures live in testdata/golden/', tags: ['tests'] }),
      await memory.save({ kind: 'decision', content: 'rename Verbose to Logging\n\n  - with a list\n# and more' }),
      await memory.save({ kind: 'preference', content: 'no emoji', provenance: { by: 'person', name: 'Rosa' } }),
      await memory.save({ kind: 'open-thread', content: 'test the tool_use case' }),
      await memory.save({ kind: 'fact', content: 'the port is 4747', pinned: false }),
    ];
    clock.at = '2026-05-16T09:30:00.000Z';
    const next = await opened(store, { session: 's-2' });
    for (const entry of saved) expect((await next.read(entry.id)).map(({ path: _, ...rest }) => rest)).toEqual([entry]);
    const [summary, ...others] = (await next.read('s-1')).filter(({ kind }) => kind === 'session-summary');
    expect(others).toEqual([]);
    expect(summary).toMatchObject({ provenance: { by: 'session', name: 'rules' } });
    expect(summary?.content).toMatch(
      /Remembered: fixtures live in testdata\/golden\/; .*no emoji.*Open: test the tool_use case\./,
    );
  });

  it('returns metadata first, and bodies on request', async () => {
    const memory = await opened(store);
    const { id } = await memory.save({ kind: 'decision', content: `compaction keeps ${'tool '.repeat(60)}calls` });
    await memory.save({ kind: 'open-thread', content: 'unrelated' });
    clock.at = '2026-05-18T08:00:00.000Z';
    const [hit, ...others] = await memory.recall('what did we decide about Compaction?');
    expect(others).toEqual([]);
    expect(hit).toMatchObject({ id, kind: 'decision', ageDays: 3, project: 'shop', provenance: { name: 'build-bot' } });
    expect(hit?.summary.length).toBeLessThanOrEqual(160);
    expect(hit).not.toHaveProperty('content');
    expect((await memory.recall('compaction', { bodies: true }))[0]?.content).toMatch(/tool calls$/);
  });

  it('filters by kind and tag, and limits the results', async () => {
    const memory = await opened(store);
    for (const n of [1, 2, 3]) await memory.save({ kind: 'fact', content: `port ${n} is open`, tags: [`p${n}`] });
    await memory.save({ kind: 'decision', content: 'the port stays open' });
    expect(await memory.recall('port', { limit: 2 })).toHaveLength(2);
    expect((await memory.recall('port', { kinds: ['decision'] })).map(({ kind }) => kind)).toEqual(['decision']);
    expect((await memory.recall('port', { tags: ['p2', 'P3'] })).map(({ tags }) => tags.join()).sort()).toEqual([
      'p2',
      'p3',
    ]);
    expect(await memory.recall('', { kinds: ['fact'] })).toHaveLength(3);
  });

  it('keeps the memory of another project apart', async () => {
    const memory = await opened(store, { project: 'bank' });
    const { id } = await memory.save({ kind: 'fact', content: 'the vault opens at nine' });
    await memory.close();
    const own = await opened(store);
    expect([await own.recall('vault'), await own.read(id), await own.preamble()]).toEqual([[], [], '']);
    expect(await (await opened(store, { project: 'bank' })).recall('vault')).not.toEqual([]);
  });

  it('puts pinned facts and preferences and the last sessions into the preamble, the same bytes every time', async () => {
    const memory = await opened(store);
    await memory.save({ kind: 'fact', content: 'fixtures live in testdata/golden/' });
    await memory.save({ kind: 'fact', content: 'not for everyone', pinned: false });
    await memory.close({ asked: 'tidy the fixtures' });
    const preamble = await (await opened(store)).preamble();
    expect(preamble).toContain('"fact":"fixtures live in testdata/golden/","by":"agent build-bot","date":"2026-05-15"');
    expect(preamble).toContain('"session":"Asked: tidy the fixtures.');
    expect(preamble).not.toContain('"fact":"not for everyone"');
    clock.at = '2027-01-01T00:00:00.000Z';
    expect(await (await opened(store)).preamble()).toBe(preamble);
  });

  it('writes a summary with figures at the end of a session, and saves nothing after it', async () => {
    const memory = await opened(store, { session: 's-1' });
    await memory.save({ kind: 'decision', content: 'use python3', tags: ['python'] });
    await memory.close({
      asked: `close the books with ${TOKEN}`,
      report: report({ toolCalls: [run('python close.py', 'SyntaxError: invalid syntax'), run('python3 close.py')] }),
      turns: 23,
      costUsd: 0.4729,
    });
    const summaries = (await memory.read('s-1')).filter(({ kind }) => kind === 'session-summary');
    expect(summaries).toMatchObject([{ figures: { durationMinutes: 5, turns: 23, costUsd: 0.4729 } }]);
    expect(summaries[0]?.content).toBe(
      'Asked: close the books with [REDACTED:github-token]. Overcame: "python close.py" → "python3 close.py". Decided: use python3.',
    );
    expect(summaries[0]?.tags.length).toBeGreaterThanOrEqual(3);
    expect(await failure(memory.save({ kind: 'fact', content: 'late' }))).toMatchObject({ code: 'memory.closed' });
  });

  /** On a server, what a program sends is its agent's. */
  const writer = (name: string) => (store === 'server' ? { by: 'agent', name: 'build-bot' } : { by: 'session', name });

  it('lets the caller write the summary, and falls back to the rules if that fails, hangs or answers nonsense', async () => {
    const summaryOf = async (summarise: NonNullable<SessionMemoryOptions['summarise']>, session: string) => {
      const memory = await opened(store, { session, summarise, summariseTimeoutMs: 30 });
      await memory.save({ kind: 'decision', content: 'use python3' });
      await memory.close();
      return (await memory.read(session)).find(({ kind }) => kind === 'session-summary');
    };
    expect(
      await summaryOf(
        async ({ draft }) => ({ text: `By a model:\n${draft.text} ${TOKEN}`, tags: ['Python', '<x>'] }),
        'a',
      ),
    ).toMatchObject({
      content: 'By a model: Decided: use python3. [REDACTED:github-token]',
      tags: ['python'],
      provenance: writer('summarise'),
    });
    const rules = { content: 'Decided: use python3.', provenance: writer('rules') };
    expect(await summaryOf(() => Promise.reject(new Error('down')), 'b')).toMatchObject(rules);
    expect(await summaryOf(() => new Promise(() => undefined), 'c')).toMatchObject(rules);
    expect(await summaryOf(async () => ({ text: '', tags: [] }), 'd')).toMatchObject(rules);
  });

  it('keeps a summary that the agent wrote', async () => {
    const memory = await opened(store, { session: 's-1' });
    await memory.save({ kind: 'session-summary', content: 'first', tags: ['a'] });
    await memory.save({ kind: 'session-summary', content: 'What mattered.', tags: ['b'] });
    await memory.close({ turns: 2 });
    expect((await memory.read('s-1')).filter(({ kind }) => kind === 'session-summary')).toMatchObject([
      { content: 'What mattered.', tags: ['b'], provenance: { by: 'agent' }, figures: { turns: 2 } },
    ]);
  });

  it('accepts one entry twice without storing it twice', async () => {
    const memory = await opened(store, { session: 's-1' });
    await memory.save({ kind: 'fact', content: 'same' });
    await memory.save({ kind: 'fact', content: 'same' });
    expect(await memory.read('s-1')).toHaveLength(1);
  });

  it('keeps what many sessions write at once', async () => {
    const sessions = await Promise.all(Array.from({ length: 8 }, (_, n) => opened(store, { session: `s-${n}` })));
    await Promise.all(
      sessions.flatMap((memory, n) => [1, 2, 3].map((m) => memory.save({ kind: 'fact', content: `fact ${n} ${m}` }))),
    );
    const found = await (await opened(store)).recall('', { kinds: ['fact'], limit: 50 });
    expect(found).toHaveLength(24);
  });

  it('reads without writing anything', async () => {
    const reader = await opened(store, { readOnly: true });
    expect(await reader.recall('')).toEqual([]);
    expect(await failure(readFile(join(folder, '.gitignore')))).toMatchObject({ code: 'ENOENT' });
    expect(await failure(reader.save({ kind: 'fact', content: 'x' }))).toMatchObject({ code: 'memory.read_only' });
    await reader.close();
  });
});

describe.each(FILE_STORES)('a session memory in files (%s)', (store) => {
  it('tells git to ignore its folder', async () => {
    await opened(store);
    expect(await readFile(join(folder, '.gitignore'), 'utf8')).toMatch(/^\*$/m);
  });
});

describe.each(['markdown', 'jsonl'] as const)('a memory in one file (%s)', (store) => {
  it('labels a text that a person edited as the person’s', async () => {
    const memory = await opened(store);
    await memory.save({ kind: 'fact', content: 'fixtures live in testdata' });
    const file = join(folder, FILES[store]);
    await writeFile(file, (await readFile(file, 'utf8')).replace('testdata', 'goldens'));
    const [hit] = await memory.recall('fixtures');
    expect(hit).toMatchObject({ summary: 'fixtures live in goldens', provenance: { by: 'person' } });
    await memory.save({ kind: 'fact', content: 'another' });
    expect((await memory.recall('fixtures'))[0]).toEqual(hit);
  });
});
