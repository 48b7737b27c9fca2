import type { GitCommand } from './git-command.repository.js';
import { type GitObject, type ObjectKind, objectId } from './git-object.js';
import { parentFolders, parseTree, subtreeId, type TreesByPath } from './git-tree.js';

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
      }
      for (const folder of names.keys()) {
        const tree = known.get(folder);
        if (tree) trees.set(folder, tree);
      }
      names = treesOf(trees, below);
    }
    return trees;
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
