import { copyFile, mkdir, open, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type GitCommand, lstatOrUndefined } from './git-command.repository.js';
import { blobId } from './git-object.js';

export const MAIN = 'refs/heads/main';

/** What became of the file. `kept-external-edit`: it was edited by hand and left alone. `other-branch`: main is not checked out here. */
export type WorktreeState = 'up-to-date' | 'kept-external-edit' | 'other-branch';

/** A file that main changed. */
export interface FileChange {
  readonly path: string;
  /** The object that main holds now; undefined when it holds none. */
  readonly wanted: string | undefined;
  /** The objects, or undefined for no file, over which it may be written: what main held before. */
  readonly before: ReadonlySet<string | undefined>;
  /** A generated file has nothing of a person's in it when git has its content: then it may be written over, too. */
  readonly generated: boolean;
  /** The content of `wanted`, where it is at hand; else it is read from git. */
  readonly content?: string | undefined;
}

/** From the commit at which the index was to `head`: what changed, path → object, undefined for a removed file. */
export interface IndexChange {
  readonly from: string | undefined;
  readonly head: string;
  readonly entries: ReadonlyMap<string, string | undefined>;
}

const WRITERS = 8;

/** The files people see. Always behind the commits: written after them, from them, and never over a hand edit. */
export class Worktree {
  // The index as we wrote it last: while nobody touched it, it is enough to say what changed.
  #index: { head: string; stamp: string } | undefined;

  constructor(private readonly git: GitCommand) {}

  async isOnMain(): Promise<boolean> {
    return (await readFile(join(this.git.gitDir, 'HEAD'), 'utf8')).trim() === `ref: ${MAIN}`;
  }

  /** Makes these files and the index what main holds; path → what became of the file. */
  async sync(changes: readonly FileChange[], index: IndexChange): Promise<Map<string, WorktreeState>> {
    const states = new Map<string, WorktreeState>(changes.map(({ path }) => [path, 'other-branch']));
    if (!(await this.isOnMain())) return states;
    await this.git.scratch(async (folder) => {
      const waiting = [...changes];
      // Side by side: several files that go to the disk at the same time take it hardly longer than one.
      const writer = async (): Promise<void> => {
        for (let next = waiting.pop(); next; next = waiting.pop()) {
          states.set(next.path, await this.#syncFile(join(folder, `file-${waiting.length}`), next));
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, writer));
      await this.#replaceIndex(join(folder, 'index'), index);
    });
    return states;
  }

  /**
   * Writes the file as main holds it, if it still is what somebody saw: the object that `seen` names, or no file when
   * it is undefined. False when it is not: then a newer hand edit stays.
   */
  async restore(path: string, wanted: string, seen: string | undefined): Promise<boolean> {
    const change = { path, wanted, before: new Set([seen]), generated: false };
    const state = await this.git.scratch((folder) => this.#syncFile(join(folder, 'file'), change));
    return state === 'up-to-date';
  }

  /**
   * The object that the file would be, undefined where there is none. 'foreign' for whatever is not a plain file in a
   * plain folder: through a link we would write somewhere else.
   */
  async blobOf(path: string): Promise<string | undefined> {
    const file = join(this.git.root, path);
    for (let folder = dirname(file); folder !== this.git.root; folder = dirname(folder)) {
      const entry = await lstatOrUndefined(folder);
      if (entry && !entry.isDirectory()) return 'foreign';
    }
    const entry = await lstatOrUndefined(file);
    if (!entry) return undefined;
    return entry.isFile() ? blobId(await readFile(file), await this.git.format()) : 'foreign';
  }

  async #syncFile(temporary: string, change: FileChange): Promise<WorktreeState> {
    const { path, wanted, content } = change;
    const file = join(this.git.root, path);
    const actual = await this.blobOf(path);
    if (actual !== wanted && !(await this.#mayReplace(actual, change))) return 'kept-external-edit';
    if (wanted === undefined) {
      await rm(file, { force: true });
      // Files that somebody laid beside the skill stay, and their folder with them. Asked for again where the file is
      // gone already: whoever was killed in between left an empty folder.
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

  // A rename does not ask for `.git/index.lock`, so a lock that a killed git left there blocks nothing.
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
      await this.git.text(['read-tree', head], { index });
    }
    const written = await lstatOrUndefined(index);
    await rename(index, file);
    const stamp = await stampOf(file);
    this.#index = stamp?.startsWith(`${written?.ino} `) ? { head, stamp } : undefined;
  }
}

/** Changes when anybody writes or replaces the file. */
async function stampOf(file: string): Promise<string | undefined> {
  const entry = await lstatOrUndefined(file);
  return entry && `${entry.ino} ${entry.size} ${entry.mtimeMs} ${entry.ctimeMs}`;
}

/** For a file that gets its name afterwards: after a power cut, the name must not point at an empty file. */
export async function writeDurably(path: string, bytes: Buffer | string): Promise<void> {
  const handle = await open(path, 'w', 0o644);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
