import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storedMemory } from '../../../test/support/memories.js';
import { startServices, type TestServices } from '../../../test/support/services.js';
import { Ids } from '../../platform/base/ids.js';
import { MemoryModule } from '../memory.module.js';
import { MemoryRepository } from './memory.repository.js';
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

describe('an entry of a session memory', () => {
  it('is none of the memories that are searched, counted, or trained on', async () => {
    const [before, counted] = [await reading.cursor(), await reading.countLive()];
    const lesson = await stored('The crane is open');
    const { client } = services.database;
    const { parts, cost, figures, ...row } = await client.memory.findUniqueOrThrow({ where: { id: lesson } });
    const id = services.get(Ids).uuid();
    const entry = {
      scope: 'project',
      kind: 'fact',
      sessionId: 's',
      writtenBy: 'agent',
      updatedAt: row.createdAt,
    } as const;
    await services.database.transaction((tx) => tx.memory.create({ data: { ...row, steps: [], ...entry, id } }));
    await services.database.transaction((tx) => tx.memory.update({ where: { id }, data: { action: 'Wait.' } }));
    expect((await reading.changes(before)).changes.map((one) => one.id)).toEqual([lesson]);
    expect(await reading.countLive()).toBe(counted + 1);
    for (const pages of [reading.newest(100), reading.all(), reading.allOfGroup(`agent:${agentId}`)]) {
      const ids: string[] = [];
      for await (const page of pages) ids.push(...page.map((one) => one.id));
      expect(ids).toContain(lesson);
      expect(ids).not.toContain(id);
    }
  });

  it('is stored under the locks of this version and of the version before, in the order of the one before', async () => {
    const locks = await services.database.transaction(async (tx) => {
      await services.get(MemoryRepository).lockAgent(tx, agentId);
      return tx.$queryRaw`SELECT "classid"::int AS "lock" FROM pg_locks WHERE "locktype" = 'advisory'
        AND "pid" = pg_backend_pid() AND "objid" = (hashtext(${agentId})::bigint & 4294967295)::oid ORDER BY 1`;
    });
    expect(locks).toEqual([{ lock: 7_240_019 }, { lock: 7_240_025 }]);
  });
});
