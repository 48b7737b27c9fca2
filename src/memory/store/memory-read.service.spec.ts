import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storedMemory } from '../../../test/support/memories.js';
import { startServices, type TestServices } from '../../../test/support/services.js';
import { MemoryModule } from '../memory.module.js';
import { MemoryReadService } from './memory-read.service.js';

let services: TestServices;
let reading: MemoryReadService;
let agentId: string;

beforeAll(async () => {
  services = await startServices(MemoryModule, { GUILDBOOK_UPKEEP_CRON: 'off' });
  reading = services.get(MemoryReadService);
  agentId = (await services.agent('ada')).id;
});
afterAll(() => services.close());

const stored = (discovery: string) =>
  storedMemory(services.database, { discovery, agentId, createdAt: services.clock.now() });

describe('the changes of memory', () => {
  it('come once, with the group that may see the memory now, and end with it', async () => {
    const before = await reading.cursor();
    const id = await stored('The quay is closed');
    expect(await reading.countChanges(before)).toBe(1);
    const { cursor, changes } = await reading.changes(before);
    expect(changes).toEqual([{ id, isLive: true, group: `agent:${agentId}` }]);
    expect(await reading.countChanges(cursor)).toBe(0);
    expect((await reading.changes(cursor)).changes).toEqual([]);
    await services.database.transaction((tx) =>
      tx.memory.update({ where: { id }, data: { supersededAt: services.clock.now() } }),
    );
    expect((await reading.changes(cursor)).changes).toEqual([{ id, isLive: false, group: undefined }]);
  });

  it('come from a transaction that ran while the cursor was taken, and from none that it saw', async () => {
    const ids = [await stored('Seen'), await stored('Ran then'), await stored('Came later')];
    await services.database.transaction(async (tx) => {
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
