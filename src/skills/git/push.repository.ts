import { MINUTE_MS } from '../../platform/base/durations.js';
import { gitRemote, isGitBranch, type RemoteProtocol } from '../../platform/config/git-remote.js';
import { visibleLine } from '../document/frontmatter.js';
import { CommitBuilder } from './commit-builder.repository.js';
import type { GitCommand } from './git-command.repository.js';
import { skillFileOf } from './main-history.repository.js';
import type { PlannedCommit } from './planned-commit.js';

/** Where to push. All of it comes from the configuration, never from a request or a proposal. */
export interface PushTarget {
  /** An `https:`, `ssh:` or `file:` address without a password. */
  readonly remote: string;
  /** The branch on the remote: main, or one for a pull request. */
  readonly branch: string;
  /** For `https:` only. Sent as the password of `x-access-token`; it never appears in an argument. */
  readonly token?: string | undefined;
  /** For `ssh:` only: the socket of the agent that holds the key. Without it, ssh uses the key files of the account. */
  readonly sshAuthSock?: string | undefined;
  readonly timeoutMs?: number | undefined;
}

/**
 * Result of a push. `rejected`: the remote responded and refused, because it has other commits or rules that forbid it.
 * `unreachable`: no response, or no access. `reason` is one line without the address: what the host wrote, then git's
 * own words. It is neither redacted nor clipped yet.
 */
export type PushResult =
  | { readonly state: 'pushed' | 'up-to-date'; readonly commit: string | undefined }
  | { readonly state: 'rejected' | 'unreachable'; readonly commit: string; readonly reason: string };

/** A reference of the remote, and the name under which its commit is kept here. */
export interface RemoteReference {
  readonly name: string;
  readonly keptAs: 'main' | 'request';
}

/** What was fetched from the remote. It is no part of a backup. */
export const REMOTE = 'refs/guildbook/remote/';
const NAME = 'guildbook';
const LISTED = /^([0-9a-f]{40}|[0-9a-f]{64})\t(\S{1,300})$/gm;
const TIMEOUT_MS = MINUTE_MS;
/** A page of the generated index. */
const INDEX_PAGE = /^\.index\/[^/]+\.md$/;
const FILES_AT_ONCE = 200;
// Far more than is shown, because redaction must see whole words.
const REASON_LENGTH = 10_000;
const COLOUR = /\p{Cc}\[[0-9;]{0,20}[A-Za-z]/gu;
/** Lines of git's output that say nothing: progress, advice about a working tree, and decoration. */
const NO_REASON = /^(?:[A-Z][a-z]+ objects|Resolving deltas|Processing changes|hint):|^[\P{L}]*$/u;

/**
 * Pushes the commit to the branch of the remote, fast-forward only, so that no commit there is lost. Runs outside the
 * repository's own configuration, in which another person or program could have added a second address or a program to
 * start (`--upload-pack`). Throws TypeError for an invalid target.
 */
export async function pushCommit(git: GitCommand, commit: string | undefined, target: PushTarget): Promise<PushResult> {
  requireTarget(target);
  if (commit === undefined) return { state: 'up-to-date', commit };
  const options = ['--porcelain', '--no-verify', '--no-follow-tags', '--no-signed', '--recurse-submodules=no'];
  // No leading plus and no --force: a diverged branch is refused by the remote.
  const answer = await reach(git, ['push', ...options, '--', NAME, `${commit}:refs/heads/${target.branch}`], target);
  if ('reason' in answer) return { ...answer, commit };
  return { state: /^=\t/m.test(answer.output) ? 'up-to-date' : 'pushed', commit };
}

/**
 * The commits of these references of the remote, with their objects, in the same order; undefined for one that the
 * remote does not have. References of our own keep them, so that the next call fetches only what is new.
 */
export async function fetchReferences(
  git: GitCommand,
  references: readonly RemoteReference[],
  target: PushTarget,
): Promise<{ readonly commits: readonly (string | undefined)[] } | RefusedCall> {
  requireTarget(target);
  for (const { name } of references) if (!isReference(name)) throw new TypeError('not a reference of the remote');
  const listed = await reach(git, ['ls-remote', '--', NAME, ...references.map(({ name }) => name)], target);
  if ('reason' in listed) return listed;
  const ids = new Map([...listed.output.matchAll(LISTED)].map(([, id = '', name = '']) => [name, id] as const));
  const commits = references.map(({ name }) => ids.get(name));
  const found = references.filter(({ name }) => ids.has(name));
  if (found.length > 0) {
    const specs = found.map(({ name, keptAs }) => `+${name}:${REMOTE}${keptAs}`);
    const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
    const fetched = await reach(git, ['fetch', ...options, '--', NAME, ...specs], target);
    if ('reason' in fetched) return fetched;
  }
  // One that moved between the two calls is read at the next attempt.
  for (const commit of commits)
    if (commit !== undefined && !(await git.succeeds(['cat-file', '-e', `${commit}^{commit}`])))
      return { state: 'unreachable', reason: 'the remote changed meanwhile' };
  return { commits };
}

type RefusedCall = { readonly state: 'rejected' | 'unreachable'; readonly reason: string };

/** Runs git against the remote. Returns its output, or why it failed. */
async function reach(
  git: GitCommand,
  args: readonly string[],
  target: PushTarget,
): Promise<{ readonly output: string } | RefusedCall> {
  const environment = environmentOf(requireTarget(target), target);
  try {
    const timeoutMs = target.timeoutMs ?? TIMEOUT_MS;
    return { output: await git.text(args, { reachesNetwork: true, environment, timeoutMs }) };
  } catch (error) {
    const { stdout, stderr, killed } = outputOf(error);
    const refusal = /^!\t[^\t]*\t(.*)$/m.exec(stdout)?.[1];
    const state = refusal === undefined ? 'unreachable' : 'rejected';
    if (killed) return { state, reason: 'no response in time' };
    const lines = (refusal === undefined ? stderr : `${linesOfHost(stderr)}\n${refusal}`).split('\n');
    const words = lines.map((line) => line.replace(/^remote: ?/, '').trim()).filter((line) => !NO_REASON.test(line));
    return { state, reason: oneLine(words.join(' ').replaceAll(target.remote, '[remote]')) };
  }
}

/** What the host wrote itself, such as why it protects a branch. */
const linesOfHost = (stderr: string): string => stderr.match(/^remote: .*$/gm)?.join('\n') ?? '';

const oneLine = (text: string): string => visibleLine(text.slice(0, REASON_LENGTH).replace(COLOUR, ''));

/** What a commit of the remote lacks of the known history. Other files of the remote are not part of it. */
export interface MissingFiles {
  /** The skills whose files differ, sorted. */
  readonly skills: readonly string[];
  /** Path → object, of skills and of generated files. */
  readonly writes: ReadonlyMap<string, string>;
  readonly removes: readonly string[];
}

/**
 * Compares files, because a squash or a rebase gives other commit ids. `decided` are the names of all skills that a
 * decision published or removed: a skill that the remote has besides stays there.
 */
export async function missingFiles(
  git: GitCommand,
  known: string,
  base: string,
  decided: ReadonlySet<string>,
): Promise<MissingFiles> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--no-abbrev', '--end-of-options', base, known];
  const out = (await git.text(args)).split('\0');
  const skills = new Set<string>();
  const writes = new Map<string, string>();
  const removes: string[] = [];
  for (let at = 0; at + 1 < out.length; at += 2) {
    const [, , , blob = '', kind = ''] = (out[at] ?? '').split(' ');
    const path = out[at + 1] ?? '';
    const name = skillFileOf(path)?.name;
    const isOfSkill = name !== undefined && decided.has(name);
    if (isOfSkill) skills.add(name);
    if (kind !== 'D') writes.set(path, blob);
    else if (isOfSkill || INDEX_PAGE.test(path)) removes.push(path);
  }
  return { skills: [...skills].sort(), writes, removes };
}

/** Writes a commit on top of `base` that gives it these files. Nothing refers to it yet. Returns its id. */
export async function commitFiles(
  git: GitCommand,
  base: string,
  { writes, removes }: MissingFiles,
  commit: Pick<PlannedCommit, 'message' | 'author' | 'when'>,
): Promise<string> {
  const paths = [...writes.keys()];
  const contents = new Map<string, string>();
  for (let at = 0; at < paths.length; at += FILES_AT_ONCE) {
    const some = paths.slice(at, at + FILES_AT_ONCE);
    const objects = await git.objects(some.map((path) => writes.get(path) ?? ''));
    for (const [index, path] of some.entries()) {
      const object = objects[index];
      if (object === undefined) throw new Error('an object of the known history cannot be read');
      contents.set(path, object.content.toString('utf8'));
    }
  }
  const [id = ''] = await new CommitBuilder(git, undefined).write(base, [{ ...commit, writes: contents, removes }]);
  return id;
}

const isReference = (name: string): boolean =>
  /^refs\/(?:heads|pull|merge-requests)\//.test(name) && isGitBranch(name.slice('refs/'.length));

function requireTarget({ remote, branch, token }: PushTarget): RemoteProtocol {
  const checked = gitRemote(remote);
  if ('problem' in checked) throw new TypeError(checked.problem);
  if (!isGitBranch(branch)) throw new TypeError('not the name of a branch');
  if (token !== undefined && !/^[!-~]{1,1000}$/.test(token)) throw new TypeError('not a token');
  return checked.protocol;
}

function environmentOf(protocol: RemoteProtocol, target: PushTarget): Record<string, string> {
  const settings: [string, string][] = [
    [`remote.${NAME}.url`, target.remote],
    [`protocol.${protocol}.allow`, 'always'],
    // No person can answer a prompt here, and no other program may.
    ['credential.helper', ''],
    ['core.askPass', 'false'],
    ['http.followRedirects', 'false'],
  ];
  if (protocol === 'https' && target.token !== undefined) {
    const credentials = Buffer.from(`x-access-token:${target.token}`).toString('base64');
    settings.push(['http.extraHeader', `Authorization: Basic ${credentials}`]);
  }
  const entries = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...Object.fromEntries(entries),
    GIT_CONFIG_COUNT: String(settings.length),
    GIT_ASKPASS: 'false',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oStrictHostKeyChecking=yes -oConnectTimeout=15',
    ...(protocol === 'ssh' && target.sshAuthSock !== undefined ? { SSH_AUTH_SOCK: target.sshAuthSock } : {}),
  };
}

function outputOf(error: unknown): { stdout: string; stderr: string; killed: boolean } {
  if (typeof error !== 'object' || error === null) return { stdout: '', stderr: String(error), killed: false };
  const text = (value: unknown): string => (Buffer.isBuffer(value) ? value.toString('utf8') : String(value ?? ''));
  return {
    stdout: 'stdout' in error ? text(error.stdout) : '',
    stderr: 'stderr' in error ? text(error.stderr) : String(error),
    killed: 'killed' in error && error.killed === true,
  };
}
