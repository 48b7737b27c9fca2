import { link, readdir, readFile, readlink, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { SystemClock } from '../platform/base/clock.js';
import { SECOND_MS } from '../platform/base/durations.js';
import type { Ids } from '../platform/base/ids.js';
import { parseJson } from '../platform/base/parse-json.js';
import { SessionMemoryError } from '../sessions/entries/session-memory.errors.js';

/** A holder writes a few small files. One that holds the lock for longer was suspended, or its process id was reused. */
const STALE_MS = 60 * SECOND_MS;
const WAIT_MS = 10 * SECOND_MS;
const PAUSE_MS = { first: 3, most: 40 } as const;

const NUMBERED = /^\.lock-(\d{1,15})$/;
const CLAIM = '.lock-claim-';
/** Earlier versions release a lock by `released`, and read it. */
const Owner = z.object({ host: z.string(), pid: z.int(), released: z.boolean() });

/**
 * Serialises the writers of a folder, in this process and in others, also after `kill -9`.
 *
 * A lock is the file `.lock-<n>` with its owner, of 1970 once it is released; the highest number counts. A process takes
 * the lock by creating the next number, which only one can, once the highest is released or its owner is dead. No one ever removes the highest
 * number, so no number is used twice, and a process that was slow to see a dead owner cannot remove the lock of the one
 * that was faster: it only ever creates a number that is lower than the highest, and gives it up.
 */
export class FolderLock {
  /** Not that of the memory: it is compared with the times of files. */
  private readonly clock = new SystemClock();
  private held: number | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly folder: string,
    private readonly ids: Ids,
  ) {}

  /** Runs `work` while no other writer does. Rejects with `memory.locked` if the lock is not free in ten seconds. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.last.then(() => this.runLocked(work));
    this.last = turn.catch(() => undefined);
    return turn;
  }

  /** Rejects if another process has taken the lock from this one, because it held it for too long. */
  async confirm(): Promise<void> {
    if (this.held === undefined || (await this.highest()) !== this.held)
      throw new SessionMemoryError('memory.locked', 'another process has taken over the lock of the memory');
  }

  private async runLocked<T>(work: () => Promise<T>): Promise<T> {
    const number = await this.acquire();
    this.held = number;
    try {
      return await work();
    } finally {
      this.held = undefined;
      await this.release(number);
    }
  }

  private async acquire(): Promise<number> {
    const deadline = performance.now() + WAIT_MS;
    for (let pause: number = PAUSE_MS.first; ; pause = Math.min(pause * 2, PAUSE_MS.most)) {
      const highest = await this.highest();
      const next = highest + 1;
      if ((highest === 0 || (await this.isOver(highest))) && (await this.claim(next))) {
        if ((await this.highest()) === next) {
          await this.removeOld(next);
          return next;
        }
        await rm(this.fileOf(next), { force: true });
      }
      if (performance.now() > deadline)
        throw new SessionMemoryError('memory.locked', 'another process is writing to the memory and does not end');
      await sleep(pause);
    }
  }

  /** Creates the numbered file with its content in one step. False if it exists. */
  private async claim(number: number): Promise<boolean> {
    const claim = join(this.folder, `${CLAIM}${this.ids.nonce()}`);
    const owner: z.infer<typeof Owner> = { host: await hostId(), pid: process.pid, released: false };
    await writeFile(claim, JSON.stringify(owner), { flag: 'wx', mode: 0o600 });
    try {
      await link(claim, this.fileOf(number));
      return true;
    } catch (error) {
      if (isCode(error, 'EEXIST')) return false;
      throw error;
    } finally {
      await rm(claim, { force: true });
    }
  }

  /** One change of the file, whole or not at all. The file is gone if another process has taken the lock over. */
  private async release(number: number): Promise<void> {
    await utimes(this.fileOf(number), 0, 0).catch((error: unknown) => {
      if (!isCode(error, 'ENOENT')) throw error;
    });
  }

  /** 0 without a lock. */
  private async highest(): Promise<number> {
    const names = await readdir(this.folder);
    return Math.max(0, ...names.map((name) => Number(NUMBERED.exec(name)?.[1] ?? 0)));
  }

  /** Whether the owner has released the lock, is dead, or has held it for too long. */
  private async isOver(number: number): Promise<boolean> {
    const file = this.fileOf(number);
    try {
      const { mtimeMs } = await stat(file);
      const owner = Owner.safeParse(parseJson(await readFile(file, 'utf8'))).data;
      const isOld = Math.abs(this.clock.now().getTime() - mtimeMs) > STALE_MS;
      if (owner === undefined) return isOld;
      return owner.released || isOld || (owner.host === (await hostId()) && !isAlive(owner.pid));
    } catch (error) {
      // The file is gone: a higher number exists by now.
      if (isCode(error, 'ENOENT')) return false;
      throw error;
    }
  }

  private async removeOld(current: number): Promise<void> {
    for (const name of await readdir(this.folder)) {
      const number = Number(NUMBERED.exec(name)?.[1] ?? current);
      if (number < current || (name.startsWith(CLAIM) && (await this.isOldClaim(name))))
        await rm(join(this.folder, name), { force: true });
    }
  }

  private async isOldClaim(name: string): Promise<boolean> {
    const found = await stat(join(this.folder, name)).catch(() => undefined);
    return found !== undefined && this.clock.now().getTime() - found.mtimeMs > STALE_MS;
  }

  private fileOf(number: number): string {
    return join(this.folder, `.lock-${number}`);
  }
}

export const isCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

/** Process ids count within this. Containers may share a host name, but not the namespace of their processes. */
async function hostId(): Promise<string> {
  const namespace = await readlink('/proc/self/ns/pid').catch(() => '');
  return `${hostname()} ${namespace}`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}
