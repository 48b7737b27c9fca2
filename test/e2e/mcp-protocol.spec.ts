import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { McpTestClient } from '../support/mcp-client.js';
import { MCP_META, MCP_REVISION, mcpRequest } from '../support/mcp-request.js';
import { report } from '../support/reports.js';
import { approvedSkill } from '../support/skills.js';

const EXTENSION = `${MCP_META}/skills`;

const Schema = z.looseObject({ type: z.literal('object'), properties: z.record(z.string(), z.unknown()).optional() });
const Tools = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      inputSchema: Schema,
      annotations: z.object({ readOnlyHint: z.boolean().optional() }),
    }),
  ),
});

let app: TestApplication;
let token: string;
let mcp: McpTestClient;
let skill: string;
/** A server whose agents edit their memory: it has other tools. */
let editing: TestApplication;
let editingToken: string;
let editor: McpTestClient;

beforeAll(async () => {
  app = await startTestApplication();
  ({ token } = await app.agent('Ada'));
  skill = await approvedSkill(app, 'Osprey the approved way');
  await app.settled();
  mcp = await McpTestClient.connect(app.url, token);
  editing = await startTestApplication({ GUILDBOOK_RECALL_STRATEGY: 'self_editing' });
  editingToken = (await editing.agent('Ada')).token;
  editor = await McpTestClient.connect(editing.url, editingToken);
});
afterAll(async () => {
  await mcp.close();
  await editor.close();
  await editing.close();
  await app.close();
});

/** The answer to a request of the newest revision, which has no handshake. */
const ask = (method: string, params: Record<string, unknown> = {}) =>
  mcpRequest({ url: app.url, token }, method, params);

/** The tools of both servers, each once. */
const tools = async () => {
  const lists = await Promise.all(
    [
      { url: app.url, token },
      { url: editing.url, token: editingToken },
    ].map(async (server) => Tools.parse((await mcpRequest(server, 'tools/list')).result).tools),
  );
  return [...new Map(lists.flat().map((tool) => [tool.name, tool])).values()];
};

describe('every tool of the server', () => {
  it('has its schema at the root, without references', async () => {
    const listed = await tools();
    const problems = listed.filter(
      ({ inputSchema }) => JSON.stringify(inputSchema).includes('"$ref"') || inputSchema.properties === undefined,
    );

    expect(listed.length).toBeGreaterThan(10);
    expect(problems).toEqual([]);
    expect(listed.find(({ name }) => name === 'remember')?.inputSchema.properties).toHaveProperty('lesson');
  });

  it.each([
    ['the default strategy', () => ({ url: app.url, token })],
    ['core notes that the agent edits', () => ({ url: editing.url, token: editingToken })],
  ])('costs a session little: the schemas have at most 6 KB together, with %s', async (_strategy, server) => {
    const { tools: listed } = Tools.parse((await mcpRequest(server(), 'tools/list')).result);
    const bytes = listed.map(({ inputSchema }) => Buffer.byteLength(JSON.stringify(inputSchema)));
    expect(listed.length).toBeGreaterThanOrEqual(10);
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(6 * 1024);
  });

  it('is in a list of at most 6 KB in all, for an agent whose hooks do not report', async () => {
    const { result } = await mcpRequest({ url: app.url, token }, 'tools/list');
    expect(Tools.parse(result).tools.map(({ name }) => name)).toContain('report_execution');
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(6 * 1024);
  });

  it('is in the list, but for report_execution where the hooks of the agent report, and can be called', async () => {
    const { token: hooked } = await app.agent('Hooked');
    const server = { url: app.url, token: hooked };
    const names = async () =>
      Tools.parse((await mcpRequest(server, 'tools/list')).result).tools.map(({ name }) => name);
    const before = await names();
    await fetch(`${app.url}/v1/hooks/claude-code/UserPromptSubmit`, {
      method: 'POST',
      headers: { authorization: `Bearer ${hooked}`, 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: 'hooked', hook_event_name: 'UserPromptSubmit', prompt: 'Count the plovers' }),
    });

    expect(await names()).toEqual(before.filter((name) => name !== 'report_execution'));
    const client = await McpTestClient.connect(app.url, hooked);
    expect(await client.call('report_execution', { ...report({ executionId: 'by hand' }) })).toMatchObject({
      data: { executionId: 'by hand', duplicate: false },
    });
    await client.close();
    expect((await tools()).map(({ name }) => name)).toContain('report_execution');
  });

  it('takes sessionId and newOnly if it reads', async () => {
    // Entries of earlier sessions are no memories: a session gets what it asks for.
    const ofSessions = ['recall_sessions', 'read_session'];
    const reading = (await tools()).filter(
      ({ name, annotations }) => annotations.readOnlyHint && !ofSessions.includes(name),
    );

    expect(reading.map(({ name }) => name).sort()).toEqual([
      'archival_memory_search',
      'core_memory_read',
      'get_skill',
      'list_skills',
      'recall_memory',
      'recall_memory_read',
      'search_memory',
    ]);
    for (const { name, inputSchema } of reading)
      expect([name, inputSchema.properties]).toEqual([
        name,
        expect.objectContaining({
          sessionId: expect.objectContaining({ type: 'string' }),
          newOnly: expect.objectContaining({ type: 'boolean' }),
        }),
      ]);
  });
});

describe('newOnly', () => {
  const clientOf = (tool: string) => (['search_memory', 'recall_memory'].includes(tool) ? mcp : editor);
  const note = async (client: McpTestClient, tool: string, lesson: string) => {
    const { text } = await client.call(tool, { lesson, tags: ['non-inferable'] });
    return /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text)?.[0] ?? '';
  };

  it.each([
    ['search_memory', 'remember', (_id: string) => ({ query: 'gannet colony export' })],
    ['archival_memory_search', 'archival_memory_write', (_id: string) => ({ query: 'gannet colony export' })],
    ['recall_memory', 'remember', (id: string) => ({ id })],
    ['core_memory_read', 'core_memory_write', (_id: string) => ({})],
    ['recall_memory_read', 'recall_memory_write', (_id: string) => ({})],
    ['recall_memory_read', 'recall_memory_write', (id: string) => ({ id })],
  ])('omits in %s what the session received, and nothing in another session', async (tool, write, argumentsOf) => {
    const lesson = `The gannet colony export needs ${tool} ${write} ${argumentsOf.toString().length}`;
    const client = clientOf(tool);
    const args = argumentsOf(await note(client, write, lesson));
    const read = async (sessionId: string) => (await client.call(tool, { ...args, sessionId, newOnly: true })).text;
    const session = `one ${tool} ${Object.keys(args)}`;

    expect(await read(session)).toContain(lesson);
    expect(await read(session)).not.toContain(lesson);
    expect(await read(`other ${session}`)).toContain(lesson);
    expect(await client.call(tool, { ...args, newOnly: true })).toMatchObject({
      isError: true,
      text: expect.stringContaining('recall.session_missing'),
    });
  });

  it('omits a skill that the session read, and no listed one', async () => {
    const list = async (sessionId: string) => (await mcp.call('list_skills', { sessionId, newOnly: true })).data;
    const read = (sessionId: string) => mcp.call('get_skill', { name: skill, sessionId, newOnly: true });

    expect(await list('s')).toMatchObject({ items: [{ name: skill }], total: 1 });
    expect(await list('s')).toMatchObject({ total: 1 });
    expect((await read('s')).text).toContain('---\nname:');
    expect(await list('s')).toMatchObject({ items: [], total: 0 });
    expect(await read('s')).toMatchObject({
      text: `This session already received the skill ${skill}.`,
      data: { artifact: '' },
    });
    expect((await mcp.call('get_skill', { name: skill, sessionId: 's' })).text).toContain('---\nname:');
    expect(await list('t')).toMatchObject({ total: 1 });
    for (const tool of ['list_skills', 'get_skill'])
      expect(await mcp.call(tool, { ...(tool === 'get_skill' ? { name: skill } : {}), newOnly: true })).toMatchObject({
        isError: true,
        text: expect.stringContaining('recall.session_missing'),
      });
  });
});

describe('the capabilities of the server', () => {
  it('announce no change of a list in any revision, because the server sends no notification', async () => {
    const client = new Client({ name: 'spec', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    );
    const modern = (await ask('server/discover')).result?.capabilities;
    const capabilities = [client.getServerCapabilities(), modern];
    await client.close();

    for (const given of capabilities) {
      expect(given).toMatchObject({ tools: {}, resources: {}, extensions: { [EXTENSION]: {} } });
      expect(JSON.stringify(given)).not.toContain('"listChanged":true');
      expect(JSON.stringify(given)).not.toContain('"subscribe":true');
    }
  });
});

describe('the skills extension in its final form', () => {
  const uriOf = (name: string) => `skill://guildbook/${name}/SKILL.md`;

  it('lists each skill with its frontmatter, and with digest and size of its files', async () => {
    const uri = uriOf(skill);
    const { result } = await ask('skills/list');
    const [content] = z
      .object({ contents: z.array(z.object({ text: z.string(), mimeType: z.literal('text/markdown') })) })
      .parse((await ask('resources/read', { uri })).result).contents;
    const bytes = Buffer.from(content?.text ?? '');
    const entry = {
      uri,
      frontmatter: { name: skill, description: expect.any(String) },
      resources: [{ uri, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`, size: bytes.length }],
    };

    expect(result).toMatchObject({ resultType: 'complete', skills: [entry], ttlMs: 0, cacheScope: 'private' });
    expect((await ask('skills/get', { uri })).result).toMatchObject({
      resultType: 'complete',
      skill: entry,
      ttlMs: 0,
      cacheScope: 'private',
    });
  });

  it('gives the resource of a skill the name and the description of its frontmatter', async () => {
    const listed = (await ask('skills/list')).result;
    const { skills } = z.object({ skills: z.array(z.object({ frontmatter: z.looseObject({}) })) }).parse(listed);
    const { name, description } = Object(skills[0]?.frontmatter);

    expect(description).toEqual(expect.any(String));
    expect((await ask('resources/list')).result).toMatchObject({
      resources: [{ uri: uriOf(skill), name, description, mimeType: 'text/markdown' }],
    });
  });

  it('answers -32602 for what it does not serve, and offers no reading of directories', async () => {
    for (const method of ['skills/get', 'resources/read'])
      expect(await ask(method, { uri: uriOf('no-such-skill') })).toMatchObject({ error: { code: -32602 } });
    expect(await ask('resources/directory/read', { uri: `skill://guildbook/${skill}` })).toMatchObject({
      error: { code: -32601 },
    });
  });
});

describe('the server card', () => {
  const get = (headers: Record<string, string> = {}) => fetch(`${app.url}/mcp/server-card`, { headers });

  it('is public, in the media type of the proposal, and open to pages of other sites', async () => {
    const response = await get({ origin: 'https://elsewhere.example' });

    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': expect.stringMatching(/^application\/mcp-server-card\+json(;|$)/),
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET',
      'access-control-allow-headers': 'Content-Type, If-None-Match',
      'access-control-expose-headers': 'ETag',
      'cache-control': 'public, max-age=3600',
    });
    const asked = await fetch(`${app.url}/mcp/server-card`, {
      method: 'OPTIONS',
      headers: { origin: 'https://elsewhere.example', 'access-control-request-headers': 'if-none-match' },
    });
    expect([asked.status, asked.headers.get('access-control-allow-headers')]).toEqual([
      204,
      'Content-Type, If-None-Match',
    ]);
    const etag = response.headers.get('etag') ?? '';
    expect((await get({ 'if-none-match': etag })).status).toBe(304);
  });

  it('opens no other address of the protocol to pages of other sites', async () => {
    const headers = { origin: 'https://elsewhere.example', authorization: `Bearer ${token}` };

    expect((await fetch(`${app.url}/mcp`, { headers })).status).toBe(403);
  });

  it('says what the server says after connecting', async () => {
    const card = await (await get()).json();
    const { result } = await ask('server/discover');
    const found = z.object({ supportedVersions: z.array(z.string()), _meta: z.looseObject({}) }).parse(result);
    const { name, title, version } = Object(found._meta[`${MCP_META}/serverInfo`]);

    expect(card).toMatchObject({
      $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
      name: `localhost/${name}`,
      title,
      version,
      remotes: [{ supportedProtocolVersions: expect.arrayContaining(found.supportedVersions) }],
    });
  });

  it('names only versions that the server speaks', async () => {
    const [remote] = z
      .object({ remotes: z.array(z.object({ supportedProtocolVersions: z.array(z.string()) })) })
      .parse(await (await get()).json()).remotes;
    const older = (remote?.supportedProtocolVersions ?? []).filter((version) => version !== MCP_REVISION);

    expect(older.length).toBeGreaterThan(0);
    for (const protocolVersion of older) {
      const response = await fetch(`${app.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: { protocolVersion, capabilities: {}, clientInfo: { name: 'spec', version: '1' } },
        }),
      });
      expect(await response.text()).toContain(`"protocolVersion":"${protocolVersion}"`);
    }
  });

  it('is the same text for everyone, without a secret or anything from the database', async () => {
    const before = await (await get()).text();
    await app.agent('Grace Hopper');
    const after = await (await get({ authorization: `Bearer ${token}` })).text();

    expect(after).toBe(before);
    for (const own of [token, skill, 'Ada', 'Grace', app.url, app.adminToken]) expect(before).not.toContain(own);
    expect(before).not.toMatch(/gb[a-z]_[A-Za-z0-9_-]/);
    expect(before).not.toMatch(/"(?:tools|resources|prompts|value|default)":/);
  });
});
