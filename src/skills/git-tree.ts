import type { GitObject } from './pack.js';

const FOLDER = '40000';
const FILE = '100644';
const SPACE = 0x20;

/** Path of a folder (empty, or with a slash at its end) → its tree, for the folders that are there. */
export type Trees = Map<string, GitObject>;

export type AddTree = (content: Buffer, before: GitObject | undefined) => GitObject;

interface Entry {
  readonly mode: string;
  readonly id: string;
}

/** The folders that lie on the way to these paths, by depth: first the root. */
export function foldersOnTheWay(paths: Iterable<string>): string[][] {
  const levels: Set<string>[] = [new Set([''])];
  for (const path of paths) {
    for (let at = path.indexOf('/'), depth = 1; at >= 0; at = path.indexOf('/', at + 1), depth += 1) {
      levels[depth] ??= new Set();
      levels[depth]?.add(path.slice(0, at + 1));
    }
  }
  return levels.map((level) => [...level]);
}

/** Name → the tree of that name, of those folders that are in this one. */
export function foldersIn({ id, content }: GitObject, names: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  scan(content, id.length / 2, (start, space, nul, end) => {
    const name = content.toString('latin1', space + 1, nul);
    if (names.has(name) && content.toString('latin1', start, space) === FOLDER)
      found.set(name, content.toString('hex', nul + 1, end));
  });
  return found;
}

/**
 * The root with these files set (path → blob) or taken away (undefined). `trees` holds the folders on the way to them,
 * and afterwards the new ones. A folder that becomes empty goes; what else is in a folder stays as it is.
 */
export function withFiles(trees: Trees, files: ReadonlyMap<string, string | undefined>, add: AddTree): GitObject {
  const root = edited(trees, '', [...files], add) ?? add(Buffer.alloc(0), trees.get(''));
  trees.set('', root);
  return root;
}

function edited(
  trees: Trees,
  folder: string,
  files: readonly (readonly [path: string, blob: string | undefined])[],
  add: AddTree,
): GitObject | undefined {
  const before = trees.get(folder);
  const entries = new Map<string, Entry | undefined>();
  const below = new Map<string, [string, string | undefined][]>();
  for (const [path, blob] of files) {
    const slash = path.indexOf('/');
    const name = slash < 0 ? path : path.slice(0, slash);
    if (slash < 0) entries.set(name, blob === undefined ? undefined : { mode: FILE, id: blob });
    else below.set(name, [...(below.get(name) ?? []), [path.slice(slash + 1), blob]]);
  }
  for (const [name, rest] of below) {
    const path = `${folder}${name}/`;
    const wasThere = trees.has(path);
    const tree = edited(trees, path, rest, add);
    // A file of the folder's name is not in the way of taking something away from the folder.
    if (tree || wasThere) entries.set(name, tree && { mode: FOLDER, id: tree.id });
  }
  const content = withEntries(before, entries);
  if (content.length === 0) trees.delete(folder);
  else trees.set(folder, add(content, before));
  return trees.get(folder);
}

/** In git's order, in which a folder's name counts as if it ended in a slash. Names are checked ones: plain ASCII. */
function withEntries(before: GitObject | undefined, entries: ReadonlyMap<string, Entry | undefined>): Buffer {
  const added = [...entries]
    .flatMap(([name, entry]) => (entry ? [{ key: keyOf(name, entry.mode), bytes: entryOf(name, entry) }] : []))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const parts: Buffer[] = [];
  const content = before?.content ?? Buffer.alloc(0);
  let kept = 0;
  let next = 0;
  const keepUntil = (end: number) => {
    if (end > kept) parts.push(content.subarray(kept, end));
    kept = end;
  };
  scan(content, (before?.id.length ?? 0) / 2, (start, space, nul, end) => {
    const name = content.toString('latin1', space + 1, nul);
    const key = keyOf(name, content.toString('latin1', start, space));
    for (let add = added[next]; add && add.key < key; next += 1, add = added[next]) {
      keepUntil(start);
      parts.push(add.bytes);
    }
    if (!entries.has(name)) return;
    keepUntil(start);
    kept = end;
  });
  keepUntil(content.length);
  return Buffer.concat([...parts, ...added.slice(next).map(({ bytes }) => bytes)]);
}

function keyOf(name: string, mode: string): string {
  return mode === FOLDER ? `${name}/` : name;
}

function entryOf(name: string, { mode, id }: Entry): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);
}

/** Each entry: `<mode> <name>`, a zero, the id as bytes. */
function scan(
  content: Buffer,
  idBytes: number,
  visit: (start: number, space: number, nul: number, end: number) => void,
): void {
  for (let start = 0; start < content.length; ) {
    const space = content.indexOf(SPACE, start);
    const nul = content.indexOf(0, space);
    if (space < 0 || nul < 0) throw new Error('a tree of git cannot be read');
    const end = nul + 1 + idBytes;
    visit(start, space, nul, end);
    start = end;
  }
}
