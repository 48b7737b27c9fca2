import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { programPath } from '../../src/platform/config/environment.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { report } from '../support/reports.js';
import { approvedSkill } from '../support/skills.js';

// The bridge runs from the sources in a separate process.
jest.setTimeout(120_000);

const Kept = z.object({ id: z.uuid() });

let app: TestApplication;
let token: string;
let skill: string;
let editing: TestApplication;
let editingToken: string;

beforeAll(async () => {
  app = await startTestApplication();
  ({ token } = await app.agent('Ada'));
  skill = await approvedSkill(app, 'Osprey the approved way');
  await app.settled();
  editing = await startTestApplication({ GUILDBOOK_RECALL_STRATEGY: 'self_editing' });
  editingToken = (await editing.agent('Ada')).token;
});
afterAll(async () => {
  await app.close();
  await editing.close();
});

const TRANSPORTS: Readonly<Record<string, (token: string, url?: string) => Transport>> = {
  'streamable HTTP': (held, url = app.url) =>
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${held}` } },
    }),
  'stdio, by guildbook mcp': (held, url = app.url) =>
    new StdioClientTransport({
      command: process.execPath,
      args: ['--import', 'tsx', join(PROJECT_ROOT, 'src', 'cli', 'main.ts'), 'mcp'],
      cwd: PROJECT_ROOT,
      env: { PATH: programPath(), HOME: '/nowhere', GUILDBOOK_SERVER: url, GUILDBOOK_TOKEN: held },
      stderr: 'pipe',
    }),
};

/** The arguments of each tool call and the minimum of its answer; `$` stands for the id from `remember`. */
const callsOf = (run: string): readonly (readonly [string, Record<string, unknown>, object])[] => [
  ['remember', { lesson: `The ${run} needs python3`, tags: ['non-inferable'] }, { provenance: 'unverified' }],
  ['search_memory', { query: run }, { memories: [expect.any(String)] }],
  ['recall_memory', { id: '$' }, { content: expect.stringContaining('untrusted-data') }],
  ['check_action', { tool: { name: 'Bash' }, memories: ['$'] }, { decision: 'deny' }],
  ['report_execution', { ...report({ executionId: run }) }, { executionId: run, duplicate: false }],
  ['list_skills', {}, { items: [{ name: skill }] }],
  ['get_skill', { name: skill }, { name: skill, artifact: expect.stringContaining('---') }],
  [
    'report_skill_use',
    { name: skill, use: { executionId: run, event: 'applied', at: app.clock.now().toISOString() } },
    { skill },
  ],
];

/** Those of a server with the strategy self_editing. */
const editingCallsOf = (run: string): ReturnType<typeof callsOf> => [
  ...['core', 'archival', 'recall'].map(
    (block) =>
      [
        `${block}_memory_write`,
        { lesson: `The ${run} in ${block}`, tags: ['non-inferable'] },
        { content: expect.stringContaining('unverified') },
      ] as const,
  ),
  ['core_memory_read', {}, { content: expect.stringContaining(`The ${run} in core`) }],
  ['archival_memory_search', { query: run }, { content: expect.stringContaining('untrusted-data') }],
  ['recall_memory_read', {}, { content: expect.stringContaining(`The ${run} in recall`) }],
];

describe.each(Object.entries(TRANSPORTS))('the official client over %s', (name, transport) => {
  const run = name.startsWith('stdio') ? 'cormorant' : 'gannet';
  let client: Client;
  beforeAll(async () => {
    client = new Client({ name: 'spec', version: '1' });
    await client.connect(transport(token));
  });
  afterAll(() => client.close());

  it.each(['context', 'self_editing'])('lists the tools of %s and calls each of them', async (strategy) => {
    const own = strategy === 'self_editing' ? new Client({ name: 'spec', version: '1' }) : undefined;
    await own?.connect(transport(editingToken, editing.url));
    try {
      await listAndCall(own ?? client, own ? editingCallsOf(run) : callsOf(run));
    } finally {
      await own?.close();
    }
  });

  async function listAndCall(client: Client, calls: ReturnType<typeof callsOf>): Promise<void> {
    const { tools } = await client.listTools();
    const known = tools.map((tool) => tool.name);
    expect(known).toEqual(expect.arrayContaining(calls.map(([tool]) => tool)));
    let id = '';
    for (const [tool, args, expected] of calls) {
      const given: unknown = JSON.parse(JSON.stringify(args).replaceAll('"$"', JSON.stringify(id)));
      // An object stays an object.
      const answer = await client.callTool({ name: tool, arguments: given as Record<string, unknown> });
      expect({ tool, answer: answer.structuredContent }).toEqual({ tool, answer: expect.objectContaining({}) });
      expect(answer.structuredContent).toMatchObject(expected);
      if (tool === 'remember') id = Kept.parse(answer.structuredContent).id;
    }
  }

  it('reads the skills as resources, and through the extension with their hashes', async () => {
    const uri = `skill://guildbook/${skill}/SKILL.md`;
    const { resources } = await client.listResources();
    expect(resources.map((resource) => resource.uri)).toEqual([uri]);
    const [content] = (await client.readResource({ uri })).contents;
    expect(content).toMatchObject({ mimeType: 'text/markdown', text: expect.stringMatching(/^---\nname:/) });
    const skills = new SkillsClient(client);
    const listed = await skills.list();
    expect(listed.skills).toMatchObject([{ uri, frontmatter: { name: skill } }]);
    for (const one of listed.skills) expect(await skills.read(one)).toMatchObject({ verified: true });
    await expect(client.readResource({ uri: 'skill://guildbook/../SKILL.md' })).rejects.toThrow();
  });

  it('reports an unknown tool, a wrong argument and an invalid credential', async () => {
    expect(await client.callTool({ name: 'search_memory', arguments: { query: '' } })).toMatchObject({ isError: true });
    await expect(client.callTool({ name: 'approve', arguments: {} })).rejects.toThrow(/approve/);
    const stranger = new Client({ name: 'spec', version: '1' });
    await expect(stranger.connect(transport('gba_unknown'))).rejects.toThrow();
    await stranger.close();
  });
});
