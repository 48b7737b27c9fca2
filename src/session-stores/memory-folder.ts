import { constants } from 'node:fs';
import { link, lstat, mkdir, open, readdir, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Ids } from '../platform/base/ids.js';
import { SessionMemoryError } from '../sessions/entries/session-memory.errors.js';
import { FolderLock, isCode } from './folder-lock.js';

const TEMPORARY = '.tmp-';
const MAX_IGNORED_BYTES = 64 * 1_024;
const IGNORED = '# A memory may hold what you would not publish.\n*\n';

/** Not a regular file, such as a symbolic link, or larger than what is read. */
export type Unreadable = 'not_a_file' | 'too_large';

export interface FolderOptions {
  readonly ids: Ids;
  /** Nothing is created, repaired or written. */
  readonly readOnly?: boolean;
}

/**
 * The folder of a session memory. Files are written under its lock, into a temporary file that replaces the old one, so
 * that a crash leaves the old or the new content. No symbolic link is followed: a link that someone checked into a
 * project could otherwise redirect what is written and read.
 */
export class MemoryFolder {
  private readonly lock: FolderLock;

  private constructor(
    readonly path: string,
    readonly isReadOnly: boolean,
    private readonly ids: Ids,
  ) {
    this.lock = new FolderLock(path, ids);
  }

  /** Creates the folder and its `.gitignore`, unless read-only. Rejects with `memory.redirected` for a link in its path. */
  static async open(path: string, { ids, readOnly = false }: FolderOptions): Promise<MemoryFolder> {
    const folder = new MemoryFolder(resolve(path), readOnly, ids);
    await folder.refuseLinks('');
    if (readOnly) return folder;
    await folder.makeFolder('');
    await folder.locked(async () => {
      await folder.removeTemporary('');
      if ((await folder.read('.gitignore', MAX_IGNORED_BYTES)) === undefined) await folder.write('.gitignore', IGNORED);
    });
    return folder;
  }

  /** Runs `work` while no other process writes to the folder. */
  async locked<T>(work: () => Promise<T>): Promise<T> {
    if (this.isReadOnly) throw new SessionMemoryError('memory.read_only', 'the memory was opened to read only');
    return this.lock.run(async () => {
      await this.refuseLinks('');
      return work();
    });
  }

  async makeFolder(name: string): Promise<void> {
    await this.refuseLinks(name);
    const made = await mkdir(join(this.path, name), { recursive: true, mode: 0o700 });
    if (made !== undefined) await syncFolder(dirname(made));
    await this.refuseLinks(name);
  }

  /** Removes what a killed writer left behind. Only under the lock. */
  async removeTemporary(folder: string): Promise<void> {
    for (const name of await this.list(folder))
      if (name.startsWith(TEMPORARY)) await rm(join(this.path, folder, name), { force: true });
  }

  /** The names in a folder of this one, sorted; empty without it. */
  async list(folder: string): Promise<string[]> {
    await this.refuseLinks(folder);
    try {
      return (await readdir(join(this.path, folder))).sort();
    } catch (error) {
      if (isCode(error, 'ENOENT')) return [];
      throw error;
    }
  }

  /** The bytes of a file; undefined if there is none. Neither follows a link nor waits for a pipe. */
  async read(name: string, maxBytes: number): Promise<Buffer | Unreadable | undefined> {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await open(join(this.path, name), flags).catch((error: unknown) => {
      if (isCode(error, 'ENOENT')) return undefined;
      if (isCode(error, 'ELOOP', 'ENXIO')) return 'not_a_file' as const;
      throw error;
    });
    if (file === undefined || file === 'not_a_file') return file;
    try {
      const found = await file.stat();
      if (!found.isFile()) return 'not_a_file';
      return found.size > maxBytes ? 'too_large' : await file.readFile();
    } finally {
      await file.close();
    }
  }

  /** Replaces a file durably: temporary file in the same folder, fsync, rename, fsync of the folder. Only under the lock. */
  async write(name: string, text: string): Promise<void> {
    const target = join(this.path, name);
    const temporary = join(dirname(target), `${TEMPORARY}${this.ids.nonce()}`);
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(text, 'utf8');
      await file.sync();
    } finally {
      await file.close();
    }
    await this.lock.confirm();
    await rename(temporary, target);
    await syncFolder(dirname(target));
  }

  /**
   * Gives a damaged file a second name, `<name>.damaged-<n>`. It keeps its own until it is written or removed, so that a
   * crash in between loses nothing. Only under the lock.
   */
  async keepDamaged(name: string): Promise<void> {
    for (let n = 1; ; n += 1) {
      try {
        await link(join(this.path, name), join(this.path, `${name}.damaged-${n}`));
        return;
      } catch (error) {
        if (!isCode(error, 'EEXIST')) throw error;
      }
    }
  }

  /** Only under the lock. */
  async remove(name: string): Promise<void> {
    await rm(join(this.path, name), { force: true });
    await syncFolder(dirname(join(this.path, name)));
  }

  /** Rejects if the folder, or a folder above it, is reached through a symbolic link. */
  private async refuseLinks(name: string): Promise<void> {
    const path = join(this.path, name === '' ? '.' : name);
    const existing = await nearestExisting(path);
    const real = await realpath(existing).catch(() => undefined);
    if (real !== existing)
      throw new SessionMemoryError(
        'memory.redirected',
        `${existing} is a symbolic link or lies behind one; give the folder by its real path`,
      );
  }
}

async function nearestExisting(path: string): Promise<string> {
  try {
    await lstat(path);
    return path;
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
    return nearestExisting(dirname(path));
  }
}

/** The rename is durable once its folder is. Some systems cannot sync a folder; there the rename itself has to do. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  try {
    await folder?.sync();
  } catch (error) {
    if (!isCode(error, 'EISDIR', 'EINVAL', 'EPERM', 'ENOTSUP')) throw error;
  } finally {
    await folder?.close();
  }
}
