import { MINUTE_MS } from '../../platform/base/durations.js';
import { gitRemote, isGitBranch, type RemoteProtocol } from '../../platform/config/git-remote.js';
import { visibleLine } from '../document/frontmatter.js';
import type { GitCommand } from './git-command.repository.js';

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

const NAME = 'guildbook';
const TIMEOUT_MS = MINUTE_MS;
// Far more than is shown, because redaction must see whole words.
const REASON_LENGTH = 10_000;
const COLOUR = /\u001b\[[0-9;]{0,20}[A-Za-z]/g;
/** Lines of git's output that say nothing: progress, advice about a working tree, and decoration. */
const NO_REASON = /^(?:[A-Z][a-z]+ objects|Resolving deltas|Processing changes|hint):|^[\P{L}]*$/u;

/**
 * Pushes the commit to the branch of the remote, fast-forward only, so that no commit there is lost. Runs outside the
 * repository's own configuration, in which another person or program could have added a second address or a program to
 * start (`--upload-pack`). Throws TypeError for an invalid target.
 */
export async function pushCommit(git: GitCommand, commit: string | undefined, target: PushTarget): Promise<PushResult> {
  const protocol = requireTarget(target);
  if (commit === undefined) return { state: 'up-to-date', commit };
  const options = ['--porcelain', '--no-verify', '--no-follow-tags', '--no-signed', '--recurse-submodules=no'];
  // No leading plus and no --force: a diverged branch is refused by the remote.
  const args = ['push', ...options, '--', NAME, `${commit}:refs/heads/${target.branch}`];
  const environment = environmentOf(protocol, target);
  try {
    const timeoutMs = target.timeoutMs ?? TIMEOUT_MS;
    const output = await git.text(args, { reachesNetwork: true, environment, timeoutMs });
    return { state: /^=\t/m.test(output) ? 'up-to-date' : 'pushed', commit };
  } catch (error) {
    const { stdout, stderr, killed } = outputOf(error);
    const refusal = /^!\t[^\t]*\t(.*)$/m.exec(stdout)?.[1];
    const state = refusal === undefined ? 'unreachable' : 'rejected';
    if (killed) return { state, commit, reason: 'no response in time' };
    const lines = (refusal === undefined ? stderr : `${linesOfHost(stderr)}\n${refusal}`).split('\n');
    const words = lines.map((line) => line.replace(/^remote: ?/, '').trim()).filter((line) => !NO_REASON.test(line));
    return { state, commit, reason: oneLine(words.join(' ').replaceAll(target.remote, '[remote]')) };
  }
}

/** What the host wrote itself, such as why it protects a branch. */
const linesOfHost = (stderr: string): string => stderr.match(/^remote: .*$/gm)?.join('\n') ?? '';

const oneLine = (text: string): string => visibleLine(text.slice(0, REASON_LENGTH).replace(COLOUR, ''));

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
