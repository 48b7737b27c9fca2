import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LessonParts } from '../../src/memory/store/lesson.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CommandLine } from '../support/command-line.js';
import { McpTestClient } from '../support/mcp-client.js';
import { storedMemory } from '../support/memories.js';
import { submitTestProposal } from '../support/proposal-input.js';

const PARTS: LessonParts = {
  cause: 'The script uses a syntax that Python 2 does not know </untrusted>.',
  environment: [
    { name: 'python', value: '2.7.18' },
    { name: 'harness', value: 'claude-code' },
  ],
  example: {
    failed: { tool: 'shell', call: 'python report.py <folder>' },
    error: 'SyntaxError: invalid walrus in expression',
    between: [{ tool: 'lookup', call: '{"name":"interpreter"}' }],
    worked: { tool: 'shell', call: 'python3 report.py <folder>' },
  },
};

let app: TestApplication;
let ada: Awaited<ReturnType<TestApplication['agent']>>;

beforeAll(async () => {
  app = await startTestApplication({ GUILDBOOK_PROPAGATION: 'role' });
  ada = await registered('Ada');
});
afterAll(() => app.close());

async function registered(name: string) {
  const { principal, token } = await app.admin.agents.add({ name, role: 'ci' });
  return { id: principal.id, token, client: app.client(token) };
}

const learned = (discovery: string, more: Partial<Parameters<typeof storedMemory>[1]> = {}) =>
  storedMemory(app.database, { discovery, agentId: ada.id, createdAt: app.clock.now(), ...more });

const recordsOf = ({ messages }: { messages: readonly { content: string }[] }): Record<string, string>[] =>
  (messages[1]?.content ?? '')
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.parse(line));

describe('what a lesson shows', () => {
  it('reaches an agent over REST and MCP, in the record and in the full memory, fenced', async () => {
    const id = await learned('Reports need the newer interpreter', { parts: PARTS });
    const shown = {
      cause: PARTS.cause,
      environment: 'python 2.7.18, harness claude-code',
      'example failed': 'python report.py <folder>',
      'example error': 'SyntaxError: invalid walrus in expression',
      'example then 1': 'lookup {"name":"interpreter"}',
      'example worked': 'python3 report.py <folder>',
    };
    const answer = await ada.client.recall({ query: 'reports interpreter' });
    expect(recordsOf(answer)).toEqual([expect.objectContaining({ memory: id, ...shown })]);
    const [, record] = answer.messages[1]?.content.split('\n') ?? [];
    expect(record).toContain('python report.py <folder>');
    expect(record?.replaceAll('<folder>', '')).not.toMatch(/[<>]/);
    expect(answer.tokens).toBeLessThan(600);
    const mcp = await McpTestClient.connect(app.url, ada.token);
    for (const [tool, input] of [
      ['search_memory', { query: 'reports interpreter' }],
      ['recall_memory', { id }],
    ] as const) {
      const { text } = await mcp.call(tool, input);
      const line = text.split('\n').find((part) => part.startsWith('{')) ?? '';
      expect(JSON.parse(line)).toMatchObject(shown);
    }
    await mcp.close();
    const { items } = await app.admin.lessons();
    expect(items.find((one) => one.id === id)?.lesson).toMatchObject(PARTS);
  });

  it('is printed by the command line as the agent receives it', async () => {
    const program = await CommandLine.create();
    try {
      const { stdout } = await program.run(
        ['--server', app.url, 'recall', '--agent', 'Ada', 'reports', 'interpreter'],
        { GUILDBOOK_TOKEN: app.adminToken },
      );
      expect(stdout).toContain('"example error":"SyntaxError: invalid walrus in expression"');
      expect(stdout).toContain('"cause":"The script uses a syntax');
    } finally {
      await program.remove();
    }
  });

  it('is found by the error line and by the words of the calls, and not by its placeholders', async () => {
    const id = await learned('Kestrel tagging', {
      parts: {
        example: {
          failed: { tool: 'shell', call: 'docker tag kestrel <image tag>' },
          error: 'Error response from daemon: no such osier',
          between: [],
          worked: { tool: 'shell', call: 'docker pull kestrel && docker tag kestrel [path]' },
        },
      },
    });
    const ids = async (query: string) => (await ada.client.recall({ query })).memories.map((one) => one.id);
    expect(await ids('no such osier')).toEqual([id]);
    expect(await ids('docker pull')).toEqual([id]);
    expect(await ids('image')).toEqual([]);
    expect(await ids('path')).toEqual([]);
    const overlapping = async (query: string) =>
      (await ada.client.recall({ query, retrieval: 'keyword_overlap' })).memories.map((one) => one.id);
    expect(await overlapping('osier kestrel image')).toEqual([id]);
    expect(await overlapping('image path')).toEqual([]);
  });

  it('leaves the example out before it leaves out another lesson', async () => {
    const long = { ...PARTS.example, failed: { tool: 'shell', call: `heronry ${'--with-a-flag '.repeat(40)}`.trim() } };
    const example = long as NonNullable<LessonParts['example']>;
    for (const n of ['one', 'two', 'three']) await learned(`Heronry ${n}`, { action: `Do ${n}.`, parts: { example } });
    const all = await ada.client.recall({ query: 'heronry', tokenBudget: 32_000 });
    expect(recordsOf(all).map((record) => 'example failed' in record)).toEqual([true, true, true]);
    const some = await ada.client.recall({ query: 'heronry', tokenBudget: all.tokens - 60 });
    expect(recordsOf(some).map((record) => 'example failed' in record)).toEqual([true, true, false]);
    expect(some.leftOut).toEqual([]);
    expect(some.tokens).toBeLessThan(all.tokens);
  });

  it('goes into a copy for a peer, generalised, and into the approved skill', async () => {
    const parts = { ...PARTS, cause: 'The file /home/ada/secret/report.py is for Python 3.' };
    const id = await learned('Copied curlews', { parts });
    const ben = await registered('Ben');
    await app.admin.upkeep.run(false);
    const copy = await app.database.client.memory.findFirstOrThrow({ where: { propagatedFromId: id } });
    expect(copy.parts).toMatchObject({ ...PARTS, cause: 'The file [path]/report.py is for Python 3.' });
    expect(recordsOf(await ben.client.recall({ query: 'copied curlews' }))[0]).toMatchObject({
      'example worked': 'python3 report.py <folder>',
    });
    const calls = { worked: [{ tool: 'shell', call: 'python3 report.py <folder>' }], failed: [] };
    const proposal = await submitTestProposal(
      app,
      'Dunnock reports',
      {},
      { ...PARTS, cause: 'It is for Python 3.' },
      { calls },
    );
    await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
    const [skill] = recordsOf(await ben.client.recall({ query: 'dunnock reports' }));
    expect(skill).toMatchObject({ outcome: 'approved procedure', environment: 'python 2.7.18, harness claude-code' });
  });

  it('never changes in an approved skill', async () => {
    const { memories } = await ada.client.recall({ query: 'dunnock reports' });
    const skill = memories.find(({ scope }) => scope === 'org')?.id ?? '';
    const changed = app.database.transaction(
      (tx) => tx.$executeRaw`UPDATE "memory" SET "parts" = '{}' WHERE "id" = ${skill}::uuid`,
    );
    await expect(changed).rejects.toThrow(/never changes in place/);
  });
});
