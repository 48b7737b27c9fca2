import type { Dirent } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type GitCommand, lstatIfAny } from './git-command.repository.js';
import { blobId } from './git-object.js';
import type { SkillTree } from './skill-tree.js';
import type { Worktree } from './worktree.repository.js';

/** How one path of the folder differs from main. */
export interface WorktreeEdit {
  /** Ends in a slash for a whole folder of which main knows nothing. */
  readonly path: string;
  readonly kind: 'edited' | 'deleted' | 'unknown';
  /** The object that the file would be; undefined for a deleted or unknown one, 'foreign' for what is no plain file. */
  readonly blob: string | undefined;
}

const MAX_BYTES = 1024 * 1024;
const READERS = 8;
const NEVER_LISTED = new Set(['.git', '.gitkeep']);

/**
 * What people changed in the folder. Found by reading the files, not by `git status`: that would run filters which
 * somebody configured in the repository. A file that did not change since the last time is not read again.
 */
export class WorktreeEdits {
  readonly #seen = new Map<string, { stamp: string; blob: string | undefined }>();

  constructor(
    private readonly git: GitCommand,
    private readonly worktree: Worktree,
  ) {}

  /** Sorted by path. */
  async list({ skills, others }: SkillTree): Promise<WorktreeEdit[]> {
    const known = new Map<string, string>(
      skills.flatMap(({ name, files }) =>
        [...files].map(([file, blob]): [string, string] => [`${name}/${file}`, blob]),
      ),
    );
    for (const [path, { blob }] of others) known.set(path, blob);
    const edits: WorktreeEdit[] = [];
    const waiting = [...known];
    const reader = async (): Promise<void> => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const [path, wanted] = next;
        const blob = await this.#blobOf(path);
        if (blob !== wanted) edits.push({ path, kind: blob === undefined ? 'deleted' : 'edited', blob });
      }
    };
    await Promise.all(Array.from({ length: READERS }, reader));
    for (const path of this.#seen.keys()) if (!known.has(path)) this.#seen.delete(path);
    const unknown = await this.#unknown('', foldersOf(known), known);
    edits.push(...unknown.map((path): WorktreeEdit => ({ path, kind: 'unknown', blob: undefined })));
    return edits.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** A plain file of at most 1 MiB, and the object that these very bytes would be. */
  async read(path: string): Promise<{ blob: string; bytes: Buffer } | undefined> {
    const blob = await this.worktree.blobOf(path);
    if (blob === undefined || blob === 'foreign') return undefined;
    const handle = await open(join(this.git.root, path), 'r');
    try {
      if ((await handle.stat()).size > MAX_BYTES) return undefined;
      const bytes = await handle.readFile();
      return { blob: blobId(bytes, await this.git.format()), bytes };
    } finally {
      await handle.close();
    }
  }

  async #blobOf(path: string): Promise<string | undefined> {
    const entry = await lstatIfAny(join(this.git.root, path));
    const stamp = entry && `${entry.ino} ${entry.mode} ${entry.size} ${entry.mtimeMs} ${entry.ctimeMs}`;
    const seen = this.#seen.get(path);
    if (stamp !== undefined && seen?.stamp === stamp) return seen.blob;
    const blob = await this.worktree.blobOf(path);
    if (stamp === undefined) this.#seen.delete(path);
    else this.#seen.set(path, { stamp, blob });
    return blob;
  }

  async #unknown(folder: string, folders: ReadonlySet<string>, known: ReadonlyMap<string, string>): Promise<string[]> {
    const found: string[] = [];
    for (const entry of await this.#entriesOf(folder)) {
      const path = `${folder}${entry.name}`;
      if (folder === '' && NEVER_LISTED.has(entry.name)) continue;
      if (entry.isDirectory() && folders.has(`${path}/`))
        found.push(...(await this.#unknown(`${path}/`, folders, known)));
      else if (entry.isDirectory()) found.push(`${path}/`);
      else if (!known.has(path) && !folders.has(`${path}/`)) found.push(path);
    }
    return found;
  }

  #entriesOf(folder: string): Promise<Dirent[]> {
    // A folder that somebody removes meanwhile holds nothing.
    return readdir(join(this.git.root, folder), { withFileTypes: true }).catch(() => []);
  }
}

function foldersOf(known: ReadonlyMap<string, string>): Set<string> {
  const folders = new Set<string>();
  for (const path of known.keys()) {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) folders.add(path.slice(0, at + 1));
  }
  return folders;
}
