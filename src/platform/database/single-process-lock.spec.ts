import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sha256 } from '../base/canonical-json.js';
import { DirectoryInUseError, lockDirectory } from './single-process-lock.js';

describe('the lock on the folder of the embedded database', () => {
  let root: string;
  let data: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'gb-lock-'));
    data = join(root, 'data');
    await mkdir(data);
  });
  afterEach(() => rm(root, { recursive: true }));

  it('is free again after it is released', async () => {
    const release = await lockDirectory(data);
    await release();
    const again = await lockDirectory(data);
    await again();
    expect(await readdir(`${data}.lock`)).toEqual([]);
  });

  it('rejects a second holder with an error that says what to do', async () => {
    const release = await lockDirectory(data);
    await expect(lockDirectory(data)).rejects.toThrow(/in use by another process.*DATABASE_URL/);
    await release();
  });

  it('recognises another path to the same folder', async () => {
    await symlink(data, join(root, 'link'));
    const release = await lockDirectory(join(root, 'link'));
    await expect(lockDirectory(`${root}/./data/`)).rejects.toThrow(DirectoryInUseError);
    await release();
  });

  it('excludes another process, and admits the next one after kill -9', async () => {
    const other = await holdInAnotherProcess(data);
    await expect(lockDirectory(data)).rejects.toThrow(DirectoryInUseError);
    const gone = once(other, 'exit');
    other.kill('SIGKILL');
    await gone;
    const release = await lockDirectory(data);
    expect(await readdir(`${data}.lock`)).toHaveLength(1);
    await release();
  });

  it('works for a path that is too long for a socket', async () => {
    const deep = join(data, 'a-folder-name-of-some-length/'.repeat(8));
    await mkdir(deep, { recursive: true });
    const release = await lockDirectory(deep);
    await expect(lockDirectory(deep)).rejects.toThrow(DirectoryInUseError);
    await release();
    const again = await lockDirectory(deep);
    await again();
  });

  it('works where the folder for temporary files has a long path as well, as on macOS', async () => {
    const deep = join(data, 'a-folder-name-of-some-length/'.repeat(4));
    await mkdir(deep, { recursive: true });
    const release = await lockDirectory(deep, deep);
    await expect(lockDirectory(deep, deep)).rejects.toThrow(DirectoryInUseError);
    await release();
    await rm(`/tmp/guildbook-${sha256(await realpath(deep)).slice(0, 32)}.lock`, { recursive: true });
  });

  it('has at most one holder when many try at once, even beside the socket of a dead process', async () => {
    for (let round = 0; round < 5; round += 1) {
      const dead = await holdInAnotherProcess(data);
      const gone = once(dead, 'exit');
      dead.kill('SIGKILL');
      await gone;
      const results = await Promise.allSettled(Array.from({ length: 6 }, () => lockDirectory(data)));
      const winners = results.filter((result) => result.status === 'fulfilled');
      const losers = results.filter((result) => result.status === 'rejected');
      expect(winners.length).toBeLessThanOrEqual(1);
      for (const { reason } of losers) expect(reason).toBeInstanceOf(DirectoryInUseError);
      for (const { value: release } of winners) await release();
    }
  });

  it('fails on a folder that does not exist', async () => {
    await expect(lockDirectory(join(root, 'nowhere'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

/** Listens in the lock's folder as a holder does, in a process that can be killed. */
async function holdInAnotherProcess(dataDir: string): Promise<ChildProcess> {
  await mkdir(`${dataDir}.lock`, { recursive: true });
  const program = `require('node:net').createServer().listen(process.argv[1], () => console.log('held'))`;
  const child = spawn(process.execPath, ['-e', program, join(`${dataDir}.lock`, String(process.hrtime.bigint()))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}
