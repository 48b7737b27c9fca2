import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { storedMemory } from '../../../test/support/memories.js';
import { MemoryReadService } from './memory-read.service.js';

let app: TestApplication;
let reading: MemoryReadService;
let agentId: string;

beforeAll(async () => {
  app = await startTestApplication({ GUILDBOOK_UPKEEP_CRON: 'off' });
  reading = app.app.get(MemoryReadService);
  agentId = (await app.agent('ada')).id;
});
afterAll(() => app.close());

const stored = (discovery: string) => storedMemory(app.database, { discovery, agentId, createdAt: app.clock.now() });

describe('the changes of memory', () => {
  it('come once, with the group that may see the memory now, and end with it', async () => {
    const before = await reading.cursor();
    const id = await stored('The quay is closed');
    expect(await reading.countChanges(before)).toBe(1);
    const { cursor, changes } = await reading.changes(before);
    expect(changes).toEqual([{ id, isLive: true, group: `agent:${agentId}` }]);
    expect(await reading.countChanges(cursor)).toBe(0);
    expect((await reading.changes(cursor)).changes).toEqual([]);
    await app.database.transaction((tx) =>
      tx.memory.update({ where: { id }, data: { supersededAt: app.clock.now() } }),
    );
    expect((await reading.changes(cursor)).changes).toEqual([{ id, isLive: false, group: undefined }]);
  });

  it('come from a transaction that ran while the cursor was taken, and from none that it saw', async () => {
    const ids = [await stored('Seen'), await stored('Ran then'), await stored('Came later')];
    await app.database.transaction(async (tx) => {
      await tx.memoryChange.deleteMany({});
      const transactions = [100n, 102n, 105n];
      for (const [at, memoryId] of ids.entries())
        await tx.memoryChange.create({ data: { transaction: transactions[at] ?? 0n, memoryId } });
    });
    // Of 100 to 104, only 102 was still running.
    const { changes } = await reading.changes('102:105:102');
    expect(changes.map(({ id }) => id).sort()).toEqual(ids.slice(1).sort());
  });
});
