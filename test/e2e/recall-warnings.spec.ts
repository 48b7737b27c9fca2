import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MEMORY_FILTER, type MemoryFilter } from '../../src/recall/ranking/memory-filter.js';
import { StrategyName } from '../../src/recall/ranking/recall.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { McpTestClient } from '../support/mcp-client.js';

let app: TestApplication;
let ada: Awaited<ReturnType<TestApplication['agent']>>;
let mcp: McpTestClient;

beforeAll(async () => {
  app = await startTestApplication();
  ada = await app.agent('Ada');
  await ada.client.remember({ lesson: 'The zeppelin export needs python3', tags: ['non-inferable'] });
  await ada.client.memoryTool('core_memory_write', { lesson: 'Export by night', tags: ['non-inferable'] });
  mcp = await McpTestClient.connect(app.url, ada.token);
});
afterAll(async () => {
  await mcp.close();
  await app.close();
});

const warnings = async (more: object) => (await ada.client.recall({ query: 'zeppelin export', ...more })).warnings;

describe('a recall with an option that its strategy ignores', () => {
  it('says so, over REST', async () => {
    expect(await warnings({ strategy: 'tool_based', diversify: true })).toEqual([
      'The strategy "tool_based" ignores diversify.',
    ]);
    expect(await warnings({ strategy: 'self_editing', rounds: 2, limit: 3 })).toEqual([
      'The strategy "self_editing" ignores limit, rounds.',
    ]);
    expect(await warnings({ strategy: 'context', diversify: true, rounds: 2, limit: 3, role: 'system' })).toEqual([]);
    expect(await warnings({ tools: ['Bash'] })).toEqual([
      'The retrieval "words" ignores tools: only "keyword_overlap" uses them.',
    ]);
  });
});

describe('a recall with a token budget that is too small for anything', () => {
  const context = /^The token budget of 60 is too small for any of the memories found: the shortest needs about \d+\.$/;

  it('says so in every strategy, and what would be enough', async () => {
    for (const strategy of StrategyName.options) {
      const [warning = ''] = await warnings({ strategy, tokenBudget: 60 });
      const needed = Number(/needs (?:about )?(\d+)/.exec(warning)?.[1]);
      expect([strategy, warning]).toEqual([strategy, expect.stringMatching(/^The token budget of 60 is too small/)]);
      // The random number of the tags makes some tokens of difference.
      expect(await warnings({ strategy, tokenBudget: needed - 50 })).toHaveLength(1);
      const enough = await ada.client.recall({ query: 'zeppelin export', strategy, tokenBudget: needed + 50 });
      // What is enough for the instruction of self_editing is not enough for a core note.
      const left = strategy === 'self_editing' ? [expect.stringMatching(/too small for any of the memories/)] : [];
      expect([enough.messages.length > 0, enough.warnings]).toEqual([true, left]);
    }
    expect(await warnings({ tokenBudget: 60 })).toEqual([expect.stringMatching(context)]);
    expect((await ada.client.recall({ query: 'quetzalcoatl', tokenBudget: 0 })).warnings).toEqual([]);
  });

  it('says so to the model that calls a tool, over REST and MCP, instead of that nothing matches', async () => {
    const input = { query: 'zeppelin export', tokenBudget: 60 };
    const overRest = await ada.client.memoryTool('search_memory', input);
    const overMcp = await mcp.call('search_memory', input);
    expect(overRest.warnings).toEqual([expect.stringMatching(context)]);
    for (const text of [overRest.content, overMcp.text]) {
      expect(text).toMatch(/^Warning: The token budget of 60 is too small/);
      expect(text).not.toContain('No memory matches');
    }
    expect(overMcp.data).toMatchObject({ memories: [], warnings: [expect.stringMatching(context)] });
    expect((await mcp.call('search_memory', { query: 'quetzalcoatl' })).text).toBe('No memory matches this task.');
  });

  it('tells a model that the filter failed, and not that there are no notes', async () => {
    const filter = app.app.get<MemoryFilter>(MEMORY_FILTER);
    const { allows } = filter;
    filter.allows = () => {
      throw new Error('broken');
    };
    try {
      expect((await ada.client.memoryTool('core_memory_read')).content).toBe(
        'Warning: The memory filter failed, so nothing is recalled.',
      );
    } finally {
      filter.allows = allows;
    }
  });
});
