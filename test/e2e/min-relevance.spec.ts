import { describe, expect, it } from '@jest/globals';
import { startTestApplication } from '../support/application.js';
import { storedMemory } from '../support/memories.js';
import { profileFile } from '../support/profile-file.js';

/** Recalls, with this threshold, a memory that matches one query word of four and a memory that matches all four. */
async function recalledFrom(minRelevance: number | undefined) {
  const app = await startTestApplication(
    minRelevance === undefined ? {} : { GUILDBOOK_RANKING_PROFILE: profileFile({ minRelevance }) },
  );
  try {
    const { id: agentId, client } = await app.agent('Ada');
    // Old, so that recency does not make up for missing words.
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
    return { well, little, delivered: memories.map(({ id }) => id), because, searched: searched.memories };
  } finally {
    await app.close();
  }
}

describe('the minimum relevance', () => {
  it('is the threshold of recall and search: a lower value delivers more, a higher one less', async () => {
    const low = await recalledFrom(0);
    expect([low.delivered, low.because, low.searched]).toEqual([[low.well, low.little], [], [low.well, low.little]]);
    const high = await recalledFrom(0.5);
    expect([high.delivered, high.searched]).toEqual([[high.well], [high.well]]);
    expect(high.because).toEqual([[high.little, 'below_threshold']]);
    const most = await recalledFrom(1);
    expect([most.delivered, most.searched]).toEqual([[], []]);
    expect(most.because.map(([, because]) => because)).toEqual(['below_threshold', 'below_threshold']);
  });

  it('is 0.3 by default', async () => {
    const { delivered, well, little, because } = await recalledFrom(undefined);
    expect(delivered).toEqual([well]);
    expect(because).toEqual([[little, 'below_threshold']]);
  });
});
