import { type CommitAuthor, safeAuthor } from './commit-message.js';
import type { GitObject, ObjectFormat } from './git-object.js';
import { type TreesByPath, withFiles } from './git-tree.js';
import { PackBuilder } from './pack.js';

/** One commit that is not made yet: what it changes against the one before it. */
export interface PlannedCommit {
  readonly message: string;
  readonly author: CommitAuthor;
  /** ISO 8601; author and committer date alike. */
  readonly when: string;
  /** Path → content of the files that it writes. */
  readonly writes: ReadonlyMap<string, string>;
  readonly removes: readonly string[];
}

const COMMITTER = { name: 'Guildbook', email: 'guildbook@localhost' };
// No way out of the tree, and into no `.git`.
const PATH = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*|\.[A-Za-z0-9_-][A-Za-z0-9._-]*)(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

/**
 * A line of commits on `parent`, undefined before the first, and their objects as a pack. `trees` holds the folders on
 * the way to the files at `parent`, and afterwards at the last commit. The same input makes the same commits everywhere.
 */
export function packCommits(
  parent: string | undefined,
  trees: TreesByPath,
  commits: readonly PlannedCommit[],
  format: ObjectFormat,
): { ids: string[]; pack: PackBuilder } {
  const pack = new PackBuilder(format);
  const versions = new Map<string, GitObject>();
  const ids: string[] = [];
  let last = parent;
  for (const commit of commits) {
    const files = new Map<string, string | undefined>(commit.removes.map((path) => [requirePath(path), undefined]));
    for (const [path, content] of commit.writes) {
      const before = versions.get(requirePath(path));
      const blob = pack.add('blob', Buffer.from(content), before && { before });
      versions.set(path, blob);
      files.set(path, blob.id);
    }
    const root = withFiles(trees, files, (content, origin) => pack.add('tree', content, origin));
    last = pack.add('commit', commitOf(root.id, last, commit)).id;
    ids.push(last);
  }
  return { ids, pack };
}

function commitOf(tree: string, parent: string | undefined, { author, when, message }: PlannedCommit): Buffer {
  const lines = [
    `tree ${tree}`,
    ...(parent === undefined ? [] : [`parent ${parent}`]),
    `author ${identity(author, when)}`,
    `committer ${identity(COMMITTER, when)}`,
  ];
  return Buffer.from(`${lines.join('\n')}\n\n${message}`);
}

function identity(author: CommitAuthor, when: string): string {
  const { name, email } = safeAuthor(author);
  return `${name} <${email}> ${Math.floor(Date.parse(when) / 1000)} +0000`;
}

function requirePath(path: string): string {
  if (!PATH.test(path) || /^\.git$/i.test(path.split('/')[0] ?? ''))
    throw new TypeError('not a path for the repository');
  return path;
}
