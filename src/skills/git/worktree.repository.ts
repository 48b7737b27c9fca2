import { copyFile, mkdir, open, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '../../platform/base/error-text.js';
import { type GitCommand, lstatOrUndefined } from './git-command.repository.js';
import { blobId } from './git-object.js';
import { readPlainFile } from './isolated-git-dir.repository.js';

export const MAIN = 'refs/heads/main';

/**
 * State of the file. `kept-external-edit`: it was edited externally and left alone. `other-branch`: main is not checked
 * out here.
 */
export type WorktreeState = 'up-to-date' | 'kept-external-edit' | 'other-branch';

/** A file that main changed. */
export interface FileChange {
  readonly path: string;
  /** The object that main holds now; undefined if it holds none. */
  readonly wanted: string | undefined;
  /** The objects (undefined for no file) that may be overwritten: what main held before. */
  readonly before: ReadonlySet<string | undefined>;
  /**
   * True for a generated file. If git has its content, it contains nothing of a person and may be overwritten as well.
   */
  readonly generated: boolean;
  /** The content of `wanted`, if known; otherwise it is read from git. */
  readonly content?: string | undefined;
}

/** Changes from the commit of the index to `head`: path → object, undefined for a removed file. */
export interface IndexChange {
  readonly from: string | undefined;
  readonly head: string;
  readonly entries: ReadonlyMap<string, string | undefined>;
}

const WRITERS = 8;
// Words of git for a missing or damaged folder.
const DAMAGED = /unable to read tree|failed to (?:read|unpack) (?:tree )?object/;
const MAX_HEAD_BYTES = 1_000;
// Far beyond every file that is published, and small enough to be read at once.
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/**
 * The working tree. It follows the commits: files are written after them, from them, and never over an external edit.
 */
export class Worktree {
  // The index as this process wrote it last. If it is unchanged, only the changes are written.
  #index: { head: string; stamp: string } | undefined;

  constructor(private readonly git: GitCommand) {}

  async isOnMain(): Promise<boolean> {
    const head = await readPlainFile(join(this.git.gitDir, 'HEAD'), MAX_HEAD_BYTES);
    return head?.toString('latin1').trim() === `ref: ${MAIN}`;
  }

  /** Updates these files and the index to main. Returns the state of each path. */
  async sync(changes: readonly FileChange[], index: IndexChange): Promise<Map<string, WorktreeState>> {
    const states = new Map<string, WorktreeState>(changes.map(({ path }) => [path, 'other-branch']));
    if (!(await this.isOnMain())) return states;
    await this.git.scratch(async (folder) => {
      const pendingChanges = [...changes];
      // In parallel: syncing several files to disk takes hardly longer than one.
      const writer = async (): Promise<void> => {
        for (let next = pendingChanges.pop(); next; next = pendingChanges.pop()) {
          states.set(next.path, await this.#syncFile(join(folder, `file-${pendingChanges.length}`), next));
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, writer));
      await this.#replaceIndex(join(folder, 'index'), index);
    });
    return states;
  }

  /**
   * Writes the file from main if it still is as in `seen`: that object, or no file if undefined. Returns false
   * otherwise, so that a newer external edit is kept.
   */
  async restore(path: string, wanted: string, seen: string | undefined): Promise<boolean> {
    const change = { path, wanted, before: new Set([seen]), generated: false };
    const state = await this.git.scratch((folder) => this.#syncFile(join(folder, 'file'), change));
    return state === 'up-to-date';
  }

  /**
   * The object of the file's content; undefined if there is none, 'foreign' for anything but a readable plain file in
   * plain folders: writing through a link would leave the repository.
   */
  async blobOf(path: string): Promise<string | undefined> {
    const file = join(this.git.root, path);
    if (!(await this.isInPlainFolders(path))) return 'foreign';
    const entry = await lstatOrUndefined(file);
    if (!entry) return undefined;
    if (!entry.isFile() || entry.size > MAX_FILE_BYTES) return 'foreign';
    const format = await this.git.format();
    // One file without the right to read it must not hide the state of the others.
    return readFile(file).then(
      (bytes) => blobId(bytes, format),
      async () => ((await lstatOrUndefined(file)) ? 'foreign' : undefined),
    );
  }

  /** False if a folder above the path is a link, or no folder. */
  async isInPlainFolders(path: string): Promise<boolean> {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      const entry = await lstatOrUndefined(join(this.git.root, folder));
      if (entry && !entry.isDirectory()) return false;
    }
    return true;
  }

  async #syncFile(temporary: string, change: FileChange): Promise<WorktreeState> {
    const { path, wanted, content } = change;
    const file = join(this.git.root, path);
    const actual = await this.blobOf(path);
    if (actual !== wanted && !(await this.#mayReplace(actual, change))) return 'kept-external-edit';
    if (wanted === undefined) {
      await rm(file, { force: true });
      // Other files in the folder are kept, and so is the folder. Also tried if the file is gone already, because a
      // process killed in between left an empty folder.
      for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
        await rmdir(join(this.git.root, folder)).catch(() => undefined);
      return 'up-to-date';
    }
    if (actual === wanted) return 'up-to-date';
    await writeDurably(temporary, content ?? (await this.git.bytes(['cat-file', 'blob', wanted])));
    await mkdir(dirname(file), { recursive: true });
    await rename(temporary, file);
    return 'up-to-date';
  }

  async #mayReplace(actual: string | undefined, { before, generated }: FileChange): Promise<boolean> {
    if (before.has(actual)) return true;
    if (!generated || actual === 'foreign') return false;
    return actual === undefined || this.git.succeeds(['cat-file', '-e', actual]);
  }

  // A rename does not need `.git/index.lock`, so a lock of a killed git blocks nothing.
  async #replaceIndex(index: string, { from, head, entries }: IndexChange): Promise<void> {
    const file = join(this.git.gitDir, 'index');
    const isOurs = this.#index !== undefined && this.#index.stamp === (await stampOf(file));
    if (isOurs && this.#index?.head === head) return;
    if (isOurs && this.#index?.head === from) {
      await copyFile(file, index);
      const none = '0'.repeat(head.length);
      const input = [...entries].map(([path, blob]) => `${blob ? '100644' : '0'} ${blob ?? none}\t${path}\0`).join('');
      await this.git.text(['update-index', '-z', '--replace', '--index-info'], { index, input });
    } else {
      try {
        await this.git.text(['read-tree', head], { index });
      } catch (error) {
        // A folder of main that cannot be read has no place in an index. The one that is there stays.
        if (!DAMAGED.test(messageOf(error))) throw error;
        return;
      }
    }
    const written = await lstatOrUndefined(index);
    await rename(index, file);
    const stamp = await stampOf(file);
    this.#index = stamp?.startsWith(`${written?.ino} `) ? { head, stamp } : undefined;
  }
}

/** Changes if the file is written or replaced. */
async function stampOf(file: string): Promise<string | undefined> {
  const entry = await lstatOrUndefined(file);
  return entry && `${entry.ino} ${entry.size} ${entry.mtimeMs} ${entry.ctimeMs}`;
}

/** Syncs a file that is renamed afterwards: after a power cut, its final name must not point to an empty file. */
export async function writeDurably(path: string, bytes: Buffer | string): Promise<void> {
  const handle = await open(path, 'w', 0o644);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
