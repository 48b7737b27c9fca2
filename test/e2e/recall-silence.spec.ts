import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { http } from '../support/http.js';
import { McpTestClient } from '../support/mcp-client.js';
import { storedMemory, verifiedByPerson } from '../support/memories.js';

const ABOUT = 'pnpm lint fails with "Command not found" in the billing worker';
const SHARING = 'Was the command of the captain found to be true?';
const EVERYDAY = ['write a haiku about spring', 'Fix the typo in the second paragraph of the README.', SHARING, 'a'];

let app: TestApplication;
let ada: Awaited<ReturnType<TestApplication['agent']>>;
let mcp: McpTestClient;

beforeAll(async () => {
  app = await startTestApplication({}, false, { hookDeadlineMs: 60_000 });
  ada = await app.agent('ada');
  const steps = ['Run `pnpm -w run lint`.'];
  const id = await storedMemory(app.database, {
    agentId: ada.id,
    scope: 'agent',
    discovery: ABOUT,
    steps,
    createdAt: app.clock.now(),
  });
  await verifiedByPerson(app.database, id);
  for (const lesson of [
    'The release v9 failed for want of a changelog entry.',
    'Ask the captain of the team before a rerun.',
  ])
    await ada.client.remember({ lesson, tags: ['non-inferable'] });
  mcp = await McpTestClient.connect(app.url, ada.token);
});
afterAll(async () => {
  await mcp.close();
  await app.close();
});

const prompt = async (text: string): Promise<string> => {
  const event = { session_id: `s ${text}`, cwd: '/home/ada/shop', hook_event_name: 'UserPromptSubmit', prompt: text };
  return (await http(app, ada.token).post('/v1/hooks/claude-code/UserPromptSubmit').send(event)).text;
};

describe('recall and the hook of a prompt', () => {
  it.each(EVERYDAY)('say nothing to "%s"', async (query) => {
    for (const retrieval of ['words', 'hybrid', 'keyword_overlap'] as const)
      expect((await ada.client.recall({ query, retrieval })).memories).toEqual([]);
    expect(await prompt(query)).toBe('{}');
  });

  it('say what a memory is about, and nothing beside it', async () => {
    const query = 'pnpm lint\nCommand not found';
    expect((await ada.client.recall({ query })).memories.map(({ discovery }) => discovery)).toEqual([ABOUT]);
    expect((await mcp.call('search_memory', { query })).text).toContain('verified: confirmed');
    expect(await prompt(query)).toContain('verified: confirmed');
  });
});

describe('a search, over MCP and over REST', () => {
  it.each(EVERYDAY.filter((query) => query !== SHARING))('finds nothing for "%s"', async (query) => {
    expect((await mcp.call('search_memory', { query })).text).toBe('No memory matches this task.');
  });

  it('lists what shares words with it by title, as weak matches, which do not count as delivered', async () => {
    const { text, data } = await mcp.call('search_memory', { query: SHARING });
    expect(text).toContain(`"title":"${ABOUT.replaceAll('"', '\\"')}","match":"weak`);
    expect(text).not.toContain('pnpm -w run lint');
    expect(data).toMatchObject({ memories: [] });
    const { memories } = await ada.client.recall({ query: SHARING, weak: true });
    expect(memories.map(({ weak }) => weak)).toEqual([true, true]);
  });
});
