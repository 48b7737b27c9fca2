import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Yielder } from '../../platform/background/yielder.js';
import { compareText } from '../../platform/base/compare-text.js';
import type { GitCommand } from './git-command.repository.js';
import { blobId } from './git-object.js';
import { blobAt, type SkillTree, skillNamed } from './skill-tree.js';
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
/** Longer than the time of any file system stands still: what changes after that has another time. */
const SETTLED_MS = 2_500;
const NEVER_LISTED = new Set(['.git', '.gitkeep']);

/**
 * What people changed in the folder. Found by reading the files, not by `git status`: that would run filters which
 * somebody configured in the repository. A file that did not change since the last time is not read again, and whether
 * it did is asked at once, in short turns: the answer is in memory, and to have another thread fetch it costs ten times
 * as much of this one. Files are read by other threads.
 */
export class WorktreeEdits {
  #folders = new Map<string, FolderListing>();
  readonly #seen = new Map<string, { stamp: string; blob: string | undefined }>();

  constructor(
    private readonly git: GitCommand,
    private readonly worktree: Worktree,
  ) {}

  /** Sorted by path. */
  async list(tree: SkillTree): Promise<WorktreeEdit[]> {
    const edits = [...(await this.#changed(tree)), ...(await this.#unknown(tree))];
    return edits.sort((a, b) => compareText(a.path, b.path));
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

  /** What main holds, and the folder not as main holds it. */
  async #changed(tree: SkillTree): Promise<WorktreeEdit[]> {
    const edits: WorktreeEdit[] = [];
    const waiting = treeFiles(tree);
    const yielder = new Yielder();
    let files = 0;
    const reader = async (): Promise<void> => {
      // All readers take from the one list.
      for (let next = waiting.next(); !next.done; next = waiting.next()) {
        const [path, wanted] = next.value;
        files += 1;
        const blob = await this.#blobOf(path);
        if (blob !== wanted) edits.push({ path, kind: blob === undefined ? 'deleted' : 'edited', blob });
        await yielder.yieldIfDue();
      }
    };
    await Promise.all(Array.from({ length: READERS }, reader));
    if (this.#seen.size > files)
      for (const path of this.#seen.keys()) if (blobAt(tree, path) === undefined) this.#seen.delete(path);
    return edits;
  }

  async #blobOf(path: string): Promise<string | undefined> {
    const entry = entryOf(join(this.git.root, path));
    const stamp = entry && stampOf(entry);
    const seen = this.#seen.get(path);
    if (stamp !== undefined && seen?.stamp === stamp) return seen.blob;
    const blob = await this.worktree.blobOf(path);
    if (stamp === undefined) this.#seen.delete(path);
    else this.#seen.set(path, { stamp, blob });
    return blob;
  }

  /** What the folder holds, and main knows nothing of. */
  async #unknown(tree: SkillTree): Promise<WorktreeEdit[]> {
    const isFolder = folderLookup(tree);
    const found: WorktreeEdit[] = [];
    const yielder = new Yielder();
    const folders = new Map<string, FolderListing>();
    for (const waiting = ['']; waiting.length > 0; await yielder.yieldIfDue()) {
      const folder = waiting.pop() ?? '';
      const known = readFolder(join(this.git.root, folder), this.#folders.get(folder));
      if (known === undefined) continue;
      folders.set(folder, known);
      for (const entry of known.entries) {
        const path = `${folder}${entry.name}`;
        if (folder === '' && NEVER_LISTED.has(entry.name)) continue;
        if (entry.isFolder && isFolder(`${path}/`)) waiting.push(`${path}/`);
        else if (entry.isFolder) found.push({ path: `${path}/`, kind: 'unknown', blob: undefined });
        else if (blobAt(tree, path) === undefined && !isFolder(`${path}/`))
          found.push({ path, kind: 'unknown', blob: undefined });
      }
    }
    this.#folders = folders;
    return found;
  }
}

/** What was in a folder when it had this stamp. */
interface FolderListing {
  readonly stamp: string;
  /** Milliseconds of this process, when the stamp was first seen. */
  readonly since: number;
  /** Read again so long after `since` that no change can have the same stamp. */
  readonly isSettled: boolean;
  readonly entries: readonly { readonly name: string; readonly isFolder: boolean }[];
}

/** Changes when anybody writes, replaces or renames it. */
const stampOf = ({ ino, mode, size, mtimeMs, ctimeMs }: Stats): string =>
  `${ino} ${mode} ${size} ${mtimeMs} ${ctimeMs}`;

/** The entry itself, not what a link points to. What cannot be asked for is read, and says why it cannot. */
function entryOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Read where it may have changed. Undefined for one that somebody removed meanwhile. */
function readFolder(folder: string, known: FolderListing | undefined): FolderListing | undefined {
  const now = performance.now();
  const entry = entryOf(folder);
  if (entry === undefined) return undefined;
  const stamp = stampOf(entry);
  const isSame = known?.stamp === stamp;
  if (isSame && known.isSettled) return known;
  const since = isSame ? known.since : now;
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return {
      ...{ stamp, since, isSettled: now - since > SETTLED_MS },
      entries: entries.map((one) => ({ name: one.name, isFolder: one.isDirectory() })),
    };
  } catch {
    return undefined;
  }
}

/** Path → object of all that the tree holds. */
function* treeFiles({ skills, others }: SkillTree): Generator<[path: string, blob: string]> {
  for (const { name, files } of skills) for (const [file, blob] of files) yield [`${name}/${file}`, blob];
  for (const [path, { blob }] of others) yield [path, blob];
}

/** Says whether the tree holds something below this folder, whose path ends in a slash. */
function folderLookup(tree: SkillTree): (folder: string) => boolean {
  const besides = new Set<string>();
  for (const path of tree.others.keys())
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) besides.add(path.slice(0, at + 1));
  return (folder) => {
    const slash = folder.indexOf('/');
    const skill = skillNamed(tree, folder.slice(0, slash));
    const below = folder.slice(slash + 1);
    return besides.has(folder) || (skill !== undefined && hasBelow(skill.files, below));
  };
}

function hasBelow(files: ReadonlyMap<string, string>, folder: string): boolean {
  for (const file of files.keys()) if (file.startsWith(folder)) return true;
  return false;
}
