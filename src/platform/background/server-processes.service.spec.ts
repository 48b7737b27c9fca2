import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { MovableClock } from '../../../test/support/movable-clock.js';
import { RandomIds } from '../base/ids.js';
import { VERSION } from '../config/version.js';
import { ServerProcesses } from './server-processes.service.js';

describe('the processes of a server', () => {
  let test: TestDatabase;
  let clock: MovableClock;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    test = await openTestDatabase();
  });
  afterAll(async () => {
    await test.database.close();
    await test.drop();
  });
  beforeEach(async () => {
    await test.database.client.serverProcess.deleteMany();
    clock = new MovableClock();
  });
  const start = async (host: string) => {
    const own = new ServerProcesses({ host: '127.0.0.1', port: 4747 }, host, test.database, clock, new RandomIds());
    expect(await own.join('guildbook+0001')).toBeUndefined();
    return own;
  };
  const hosts = async (of: ServerProcesses) => (await of.list()).map(({ host }) => host);

  it('are listed with their version and what they say about themselves', async () => {
    const one = await start('one');
    one.describe(() => ({ skillsFolder: 'own' }));
    one.describe(async () => ({ indexBehind: 3 }));
    await one.heartbeat();
    const common = { host: 'one', pid: process.pid, version: VERSION, address: '127.0.0.1:4747' };
    expect(await one.list()).toMatchObject([{ ...common, id: one.id, skillsFolder: 'own', indexBehind: 3 }]);
  });

  it('that died are no longer listed after a minute, and their rows are deleted by another one', async () => {
    const alive = await start('alive');
    await start('dead');
    expect(alive.live).toBe(1);
    await alive.heartbeat();
    expect(alive.live).toBe(2);
    clock.advance(31_000);
    await alive.heartbeat();
    expect(alive.live).toBe(1);
    expect(await hosts(alive)).toEqual(['alive', 'dead']);
    clock.advance(29_001);
    expect(await hosts(alive)).not.toContain('dead');
    await alive.heartbeat();
    expect(await test.database.client.serverProcess.count()).toBe(1);
  });

  it('sign with one key: one with another is not admitted while another process lives, and of two at once one is first', async () => {
    const make = (host: string) =>
      new ServerProcesses({ host: '127.0.0.1', port: 4747 }, host, test.database, clock, new RandomIds());
    const both = await Promise.all([make('one').join('guildbook+0001'), make('two').join('guildbook+0002')]);
    const isShared = test.database.kind === 'postgresql';
    expect(both.filter((other) => other !== undefined)).toHaveLength(isShared ? 1 : 0);
    clock.advance(60_001);
    expect(await make('three').join('guildbook+0003')).toBeUndefined();
    const refused = await make('four').join('guildbook+0004');
    if (isShared) expect(refused).toMatchObject({ host: 'three' });
  });

  it('that stop take themselves off the list, and no later heartbeat puts them back', async () => {
    const [one, other] = [await start('one'), await start('other')];
    await other.beforeApplicationShutdown();
    await other.heartbeat();
    expect(await hosts(one)).toEqual(['one']);
  });

  it('come back to the list after their row was deleted while they were suspended', async () => {
    const [one, other] = [await start('one'), await start('other')];
    clock.advance(60_001);
    await one.heartbeat();
    expect(await test.database.client.serverProcess.count()).toBe(1);
    await other.heartbeat();
    expect((await hosts(one)).sort()).toEqual(['one', 'other']);
  });
});
