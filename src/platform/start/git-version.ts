import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { reasonOf, startError } from './start.errors.js';

const run = promisify(execFile);
const TIMEOUT_MS = 10_000;

/**
 * The first git that knows GIT_CONFIG_GLOBAL, without which the configuration of the server's user would change what git
 * does in the skills repository. Of the options that are used, `--end-of-options` is the newest (2.24).
 */
export const OLDEST_GIT = [2, 32] as const;
/** The first git that writes references to the disk (core.fsync): a power cut may lose the newest commit with an older. */
export const DURABLE_GIT = [2, 36] as const;

export interface GitProgram {
  readonly gitBinary: string;
  /** The search path. */
  readonly path: string;
}

type Version = readonly [major: number, minor: number];

/** Throws StartError if git is missing or too old. Returns a warning if it is usable but not durable. */
export async function requireGit({ gitBinary, path }: GitProgram): Promise<string | undefined> {
  const found = await versionOf(gitBinary, path);
  const [, major = 0, minor = 0] = /^(\d+)\.(\d+)/.exec(found)?.map(Number) ?? [];
  if (isOlder([major, minor], OLDEST_GIT))
    throw startError('git.too_old', { found: found.slice(0, 40), wanted: OLDEST_GIT.join('.') });
  if (!isOlder([major, minor], DURABLE_GIT)) return undefined;
  return `git ${found} does not write references to the disk at once, so a power cut can lose the newest commit of the skills repository: install git ${DURABLE_GIT.join('.')} or later`;
}

async function versionOf(gitBinary: string, path: string): Promise<string> {
  const call = run(gitBinary, ['--version'], {
    env: { PATH: path, LC_ALL: 'C' },
    timeout: TIMEOUT_MS,
    windowsHide: true,
  });
  const { stdout } = await call.catch((error: unknown) => {
    throw startError('git.missing', { reason: reasonOf(error).split('\n')[0] ?? '' }, { cause: error });
  });
  return stdout.trim().replace(/^git version /, '');
}

const isOlder = ([major, minor]: Version, [wantedMajor, wantedMinor]: Version): boolean =>
  major < wantedMajor || (major === wantedMajor && minor < wantedMinor);
