import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CommandLine } from '../support/command-line.js';
import { FOREIGN_FORMATS, type Session } from '../support/foreign-sessions.js';

const PRODUCTS = ['claude-code', 'codex', 'gemini', 'opencode', 'copilot'];
/** Ids of OpenCode look like tokens. */
const IDS: Readonly<Record<string, string>> = { opencode: 'ses_df0c13fe5ffenfW3xWI1J1hzHl' };
const SESSION: Session = {
  id: 'a-session',
  task: 'Close the books, dear agent',
  steps: [
    { tool: 'Bash', input: { command: 'python close.py' }, error: 'SyntaxError: invalid syntax' },
    { tool: 'Bash', input: { command: 'python3 close.py' }, output: 'closed 4711 accounts' },
  ],
  answer: 'They are closed',
  end: 'normal',
};

let app: TestApplication;
let program: CommandLine;
let folder: string;
let agent: Awaited<ReturnType<TestApplication['agent']>>;

beforeAll(async () => {
  program = await CommandLine.create();
  app = await startTestApplication();
  folder = await mkdtemp(join(tmpdir(), 'guildbook-session-'));
  agent = await app.agent('Ada on this machine');
  for (const product of PRODUCTS) await settings(product, app.url, agent.token);
});
afterAll(async () => {
  await app.close();
  await program.remove();
  await rm(folder, { recursive: true });
});

async function write(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

const settings = (product: string, server: string, token: string, home = 'connected') =>
  write(
    `${home}/guildbook/${product}.conf`,
    `# by guildbook connect\nGUILDBOOK_SERVER='${server}'\nGUILDBOOK_TOKEN='${token}'\n`,
  );

function linesOf(product: string, change: Partial<Session> = {}): string {
  const format = FOREIGN_FORMATS.find(({ importer }) => importer.format === product);
  return (format?.lines({ ...SESSION, id: IDS[product] ?? `${product}-session`, ...change }) ?? []).join('\n');
}

/** Runs the command in the folder of settings that `home` names. */
const run = (args: readonly string[], home = 'connected', variables: Record<string, string> = {}) =>
  program.run(['import', '--session', ...args], { XDG_CONFIG_HOME: join(folder, home), ...variables });

describe.each(PRODUCTS)('guildbook import --session of %s', (product) => {
  it('reports the session for the agent of the settings file, once, and again when it has grown', async () => {
    const file = await write(`${product}/session.jsonl`, linesOf(product));
    const first = await run([file, '--product', product, '--json']);
    expect({ ...first, stdout: JSON.parse(first.stdout) }).toMatchObject({
      code: 0,
      stderr: '',
      stdout: { product, new: 1, known: 0, skillUses: 0 },
    });
    expect(JSON.parse((await run([file, '--json'])).stdout)).toMatchObject({ product, new: 0, known: 1 });
    await writeFile(file, linesOf(product, { steps: [...SESSION.steps, ...SESSION.steps] }));
    expect(JSON.parse((await run([file, '--json'])).stdout)).toMatchObject({ product, new: 1, known: 0 });
    const { items } = await app.admin.executions.list({ limit: 200 });
    const own = items.filter(({ executionId }) => executionId.startsWith(`${product}:`));
    expect(own.map((one) => [one.agent, one.toolCalls, one.failedCalls])).toEqual([
      ['Ada on this machine', 4, 2],
      ['Ada on this machine', 2, 1],
    ]);
    const reports = await Promise.all(own.map(({ id }) => app.admin.executions.show(id)));
    expect(new Set(reports.map(({ report }) => report.sessionId)).size).toBe(1);
    expect(JSON.stringify(reports)).not.toMatch(/dear agent|4711|They are closed|\/srv\/shop/);
  });
});

describe('guildbook import --session', () => {
  it('keeps two sessions of OpenCode apart', async () => {
    const file = await write('opencode/second.json', linesOf('opencode', { id: 'ses_df0c1dcceffeokm37yCkV7EO01' }));
    expect(JSON.parse((await run([file, '--json'])).stdout)).toMatchObject({ new: 1 });
    const { items } = await app.admin.executions.list({ limit: 2 });
    const reports = await Promise.all(items.map(({ id }) => app.admin.executions.show(id)));
    expect(new Set(reports.map(({ report }) => report.sessionId)).size).toBe(2);
  });

  it('names the repository of the project, and no login, password or host', async () => {
    const remote = '[remote "origin"]\n\turl = https://ann:s3cret@git.example.org/acme/shop.git\n';
    await write('project/.git/config', `[core]\n\tbare = false\n${remote}`);
    const lines = linesOf('codex', { id: 'with-remote' }).replaceAll('/srv/shop', join(folder, 'project'));
    const file = await write('codex/remote.jsonl', lines);
    expect(await run([file])).toMatchObject({
      code: 0,
      stdout: 'Reported 1 new execution of codex; 0 known already.\n',
    });
    const [newest] = (await app.admin.executions.list({ limit: 1 })).items;
    const { report } = await app.admin.executions.show(newest?.id ?? '');
    expect(report.environment).toMatchObject({ project: 'project', repository: 'acme/shop' });
    expect(JSON.stringify(report)).not.toMatch(/ann|s3cret|example\.org/);
  });

  it('reports sub-agents as parts of their session, for the same agent', async () => {
    const main = linesOf('claude-code', { id: 'main-1' });
    const inner = linesOf('claude-code', { id: 'main-1' })
      .split('\n')
      .map((line) => JSON.stringify({ ...JSON.parse(line), isSidechain: true, agentId: 'helper', uuid: 'inner' }));
    const file = await write('claude/main-1.jsonl', main);
    await write('claude/main-1/subagents/agent-helper.jsonl', inner.join('\n').replaceAll('main-1-call', 'inner-call'));
    expect(JSON.parse((await run([file, '--json'])).stdout)).toMatchObject({ new: 2 });
    const { items } = await app.admin.executions.list({ limit: 2 });
    expect(items.map((one) => one.agent)).toEqual(['Ada on this machine', 'Ada on this machine']);
  });

  it.each(['the stream', 'the session'])(
    'reports the sub-agents of a session of Codex once, also with the stream of its run, if %s comes first',
    async (first) => {
      const id = first === 'the stream' ? 'streamed' : 'imported';
      const file = await write(`${id}/rollout-2026-03-31-main.jsonl`, linesOf('codex', { id }));
      const started = (child: string, parent: string) => {
        const [meta = '', ...rest] = linesOf('codex', { id: child }).split('\n');
        const record = JSON.parse(meta);
        const source = { subagent: { thread_spawn: { parent_thread_id: parent } } };
        return [JSON.stringify({ ...record, payload: { ...record.payload, source } }), ...rest].join('\n');
      };
      await write(`${id}/rollout-2026-03-31-other.jsonl`, linesOf('codex', { id: `${id}-other` }));
      await write(`${id}/rollout-2026-03-31-b.jsonl`, started(`${id}-helper`, id));
      await write(`${id}/rollout-2026-03-31-a.jsonl`, started(`${id}-inner`, `${id}-helper`));
      const stream = await write(`${id}-stream.jsonl`, linesOf('codex-stream', { id }));
      const service = { GUILDBOOK_SERVER: app.url, GUILDBOOK_TOKEN: agent.token };
      const importStream = async () =>
        JSON.parse((await program.run(['import', stream, '--agent', '', '--json'], service)).stdout);
      if (first === 'the stream') expect(await importStream()).toMatchObject({ new: 1 });
      const news = first === 'the stream' ? { new: 2, known: 1 } : { new: 3, known: 0 };
      expect(JSON.parse((await run([file, '--json'])).stdout)).toMatchObject(news);
      expect(JSON.parse((await run([file, '--json'])).stdout)).toMatchObject({ new: 0, known: 3 });
      if (first === 'the session') expect(await importStream()).toMatchObject({ new: 0, duplicates: 1 });
      const { items } = await app.admin.executions.list({ limit: 3 });
      const reports = await Promise.all(items.map((one) => app.admin.executions.show(one.id)));
      const main = reports.find(({ report }) => report.parentExecutionId === undefined);
      expect(main?.executionId).toMatch(first === 'the stream' ? /^codex-stream:/ : /^codex:/);
      const parents = reports.map(({ report }) => report.parentExecutionId).filter((one) => one !== undefined);
      expect(parents).toHaveLength(2);
      expect(parents).toContain(main?.executionId);
    },
  );

  it('uses the usual sign-in without a settings file, and then names the agent by its project', async () => {
    const file = await write('codex/other.jsonl', linesOf('codex', { id: 'other' }));
    const service = await app.admin.services.add({ name: 'importer', scopes: ['report-for', 'read'] });
    const variables = { GUILDBOOK_SERVER: app.url, GUILDBOOK_TOKEN: service.token };
    expect(await run([file], 'empty', variables)).toMatchObject({ code: 0 });
    const [newest] = (await app.admin.executions.list({ limit: 1 })).items;
    expect(newest?.agent).toMatch(/^shop-[0-9a-f]{8}$/);
    const own = { GUILDBOOK_SERVER: app.url, GUILDBOOK_TOKEN: agent.token };
    expect(await run([file], 'empty', own)).toMatchObject({ code: 0 });
    expect((await app.admin.executions.list({ limit: 1 })).items[0]?.agent).toBe('Ada on this machine');
    expect(await run([file], 'empty')).toMatchObject({ code: 3 });
  });

  it('says what is wrong with the command line, the file or the token', async () => {
    const file = await write('codex/wrong.jsonl', linesOf('codex', { id: 'wrong' }));
    expect(await run([join(folder, 'none.jsonl')])).toMatchObject({ code: 2 });
    expect(await run([await write('odd.json', '{"name":"a package"}')])).toMatchObject({ code: 2 });
    expect(await run([file, file])).toMatchObject({ code: 2 });
    expect(await run([file, '--product', 'emacs'])).toMatchObject({ code: 2 });
    expect(await program.run(['import', '--product', 'codex', file], {})).toMatchObject({ code: 2 });
    expect(await program.run(['import'], {})).toMatchObject({ code: 2 });
    await settings('codex', app.url, 'gb_agent_unknown', 'revoked');
    expect(await run([file], 'revoked')).toMatchObject({ code: 3, stdout: '' });
    expect(
      await run([
        await write(
          'empty.jsonl',
          JSON.stringify({ timestamp: '2026-03-31T18:00:00Z', type: 'session_meta', payload: { id: 'x' } }),
        ),
      ]),
    ).toMatchObject({ code: 0 });
  });
});
