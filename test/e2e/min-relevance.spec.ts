import { describe, expect, it } from '@jest/globals';
import { startTestApplication } from '../support/application.js';
import { storedMemory } from '../support/memories.js';

/** What a server with this threshold tells of one memory that a word of four answers, and one that all four answer. */
async function recalledFrom(minRelevance: number | undefined) {
  const app = await startTestApplication(
    { GUILDBOOK_QUERY_EXPANSION_ROUNDS: '0' },
    false,
    minRelevance === undefined ? {} : { minRelevance },
  );
  try {
    const { id: agentId, client } = await app.agent('Ada');
    // Old, so that no recency makes up for what they do not answer.
    const createdAt = new Date(app.clock.now().getTime() - 365 * 86_400_000);
    const well = await storedMemory(app.database, { agentId, createdAt, discovery: 'zeppelin heron egret ibis' });
    const little = await storedMemory(app.database, {
      agentId,
      createdAt,
      discovery: 'zeppelin cargo manifest papers',
    });
    const query = 'zeppelin heron egret ibis';
    const { memories, leftOut } = await client.recall({ query });
    const searched = await client.memoryTool('search_memory', { query });
    const because = leftOut.map((one) => [one.id, one.because]);
    return { well, little, told: memories.map(({ id }) => id), because, searched: searched.memories };
  } finally {
    await app.close();
  }
}

describe('the minimum relevance', () => {
  it('is what a memory has to answer a task by: lower, more is told; higher, less; by recall and by search alike', async () => {
    const low = await recalledFrom(0);
    expect([low.told, low.because, low.searched]).toEqual([[low.well, low.little], [], [low.well, low.little]]);
    const high = await recalledFrom(0.5);
    expect([high.told, high.searched]).toEqual([[high.well], [high.well]]);
    expect(high.because).toEqual([[high.little, 'below_threshold']]);
    const most = await recalledFrom(1);
    expect([most.told, most.searched]).toEqual([[], []]);
    expect(most.because.map(([, because]) => because)).toEqual(['below_threshold', 'below_threshold']);
  });

  it('is 0.3 where nobody says otherwise', async () => {
    const { told, well, little, because } = await recalledFrom(undefined);
    expect(told).toEqual([well]);
    expect(because).toEqual([[little, 'below_threshold']]);
  });
});
