import { describe, expect, it } from '@jest/globals';
import { startTestApplication } from '../support/application.js';
import { storedMemory } from '../support/memories.js';
import { profileFile } from '../support/profile-file.js';

/** Recalls, with this threshold, a memory that matches one word of six and, with the usual query, one that matches all. */
async function recalledFrom(minRelevance: number | undefined, query = 'zeppelin heron egret ibis stork garden') {
  const app = await startTestApplication(
    minRelevance === undefined ? {} : { GUILDBOOK_RANKING_PROFILE: profileFile({ minRelevance }) },
  );
  try {
    const { id: agentId, client } = await app.agent('Ada');
    // Old, so that recency does not make up for missing words.
    const createdAt = new Date(app.clock.now().getTime() - 365 * 86_400_000);
    const well = await storedMemory(app.database, {
      agentId,
      createdAt,
      discovery: 'zeppelin heron egret ibis stork garden',
    });
    const little = await storedMemory(app.database, {
      agentId,
      createdAt,
      discovery: 'garden cargo manifest papers',
    });
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
    const high = await recalledFrom(0.98);
    expect([high.delivered, high.searched]).toEqual([[high.well], [high.well]]);
    expect(high.because).toEqual([[high.little, 'below_threshold']]);
    const most = await recalledFrom(1);
    expect([most.delivered, most.searched]).toEqual([[], []]);
    expect(most.because.map(([, because]) => because)).toEqual(['below_threshold', 'below_threshold']);
  });

  it('is 0.5 by default, of which half is enough beside a memory that reaches it', async () => {
    const beside = await recalledFrom(undefined);
    expect(beside.delivered).toEqual([beside.well, beside.little]);
    const alone = await recalledFrom(undefined, 'garden raven pigeon magpie');
    expect(alone.delivered).toEqual([]);
    expect(alone.because.map(([, because]) => because)).toEqual(['below_threshold', 'below_threshold']);
  });
});
