import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Yielder } from '../../platform/background/yielder.js';
import { compareText } from '../../platform/base/compare-text.js';
import type { GitCommand } from './git-command.repository.js';
import { blobId } from './git-object.js';
import { HELD } from './known-chain.repository.js';
import type { MainState } from './main-history.repository.js';
import { blobAt, type SkillTree, skillNamed } from './skill-tree.js';
import type { Worktree } from './worktree.repository.js';

/** How one path of the folder differs from main. `unknown` is a path of any kind that is not on main: agents may load it. */
export interface WorktreeEdit {
  /** Ends in a slash for a whole folder that main does not have. */
  readonly path: string;
  readonly kind: 'edited' | 'deleted' | 'unknown';
  /**
   * The object of the file's content; undefined for a deleted or unknown file, 'foreign' for anything but a plain file.
   */
  readonly blob: string | undefined;
}

const MAX_BYTES = 1024 * 1024;
const READERS = 8;
/** Longer than the time resolution of any file system: a later change has another time. */
const SETTLED_MS = 2_500;
const NEVER_LISTED = new Set(['.git', '.gitkeep']);

/**
 * Finds external edits by reading the files, not by `git status`, which would run filters that are configured in the
 * repository. A file that did not change since the last run is not read again. That check uses synchronous calls in
 * short turns: the answer is in memory, and another thread would cost ten times as much of this one. Files are read
 * asynchronously.
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

  /**
   * Writes the files and the index that a process left that was killed between a commit and its files. No row tells a
   * folder that follows which files those are: they hold what history had at their path, so nothing of a person is lost.
   */
  async writeLeft({ head, tree }: MainState): Promise<void> {
    if (head === undefined || !(await this.worktree.isOnMain())) return;
    const edits = await this.list(tree);
    const missing = edits.filter(({ kind }) => kind === 'deleted').map(({ path }) => path);
    const held = edits.length > missing.length ? await this.#heldAt(head) : new Map<string, Set<string>>();
    const edited = edits.filter(({ kind, path }) => kind === 'edited' && held.has(path)).map(({ path }) => path);
    const removed = [...held.keys()].filter((path) => blobAt(tree, path) === undefined);
    const changes = [...new Set([...missing, ...edited, ...removed])].map((path) => {
      const before = new Set<string | undefined>(held.get(path)).add(undefined);
      return { path, wanted: blobAt(tree, path), before, generated: tree.others.get(path)?.generated === true };
    });
    await this.worktree.sync(changes, { from: undefined, head, entries: new Map() });
  }

  /** Reads a plain file of at most 1 MiB, and computes the object of exactly these bytes. */
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

  /** Path → every object that it had, in the history of this commit and of those that were set aside. */
  async #heldAt(head: string): Promise<Map<string, Set<string>>> {
    const args = ['log', '--format=', '--raw', '-z', '--no-abbrev', '--no-renames', '--root', head, `--glob=${HELD}*`];
    const held = new Map<string, Set<string>>();
    const fields = (await this.git.text(args)).split('\0');
    // Each change is ":<mode> <mode> <object before> <object after> <letter>", then its path.
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [, , before = '', after = ''] = fields[at]?.split(' ') ?? [];
      const path = fields[at + 1] ?? '';
      const objects = held.get(path) ?? new Set<string>();
      for (const object of [before, after]) if (!/^0+$/.test(object)) objects.add(object);
      held.set(path, objects);
    }
    return held;
  }

  /** Files of main that differ in the folder. */
  async #changed(tree: SkillTree): Promise<WorktreeEdit[]> {
    const edits: WorktreeEdit[] = [];
    const pendingFiles = treeFiles(tree);
    const yielder = new Yielder();
    let files = 0;
    const reader = async (): Promise<void> => {
      // All readers take from one iterator.
      for (let next = pendingFiles.next(); !next.done; next = pendingFiles.next()) {
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

  /** Entries of the folder that main does not have. */
  async #unknown(tree: SkillTree): Promise<WorktreeEdit[]> {
    const isFolder = folderLookup(tree);
    const unknownPaths: WorktreeEdit[] = [];
    const yielder = new Yielder();
    const folders = new Map<string, FolderListing>();
    for (const pendingFiles = ['']; pendingFiles.length > 0; await yielder.yieldIfDue()) {
      const folder = pendingFiles.pop() ?? '';
      const known = readFolder(join(this.git.root, folder), this.#folders.get(folder));
      if (known === undefined) continue;
      folders.set(folder, known);
      for (const entry of known.entries) {
        const path = `${folder}${entry.name}`;
        if (folder === '' && NEVER_LISTED.has(entry.name)) continue;
        // What main has there is not known.
        if (tree.others.get(`${path}/`)?.unreadable === true) continue;
        if (entry.isFolder && isFolder(`${path}/`)) pendingFiles.push(`${path}/`);
        else if (entry.isFolder) unknownPaths.push({ path: `${path}/`, kind: 'unknown', blob: undefined });
        else if (blobAt(tree, path) === undefined && !isFolder(`${path}/`))
          unknownPaths.push({ path, kind: 'unknown', blob: undefined });
      }
    }
    this.#folders = folders;
    return unknownPaths;
  }
}

/** The entries of a folder at the time of its stamp. */
interface FolderListing {
  readonly stamp: string;
  /** When the stamp was first seen, in milliseconds of this process. */
  readonly since: number;
  /** True if it was read so long after `since` that a later change must have another stamp. */
  readonly isSettled: boolean;
  readonly entries: readonly { readonly name: string; readonly isFolder: boolean }[];
}

/** Changes if the entry is written, replaced or renamed. */
const stampOf = ({ ino, mode, size, mtimeMs, ctimeMs }: Stats): string =>
  `${ino} ${mode} ${size} ${mtimeMs} ${ctimeMs}`;

/** The entry itself, not the target of a link. If it cannot be read here, the read that follows reports the error. */
function entryOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Reads the folder if it may have changed; undefined if it was removed meanwhile. */
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
      stamp,
      since,
      isSettled: now - since > SETTLED_MS,
      entries: entries.map((one) => ({ name: one.name, isFolder: one.isDirectory() })),
    };
  } catch {
    return undefined;
  }
}

/** Path → object of all files of the tree. */
function* treeFiles({ skills, others }: SkillTree): Generator<[path: string, blob: string]> {
  for (const { name, files } of skills) for (const [file, blob] of files) yield [`${name}/${file}`, blob];
  for (const [path, { blob, foreign }] of others) if (foreign !== true) yield [path, blob];
}

/** Returns a test of whether the tree holds anything below a folder, whose path ends in a slash. */
function folderLookup(tree: SkillTree): (folder: string) => boolean {
  const otherFolders = new Set<string>();
  for (const path of tree.others.keys())
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) otherFolders.add(path.slice(0, at + 1));
  return (folder) => {
    const slash = folder.indexOf('/');
    const skill = skillNamed(tree, folder.slice(0, slash));
    const below = folder.slice(slash + 1);
    return otherFolders.has(folder) || (skill !== undefined && hasBelow(skill.files, below));
  };
}

function hasBelow(files: ReadonlyMap<string, string>, folder: string): boolean {
  for (const file of files.keys()) if (file.startsWith(folder)) return true;
  return false;
}
