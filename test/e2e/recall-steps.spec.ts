import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { http } from '../support/http.js';
import { McpTestClient } from '../support/mcp-client.js';
import { storedMemory, verifiedByPerson } from '../support/memories.js';

let app: TestApplication;
let ada: Awaited<ReturnType<TestApplication['agent']>>;
let mcp: McpTestClient;
const STEPS = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `Stop queue ${n} of the zeppelins and wait until it is empty`);
/** Fewer than the steps take, and more than two random numbers of a fence differ by. */
const ROOM = 60;

beforeAll(async () => {
  app = await startTestApplication({}, false, { hookDeadlineMs: 60_000 });
  ada = await app.agent('Ada');
  const memory = { agentId: ada.id, createdAt: app.clock.now() };
  await storedMemory(app.database, { ...memory, discovery: 'Zeppelin exports stop', steps: STEPS });
  await ada.client.remember({
    lesson: 'Zeppelin notes are kept in the hangar',
    steps: ['Open the hangar'],
    tags: ['non-inferable'],
  });
  mcp = await McpTestClient.connect(app.url, ada.token);
});
afterAll(async () => {
  await mcp.close();
  await app.close();
});

const stepsIn = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) =>
      Object.entries<string>(JSON.parse(line)).flatMap(([key, value]) => (/^step \d+$/.test(key) ? [value] : [])),
    )
    .filter((steps) => steps.length > 0);
const textOf = (messages: readonly { content: string }[]) => messages.map(({ content }) => content).join('\n');

describe('the steps of memories', () => {
  it('come with the memories, unless a request leaves them out: then a record says how many there are', async () => {
    const answer = await ada.client.recall({ query: 'zeppelin exports stop' });
    expect(stepsIn(textOf(answer.messages))).toContainEqual(STEPS);
    const without = await ada.client.recall({ query: 'zeppelin exports stop', limit: 1, steps: false });
    expect(stepsIn(textOf(without.messages))).toEqual([]);
    expect(textOf(without.messages)).toContain(`"steps":"${STEPS.length} not shown: recall_memory gives them"`);
  });

  it('of a success lesson of three steps come by default, with a recall and with a prompt', async () => {
    const steps = [
      'Run `npm ci --ignore-scripts` in the folder of the service',
      'Write the new version into `deploy/values.yaml`',
      'Run `./scripts/release.sh --tag next` and wait for "released"',
    ];
    const discovery = 'Releasing the heron service to staging takes a new version in its values';
    const memory = { agentId: ada.id, createdAt: app.clock.now(), controlTags: ['success-derived', 'non-inferable'] };
    await verifiedByPerson(app.database, await storedMemory(app.database, { ...memory, discovery, steps }));
    const task = 'Release the heron service to staging';
    expect(stepsIn(textOf((await ada.client.recall({ query: task })).messages))).toEqual([steps]);
    const event = { session_id: 's-3', cwd: '/home/ada/heron', hook_event_name: 'UserPromptSubmit', prompt: task };
    const answer = await http(app, ada.token).post('/v1/hooks/claude-code/UserPromptSubmit').send(event);
    expect(stepsIn(JSON.parse(answer.text).hookSpecificOutput.additionalContext)).toEqual([steps]);
  });

  it('stay within the token budget, and the record says where they are', async () => {
    const brief = await ada.client.recall({ query: 'zeppelin exports stop', limit: 1, steps: false });
    const tokenBudget = brief.tokens + ROOM;
    const answer = await ada.client.recall({ query: 'zeppelin exports stop', limit: 1, tokenBudget });
    expect(answer.memories).toHaveLength(1);
    expect(answer.tokens).toBeLessThanOrEqual(tokenBudget);
    expect(textOf(answer.messages)).toContain('recall_memory gives them');
  });

  it('come over MCP and through the tools, too', async () => {
    const input = { query: 'zeppelin exports stop' };
    expect(stepsIn((await mcp.call('search_memory', input)).text)).toContainEqual(STEPS);
    for (const tool of ['search_memory', 'archival_memory_search'])
      expect(stepsIn((await ada.client.memoryTool(tool, input)).content)).toContainEqual(STEPS);
  });
});
