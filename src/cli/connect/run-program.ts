import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Environment } from '../../platform/config/environment.js';

const LIMIT_MS = 120_000;
/** More than any of the products prints; the rest is dropped. */
const MAX_OUTPUT = 100_000;

/** The path of a program that a shell would start; undefined if there is none. */
export async function findProgram(name: string, { PATH = '' }: Environment): Promise<string | undefined> {
  for (const folder of PATH.split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const path = join(folder, name);
    try {
      await access(path, constants.X_OK);
      if ((await stat(path)).isFile()) return path;
    } catch {
      // The next folder may have it.
    }
  }
  return undefined;
}

export interface RunOptions {
  readonly cwd: string;
  readonly environment: Environment;
  readonly input?: string;
}

/**
 * Runs a program in the home folder, where no project's settings apply, and without a question for a password. Returns
 * undefined if it succeeded, otherwise the last lines that it printed.
 */
export async function failureOf(
  command: string,
  args: readonly string[],
  { home, environment }: { readonly home: string; readonly environment: Environment },
): Promise<string | undefined> {
  // Git asks on the terminal even if the standard input is closed, and would wait there.
  const options = { cwd: home, environment: { ...environment, GIT_TERMINAL_PROMPT: '0' } };
  const ended = await runProgram(command, args, options);
  return ended.status === 0 ? undefined : lastWords(ended);
}

/** The last three lines that a program printed. */
export const lastWords = ({ stdout, stderr }: Pick<Ended, 'stdout' | 'stderr'>): string =>
  `${stderr}\n${stdout}`.trim().split('\n').slice(-3).join(' ').slice(-400) || 'it said nothing';

export interface Ended {
  /** Null if the program could not be started, or was killed after two minutes. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, without a terminal and without the credentials of this command line. */
export function runProgram(command: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  const { GUILDBOOK_TOKEN: _token, GUILDBOOK_SERVER: _server, ...environment } = options.environment;
  return new Promise((resolve) => {
    const child = spawn(command, [...args], {
      cwd: options.cwd,
      env: environment,
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
      stdio: 'pipe',
    });
    const printed = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        printed[name] = (printed[name] + text).slice(-MAX_OUTPUT);
      });
    // A program may end without reading its input.
    child.stdin.on('error', () => undefined);
    child.once('error', ({ message }) => resolve({ status: null, ...printed, stderr: message }));
    child.once('close', (status) => resolve({ status, ...printed }));
    child.stdin.end(options.input ?? '');
  });
}
