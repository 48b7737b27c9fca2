import { type CommitAuthor, safeAuthor } from './commit-message.js';

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
// Unquoted in the stream, so nothing that could end the line or start a quotation; no way out of the tree.
const PATH = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*|\.[A-Za-z0-9_-][A-Za-z0-9._-]*)(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

/**
 * The input of `git fast-import` for a line of commits on `parent`, undefined before the first. It answers with one
 * line for each commit, in order: its id. The same input makes the same commits everywhere.
 */
export function commitStream(parent: string | undefined, commits: readonly PlannedCommit[]): Buffer {
  const parts: (string | Buffer)[] = [];
  const marks = writeBlobs(parts, commits);
  const first = marks.size + 1;
  for (const [index, commit] of commits.entries()) {
    parts.push('commit refs/heads/main\n', `mark :${first + index}\n`);
    parts.push(`author ${identity(commit.author, commit.when)}\ncommitter ${identity(COMMITTER, commit.when)}\n`);
    writeData(parts, commit.message);
    if (index === 0 && parent !== undefined) parts.push(`from ${parent}\n`);
    for (const path of commit.removes) parts.push(`D ${requirePath(path)}\n`);
    for (const path of commit.writes.keys()) parts.push(`M 100644 :${marks.get(`${index} ${path}`)} ${path}\n`);
    parts.push('\n');
  }
  for (const index of commits.keys()) parts.push(`get-mark :${first + index}\n`);
  parts.push('done\n');
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

/** The versions of a file one after the other: git then keeps each as its difference to the one before. */
function writeBlobs(parts: (string | Buffer)[], commits: readonly PlannedCommit[]): Map<string, number> {
  const versions = new Map<string, { commit: number; content: string }[]>();
  for (const [commit, { writes }] of commits.entries()) {
    for (const [path, content] of writes) {
      const known = versions.get(requirePath(path));
      if (known) known.push({ commit, content });
      else versions.set(path, [{ commit, content }]);
    }
  }
  const marks = new Map<string, number>();
  for (const [path, ofPath] of versions) {
    for (const { commit, content } of ofPath) {
      marks.set(`${commit} ${path}`, marks.size + 1);
      parts.push(`blob\nmark :${marks.size}\n`);
      writeData(parts, content);
    }
  }
  return marks;
}

function writeData(parts: (string | Buffer)[], content: string): void {
  const bytes = Buffer.from(content);
  parts.push(`data ${bytes.length}\n`, bytes, '\n');
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
