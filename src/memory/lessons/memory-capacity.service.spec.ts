import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { storedMemory } from '../../../test/support/memories.js';
import { report } from '../../../test/support/reports.js';

const CAPACITY = 3;

let app: TestApplication;
let ada: Awaited<ReturnType<TestApplication['agent']>>;
let agents = 0;

beforeAll(async () => {
  app = await startTestApplication({
    GUILDBOOK_UPKEEP_CRON: 'off',
    GUILDBOOK_MEMORY_CAPACITY: String(CAPACITY),
  });
});
afterAll(() => app.close());
beforeEach(async () => {
  agents += 1;
  ada = await app.agent(`Ada ${agents}`);
});

/** Lessons of Ada, each a minute older than the next one. */
async function stored(...names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const [n, discovery] of names.entries()) {
    const createdAt = new Date(Date.parse('2026-03-31T18:00:00Z') + n * 60_000);
    ids.push(await storedMemory(app.database, { agentId: ada.id, discovery, createdAt }));
  }
  return ids;
}
const live = async () =>
  (
    await app.database.client.memory.findMany({
      where: { scope: 'agent', agentId: ada.id, supersededAt: null },
      orderBy: { createdAt: 'asc' },
    })
  ).map(({ discovery }) => discovery);
const pruned = async () => {
  const { items } = await app.admin.journal.list({ action: 'memory.lessons_pruned', subject: ada.id });
  return items.map(({ actor, data }) => ({ kind: actor.kind, data }));
};

describe('a full store', () => {
  it('makes room for a note: the lesson that fewest sessions retrieved ends, the oldest first', async () => {
    const [first, second] = await stored('first', 'second', 'third');
    await app.database.client.memory.updateMany({ where: { id: String(first) }, data: { relevanceCount: 1 } });
    await ada.client.remember({ lesson: 'fourth', tags: ['non-inferable'] });
    expect(await live()).toEqual(['first', 'third', 'fourth']);
    expect(await pruned()).toEqual([{ kind: 'agent', data: { lessons: [{ id: second, why: 'evicted' }] } }]);
    const row = await app.database.client.memory.findUnique({ where: { id: String(second) } });
    expect(row).toMatchObject({ endReason: 'evicted', supersededById: null, discovery: 'second' });
  });

  it('ends copies from other agents before what the agent learned itself', async () => {
    const [, second] = await stored('own', 'copy', 'third');
    const source = await app.agent(`Bo ${agents}`);
    const propagatedFromId = await storedMemory(app.database, {
      agentId: source.id,
      discovery: 'copy',
      createdAt: app.clock.now(),
    });
    await app.database.client.memory.updateMany({ where: { id: String(second) }, data: { propagatedFromId } });
    await ada.client.remember({ lesson: 'fourth', tags: ['non-inferable'] });
    expect(await live()).toEqual(['own', 'third', 'fourth']);
  });

  it('makes room for a lesson that was learned', async () => {
    const [first] = await stored('first', 'second', 'third');
    await ada.client.executions.report(report({ executionId: 'learned in a full store' }));
    await app.settled();
    expect(await live()).toHaveLength(CAPACITY);
    expect(await pruned()).toEqual([{ kind: 'job', data: { lessons: [{ id: first, why: 'evicted' }] } }]);
  });

  it('keeps pinned lessons, even if it stays too large', async () => {
    await stored('first', 'second', 'third');
    await app.database.client.memory.updateMany({
      where: { scope: 'agent', agentId: ada.id },
      data: { pinnedAt: app.clock.now() },
    });
    await ada.client.remember({ lesson: 'fourth', tags: ['non-inferable'] });
    expect(await live()).toEqual(['first', 'second', 'third', 'fourth']);
    expect(await pruned()).toEqual([]);
  });

  it('of another agent is left alone', async () => {
    await stored('first', 'second', 'third');
    const ben = await app.agent(`Ben ${agents}`);
    await ben.client.remember({ lesson: 'fourth', tags: ['non-inferable'] });
    expect(await live()).toEqual(['first', 'second', 'third']);
  });
});
