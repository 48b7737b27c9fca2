import type { GitObject } from './git-object.js';
import type { ContentPiece, DeltaSource } from './pack.js';

const FOLDER = '40000';
const FILE = '100644';
const SPACE = 0x20;

/** A git tree with its entries, in their order. */
export interface GitTree extends GitObject {
  readonly entries: readonly TreeEntry[];
}

/** Path of a folder (empty, or with a slash at its end) → its tree, for existing folders. */
export type TreesByPath = Map<string, GitTree>;

export type AddTree = (content: Buffer, origin: DeltaSource | undefined) => GitObject;

interface TreeEntry {
  /** Git's sort key: the name, for a folder with a slash. Non-ASCII names are kept as bytes in Latin-1. */
  readonly key: string;
  /** Length of the entry in the content. */
  readonly bytes: number;
}

export interface TreeItem {
  /** Six digits. */
  readonly mode: string;
  readonly name: string;
  readonly id: string;
  /** The entry as it stands in its tree. */
  readonly bytes: Buffer;
}

/** The mode of a folder. */
export const FOLDER_MODE = '040000';
/** The modes of plain files. */
export const PLAIN_FILE = /^100(?:644|755)$/;

interface NewTreeEntry {
  readonly mode: string;
  readonly id: string;
}

/** All folders that contain these paths, by depth, root first. */
export function parentFolders(paths: Iterable<string>): string[][] {
  const levels: Set<string>[] = [new Set([''])];
  for (const path of paths) {
    for (let at = path.indexOf('/'), depth = 1; at >= 0; at = path.indexOf('/', at + 1), depth += 1) {
      levels[depth] ??= new Set();
      levels[depth]?.add(path.slice(0, at + 1));
    }
  }
  return levels.map((level) => [...level]);
}

/** Each entry: `<mode> <name>`, a zero byte, the id as bytes. */
export function parseTree({ id, content }: GitObject): GitTree {
  const entries: TreeEntry[] = [];
  for (let start = 0; start < content.length; ) {
    const space = content.indexOf(SPACE, start);
    const nul = content.indexOf(0, space);
    if (space < 0 || nul < 0) throw new Error('a tree of git cannot be read');
    const key = sortKeyOf(content.toString('latin1', space + 1, nul), content.toString('latin1', start, space));
    const end = nul + 1 + id.length / 2;
    entries.push({ key, bytes: end - start });
    start = end;
  }
  return { id, content, entries };
}

/** The mode, name and id of each entry. Names that are not UTF-8 contain a replacement character. */
export function entriesOf({ id, content }: GitObject): TreeItem[] {
  const items: TreeItem[] = [];
  for (let start = 0; start < content.length; ) {
    const space = content.indexOf(SPACE, start);
    const nul = content.indexOf(0, space);
    const end = nul + 1 + id.length / 2;
    if (space < 0 || nul < 0 || end > content.length) throw new Error('a tree of git cannot be read');
    const mode = content.toString('latin1', start, space).padStart(6, '0');
    const name = content.toString('utf8', space + 1, nul);
    items.push({ mode, name, id: content.toString('hex', nul + 1, end), bytes: content.subarray(start, end) });
    start = end;
  }
  return items;
}

/** The id of the subfolder with this name. */
export function subtreeId({ id, content, entries }: GitTree, name: string): string | undefined {
  const at = entryIndex(entries, `${name}/`);
  if (entries[at]?.key !== `${name}/`) return undefined;
  const end = entryOffset(entries, at + 1);
  return content.toString('hex', end - id.length / 2, end);
}

/**
 * Returns the root with these files set (path → blob) or removed (undefined). `trees` must hold the folders that
 * contain them; the new ones are added. A folder that becomes empty is removed; other entries stay.
 */
export function withFiles(trees: TreesByPath, files: ReadonlyMap<string, string | undefined>, add: AddTree): GitTree {
  const root = editTree(trees, '', [...files], add) ?? parseTree(add(Buffer.alloc(0), undefined));
  trees.set('', root);
  return root;
}

function editTree(
  trees: TreesByPath,
  folder: string,
  files: readonly (readonly [path: string, blob: string | undefined])[],
  add: AddTree,
): GitTree | undefined {
  const before = trees.get(folder);
  const changes = new Map<string, NewTreeEntry | undefined>();
  const below = new Map<string, [string, string | undefined][]>();
  for (const [path, blob] of files) {
    const slash = path.indexOf('/');
    const name = slash < 0 ? path : path.slice(0, slash);
    if (slash < 0) changes.set(name, blob === undefined ? undefined : { mode: FILE, id: blob });
    else below.set(name, [...(below.get(name) ?? []), [path.slice(slash + 1), blob]]);
  }
  for (const [name, rest] of below) {
    const path = `${folder}${name}/`;
    const wasThere = trees.has(path);
    const tree = editTree(trees, path, rest, add);
    // A file with the name of the folder does not prevent removing something from the folder.
    if (tree || wasThere) changes.set(name, tree && { mode: FOLDER, id: tree.id });
  }
  let draft: TreeDraft = { entries: before?.entries ?? [], pieces: before ? [[0, before.content.length]] : [] };
  for (const [name, entry] of changes) {
    const key = entry && sortKeyOf(name, entry.mode);
    for (const old of [name, `${name}/`]) if (old !== key) draft = replaceEntry(draft, old, undefined);
    if (entry && key !== undefined) draft = replaceEntry(draft, key, entryOf(name, entry));
  }
  const { entries, pieces } = draft;
  if (entries.length === 0) {
    trees.delete(folder);
    return undefined;
  }
  const content = Buffer.concat(
    pieces.map((piece) => (Buffer.isBuffer(piece) ? piece : (before?.content ?? NOTHING).subarray(...piece))),
  );
  const made = { ...add(content, before && { before, pieces }), entries };
  trees.set(folder, made);
  return made;
}

const NOTHING = Buffer.alloc(0);

/** A tree in progress: its entries, and how its content derives from the previous one. */
interface TreeDraft {
  readonly entries: readonly TreeEntry[];
  readonly pieces: readonly ContentPiece[];
}

/** Sets or removes the entry with this key. */
function replaceEntry({ entries, pieces }: TreeDraft, key: string, bytes: Buffer | undefined): TreeDraft {
  const at = entryIndex(entries, key);
  const old = entries[at]?.key === key ? 1 : 0;
  if (old === 0 && bytes === undefined) return { entries, pieces };
  const start = entryOffset(entries, at);
  const end = start + (old === 1 ? (entries[at]?.bytes ?? 0) : 0);
  const added = bytes ? [bytes] : [];
  return {
    entries: entries.toSpliced(at, old, ...added.map(({ length }) => ({ key, bytes: length }))),
    pieces: [...slicePieces(pieces, 0, start), ...added, ...slicePieces(pieces, end, Number.POSITIVE_INFINITY)],
  };
}

/** The pieces between two offsets of the content that they make up. */
function slicePieces(pieces: readonly ContentPiece[], from: number, to: number): ContentPiece[] {
  let at = 0;
  return pieces.flatMap((piece): ContentPiece[] => {
    const length = Buffer.isBuffer(piece) ? piece.length : piece[1] - piece[0];
    const start = Math.max(from - at, 0);
    const end = Math.min(to - at, length);
    at += length;
    if (start >= end) return [];
    return [Buffer.isBuffer(piece) ? piece.subarray(start, end) : [piece[0] + start, piece[0] + end]];
  });
}

function entryOffset(entries: GitTree['entries'], at: number): number {
  let start = 0;
  for (let index = 0; index < at; index += 1) start += entries[index]?.bytes ?? 0;
  return start;
}

/** The index of the entry with this key, or the index at which it would be inserted. */
function entryIndex(entries: GitTree['entries'], key: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.key ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sortKeyOf(name: string, mode: string): string {
  return mode === FOLDER ? `${name}/` : name;
}

function entryOf(name: string, { mode, id }: NewTreeEntry): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);
}
