import { type CommitAuthor, safeAuthor } from './commit-message.js';
import type { GitObject, ObjectFormat } from './git-object.js';
import { type TreesByPath, withFiles } from './git-tree.js';
import { PackBuilder } from './pack.js';

/** A commit to be made: its changes against its parent. */
export interface PlannedCommit {
  readonly message: string;
  readonly author: CommitAuthor;
  /** ISO 8601; used as author and committer date. */
  readonly when: string;
  /** Path → content of the files that it writes. */
  readonly writes: ReadonlyMap<string, string>;
  readonly removes: readonly string[];
}

/** The author of commits that carry out no decision, and the committer of all. */
export const COMMITTER = { name: 'Guildbook', email: 'guildbook@localhost' };
// No path leaves the tree or enters `.git`.
const PATH = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*|\.[A-Za-z0-9_-][A-Za-z0-9._-]*)(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

/**
 * Builds commits on top of `parent` (undefined for the first one) and packs their objects. `trees` holds the folders of
 * the changed files at `parent`, and afterwards at the last commit. The same input gives the same commits everywhere.
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
    last = pack.add('commit', commitContent(root.id, last, commit)).id;
    ids.push(last);
  }
  return { ids, pack };
}

/** The bytes of a commit. */
export function commitContent(
  tree: string,
  parent: string | undefined,
  { author, when, message }: Pick<PlannedCommit, 'author' | 'when' | 'message'>,
): Buffer {
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
