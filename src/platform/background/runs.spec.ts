import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { onDamage } from '../database/damaged-rows.js';
import { Runs, shownTimes, undoUntil } from './runs.js';

const RUNS = new Runs('upkeep', z.object({}), z.object({ ended: z.int() }));
const OTHERS = new Runs('consolidation', z.object({ sessions: z.int(), project: z.null() }), z.object({}));
const at = (minute: number): Date => new Date(Date.UTC(2026, 2, 1, 8, minute));

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(async () => {
  await test.database.close();
  await test.drop();
});

const start = async (minute: number, agentId?: string): Promise<string> => {
  const id = randomUUID();
  const run = {
    id,
    trigger: 'request',
    dryRun: false,
    startedAt: at(minute),
    ...(agentId ? { agentId } : {}),
  } as const;
  if (agentId === undefined) await RUNS.start(test.database.client, { ...run, input: {} });
  else await OTHERS.start(test.database.client, { ...run, input: { sessions: 2, project: null }, phase: 'orient' });
  return id;
};

describe('a run', () => {
  it('starts, reports what is done so far, and completes once', async () => {
    const { client } = test.database;
    const id = await start(0);
    expect(await RUNS.find(client, id)).toMatchObject({ state: 'running', phase: null, report: null, input: {} });
    expect(await RUNS.progress(client, id, { ended: 1 })).toBe(true);
    expect(await RUNS.find(client, id)).toMatchObject({ state: 'running', report: { ended: 1 } });
    expect(await RUNS.complete(client, id, { ended: 2 }, at(1))).toBe(true);
    expect(await RUNS.complete(client, id, { ended: 3 }, at(2))).toBe(false);
    expect(await RUNS.fail(client, id, 'too late', at(2))).toBe(false);
    expect(await RUNS.find(client, id)).toMatchObject({ state: 'completed', report: { ended: 2 }, finishedAt: at(1) });
    expect(await RUNS.newest(client, { state: 'completed' })).toMatchObject({ id });
  });

  it('can be undone once, as long as its setting says', async () => {
    const { client } = test.database;
    const id = await start(5);
    await RUNS.complete(client, id, { ended: 2 }, at(6));
    const run = await RUNS.find(client, id);
    if (!run) throw new Error('no run');
    expect(undoUntil(run, 2, 7)).toEqual(new Date(at(6).getTime() + 7 * 86_400_000));
    for (const [one, changes] of [
      [run, 0],
      [{ ...run, dryRun: true }, 2],
      [{ ...run, state: 'failed' as const }, 2],
    ] as const)
      expect(undoUntil(one, changes, 7)).toBeUndefined();
    expect(await RUNS.setUndone(client, id, at(7))).toBe(true);
    expect(await RUNS.setUndone(client, id, at(8))).toBe(false);
    const undone = await RUNS.find(client, id);
    expect(undone && shownTimes(undone, at(9))).toMatchObject({ undoneAt: at(7).toISOString(), undoUntil: null });
  });

  it('whose process died is failed by the next one, of the same kind and agent alone', async () => {
    const { client } = test.database;
    const [first, second, upkeep] = [randomUUID(), randomUUID(), await start(10)];
    const [dead, other] = [await start(11, first), await start(12, second)];
    expect(await OTHERS.expire(client, at(13), first)).toMatchObject([{ id: dead, state: 'failed', agentId: first }]);
    expect(await OTHERS.expire(client, at(13), first)).toEqual([]);
    expect(await OTHERS.find(client, dead)).toMatchObject({
      finishedAt: at(13),
      failure: expect.stringContaining('ended'),
    });
    expect(await OTHERS.find(client, other)).toMatchObject({ state: 'running', phase: 'orient' });
    expect(await RUNS.find(client, upkeep)).toMatchObject({ state: 'running' });
  });

  it('is listed newest first, by the beginning of its id and by its agent, and is of one kind', async () => {
    const { client } = test.database;
    const agent = randomUUID();
    const [older, newer] = [await start(20, agent), await start(21, agent)];
    const ids = async (filter: Parameters<typeof OTHERS.list>[1]) =>
      (await OTHERS.list(client, filter, 10)).map(({ id }) => id);
    expect(await ids({ agentId: agent })).toEqual([newer, older]);
    expect(await ids({ id: older.slice(0, 13) })).toEqual([older]);
    expect(await OTHERS.list(client, { agentId: agent }, 1)).toMatchObject([{ id: newer }]);
    expect(await RUNS.find(client, newer)).toBeUndefined();
    expect(await RUNS.fail(client, newer, 'of another kind', at(22))).toBe(false);
  });

  it('that is damaged is left out and reported', async () => {
    const { client } = test.database;
    const id = await start(30);
    await client.$executeRaw`UPDATE "run" SET "report" = '{"ended": "x"}' WHERE "id" = ${id}::uuid`;
    const damaged: unknown[] = [];
    const stop = onDamage((one) => damaged.push(one));
    expect(await RUNS.find(client, id)).toBeUndefined();
    stop();
    expect(damaged).toEqual([{ table: 'run', id, reason: 'ended: invalid_type' }]);
  });
});
