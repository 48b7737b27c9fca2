import { mkdir, mkdtemp, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { KEPT_FILES } from '../document/repository-files.js';
import { addPack } from './commit-builder.repository.js';
import { type GitCommand, lstatOrUndefined } from './git-command.repository.js';
import type { GitObject } from './git-object.js';
import { FOLDER_MODE, PLAIN_FILE, type TreeItem } from './git-tree.js';
import type { MainState } from './main-history.repository.js';
import { itemsOf } from './main-trees.repository.js';
import { PackBuilder } from './pack.js';
import { COMMITTER, commitContent } from './planned-commit.js';
import type { SkillTree } from './skill-tree.js';
import { MAIN, type Worktree } from './worktree.repository.js';

/** Entries that were removed from main by one commit. */
export interface Removal {
  readonly commit: string;
  readonly paths: readonly string[];
}

const MESSAGE = 'Remove files that are not skills\n\nGuildbook-Repair: unknown-files\n';
/** In `.git`, where no consumer looks. */
const SET_ASIDE = join('guildbook', 'removed');

/**
 * Removes what is neither a skill nor written by us. Consumers run files with certain names at the root of a repository
 * (`hooks/hooks.json`, `.mcp.json`), and each version of them knows new ones, so main has a list of what may be there.
 */
export class UnknownEntries {
  constructor(
    private readonly git: GitCommand,
    private readonly worktree: Worktree,
  ) {}

  /**
   * Removes them from main by one commit and from the folder, where a file that was edited stays. Returns undefined if
   * there are none, or if main moved meanwhile.
   */
  async removeFromMain({ head, tree }: MainState, when: string): Promise<Removal | undefined> {
    const unknown = unknownFiles(tree);
    if (head === undefined || unknown.length === 0) return undefined;
    const pack = new PackBuilder(await this.git.format());
    const [root] = await this.git.objects([`${head}^{tree}`]);
    const kept = await this.#withoutUnknown(root, '', keptPaths(tree), unknown, pack);
    if (kept?.id === root?.id) throw new Error('unknown files of main cannot be removed');
    const rootId = kept?.id ?? pack.add('tree', Buffer.alloc(0)).id;
    const commit = pack.add('commit', commitContent(rootId, head, { author: COMMITTER, when, message: MESSAGE })).id;
    await addPack(this.git, pack);
    await this.git.text(['update-ref', '--end-of-options', MAIN, commit, head]).catch(() => undefined);
    if ((await this.git.head()) !== commit) return undefined;
    const files = unknown.flatMap((path) => {
      const { blob, foreign } = tree.others.get(path) ?? {};
      if (foreign === true) return [];
      return [{ path, wanted: undefined, before: new Set([blob]), generated: false }];
    });
    await this.worktree.sync(files, { from: undefined, head: commit, entries: new Map() });
    return { commit, paths: unknown };
  }

  /** Moves an entry of the folder into `.git`, so that nothing is lost. */
  async setAside(path: string): Promise<void> {
    const own = path.replace(/\/$/, '');
    if (!(await this.worktree.isInPlainFolders(own))) throw new Error('the file is in a linked folder');
    const source = join(this.git.root, own);
    if (!(await lstatOrUndefined(source))) return;
    const folder = join(this.git.gitDir, SET_ASIDE);
    await mkdir(folder, { recursive: true });
    await rename(source, join(await mkdtemp(join(folder, 'at-')), basename(own)));
  }

  /**
   * The folder with nothing but kept paths; undefined if none is left. Kept paths have at most three parts, so this
   * ends, and a folder without unknown files below is taken as it is.
   */
  async #withoutUnknown(
    folder: GitObject | undefined,
    path: string,
    kept: ReadonlySet<string>,
    unknown: readonly string[],
    pack: PackBuilder,
  ): Promise<{ id: string } | undefined> {
    const items = itemsOf(folder);
    if (!folder || !items) throw new Error('a folder of main cannot be read');
    const parts: Buffer[] = [];
    for (const item of items) {
      const own = `${path}${item.name}`;
      if (item.mode !== FOLDER_MODE) {
        if (PLAIN_FILE.test(item.mode) && kept.has(own)) parts.push(item.bytes);
        continue;
      }
      if (!kept.has(`${own}/`)) continue;
      if (!unknown.some((it) => it.startsWith(`${own}/`))) {
        parts.push(item.bytes);
        continue;
      }
      const [below] = await this.git.objects([item.id]);
      const rest = await this.#withoutUnknown(below, `${own}/`, kept, unknown, pack);
      if (rest) parts.push(entryOf(item, rest.id));
    }
    const content = Buffer.concat(parts);
    if (content.equals(folder.content)) return folder;
    return parts.length === 0 ? undefined : pack.add('tree', content);
  }
}

/** Paths of main that are neither skills, generated nor kept. */
function unknownFiles({ others }: SkillTree): string[] {
  return [...others]
    .filter(([, file]) => !file.generated && file.unreadable !== true)
    .filter(([path, file]) => file.foreign === true || !KEPT_FILES.has(path))
    .map(([path]) => path)
    .sort();
}

/** The paths that stay, with the folders above them. */
function keptPaths({ skills, others }: SkillTree): Set<string> {
  const files = skills.flatMap(({ name, files: own }) => [...own.keys()].map((file) => `${name}/${file}`));
  const unknown = new Set(unknownFiles({ skills, others }));
  const kept = new Set([...files, ...[...others.keys()].filter((path) => !unknown.has(path))]);
  for (const path of [...kept])
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) kept.add(path.slice(0, at + 1));
  return kept;
}

const entryOf = ({ name }: TreeItem, id: string): Buffer =>
  Buffer.concat([Buffer.from(`40000 ${name}\0`), Buffer.from(id, 'hex')]);
