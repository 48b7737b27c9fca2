import type { GitCommand } from './git-command.repository.js';
import { type GitObject, type ObjectKind, objectId } from './git-object.js';
import {
  entriesOf,
  FOLDER_MODE,
  parentFolders,
  parseTree,
  subtreeId,
  type TreeItem,
  type TreesByPath,
} from './git-tree.js';

/** An entry of a commit: a file, or with a slash at its end a folder that was not entered. */
export interface WalkedEntry {
  readonly path: string;
  readonly mode: string;
  readonly id: string;
  /** The folder's object is missing or damaged. */
  readonly unreadable: boolean;
}

/** Reads folders of main on demand, and caches those of the last commit of this process. */
export class MainTrees {
  #known: { readonly head: string | undefined; readonly trees: TreesByPath } = { head: undefined, trees: new Map() };

  constructor(private readonly git: GitCommand) {}

  /** The folders that contain these paths. */
  async at(head: string | undefined, paths: Iterable<string>): Promise<TreesByPath> {
    const trees: TreesByPath = new Map();
    if (head === undefined) return trees;
    const known: TreesByPath = this.#known.head === head ? this.#known.trees : new Map();
    let names = new Map([['', known.has('') ? '' : await this.#rootOf(head)]]);
    for (const below of [...parentFolders(paths).slice(1), []]) {
      const unread = [...names].filter(([folder]) => !known.has(folder));
      const objects = await this.git.objects(unread.map(([, name]) => name));
      for (const [index, [folder]] of unread.entries()) {
        const tree = objects[index];
        if (tree) trees.set(folder, parseTree(await this.#checked('tree', tree)));
        else if (folder === '') throw new Error('the newest commit cannot be read');
      }
      for (const folder of names.keys()) {
        const tree = known.get(folder);
        if (tree) trees.set(folder, tree);
      }
      names = treesOf(trees, below);
    }
    return trees;
  }

  /**
   * All entries of a commit, read folder by folder, so that a damaged folder hides no other. Enters only the folders
   * that `isEntered` names, so a commit with folders within folders without end is read in a moment.
   */
  async walk(head: string, isEntered: (folder: string) => boolean): Promise<WalkedEntry[]> {
    const found: WalkedEntry[] = [];
    let folders = new Map<string, string>([['', `${head}^{tree}`]]);
    while (folders.size > 0) {
      const objects = await this.git.objects([...folders.values()]);
      const below = new Map<string, string>();
      for (const [at, [folder, name]] of [...folders].entries()) {
        const items = itemsOf(objects[at]);
        if (!items && folder === '') throw new Error('the newest commit cannot be read');
        if (!items) found.push({ path: folder, mode: FOLDER_MODE, id: name, unreadable: true });
        for (const { mode, name: own, id } of items ?? []) {
          const path = `${folder}${own}`;
          if (mode !== FOLDER_MODE) found.push({ path, mode, id, unreadable: false });
          else if (isEntered(`${path}/`)) below.set(`${path}/`, id);
          else found.push({ path: `${path}/`, mode, id, unreadable: false });
        }
      }
      folders = below;
    }
    return found;
  }

  async #rootOf(head: string): Promise<string> {
    const [object] = await this.git.objects([head]);
    const commit = object && (await this.#checked('commit', object));
    const root = /^tree ([0-9a-f]+)\n/.exec(commit?.content.toString('latin1') ?? '')?.[1];
    if (root === undefined) throw new Error('the newest commit cannot be read');
    return root;
  }

  /** Git does not compare an object with its id when it reads it. A forged folder would become part of a new commit. */
  async #checked(kind: ObjectKind, object: GitObject): Promise<GitObject> {
    if (objectId(kind, object.content, await this.git.format()) === object.id) return object;
    throw new Error(`a ${kind} of the repository is not what its id says`);
  }

  advance(head: string | undefined, trees: TreesByPath): void {
    this.#known = { head, trees };
  }
}

/** The entries of a folder; undefined if its object is missing or no folder. */
export function itemsOf(object: GitObject | undefined): TreeItem[] | undefined {
  try {
    return object && entriesOf(object);
  } catch {
    return undefined;
  }
}

/** Folder → the id of its tree, for those that exist in their parent's tree. */
function treesOf(trees: TreesByPath, folders: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const folder of folders) {
    const slash = folder.lastIndexOf('/', folder.length - 2) + 1;
    const parent = trees.get(folder.slice(0, slash));
    const id = parent && subtreeId(parent, folder.slice(slash, -1));
    if (id !== undefined) found.set(folder, id);
  }
  return found;
}
