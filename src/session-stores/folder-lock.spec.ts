import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RandomIds } from '../platform/base/ids.js';
import { FolderLock } from './folder-lock.js';

/** No process has this id: it is above the maximum of every system. */
const DEAD = 2 ** 30;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guildbook-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const lock = (): FolderLock => new FolderLock(folder, new RandomIds());
/** The host as the lock names it: with the namespace of its processes, where there is one. */
async function ownHost(): Promise<string> {
  await lock().run(async () => undefined);
  const [name = ''] = await readdir(folder);
  return String((JSON.parse(await readFile(join(folder, name), 'utf8')) as Record<string, unknown>)['host']);
}
const leave = async (name: string, owner: object): Promise<void> => {
  await rm(folder, { recursive: true });
  folder = await mkdtemp(join(tmpdir(), 'guildbook-lock-'));
  await writeFile(join(folder, name), JSON.stringify(owner));
};

describe('the lock of a folder', () => {
  it('lets one writer at a time in, of many in one process and of many locks', async () => {
    let [inside, most, done] = [0, 0, 0];
    const work = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await sleep(1);
      inside -= 1;
      done += 1;
    };
    const locks = Array.from({ length: 6 }, lock);
    await Promise.all(locks.flatMap((one) => [1, 2, 3].map(() => one.run(work))));
    expect([most, done]).toEqual([1, 18]);
    expect((await readdir(folder)).filter((name) => !name.startsWith('.lock-'))).toEqual([]);
    expect(await readdir(folder)).toHaveLength(1);
  });

  it('is free again after work that failed', async () => {
    const one = lock();
    await expect(one.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await one.run(async () => 'yes')).toBe('yes');
  });

  it('is taken from a dead process of this machine at once', async () => {
    await leave('.lock-7', { host: await ownHost(), pid: DEAD, released: false });
    expect(await lock().run(async () => readdir(folder))).toEqual(['.lock-8']);
  });

  it('is taken from a live owner only after a minute', async () => {
    await leave('.lock-7', { host: `another ${hostname()}`, pid: process.pid, released: false });
    let isIn = false;
    const waiting = lock().run(async () => {
      isIn = true;
    });
    await sleep(150);
    expect(isIn).toBe(false);
    const old = new Date(Date.now() - 61_000);
    await utimes(join(folder, '.lock-7'), old, old);
    await waiting;
    expect(isIn).toBe(true);
  });

  it('tells a writer that was suspended that it has lost the lock', async () => {
    const slow = lock();
    await slow.run(async () => {
      await slow.confirm();
      const [name = ''] = await readdir(folder);
      const old = new Date(Date.now() - 61_000);
      await utimes(join(folder, name), old, old);
      await lock().run(async () => {
        await expect(slow.confirm()).rejects.toMatchObject({ code: 'memory.locked' });
      });
    });
    expect(await lock().run(async () => 'still works')).toBe('still works');
  });
});
