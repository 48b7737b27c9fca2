import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

export interface Sandbox {
  /** Empty at first; also the working directory. */
  readonly home: string;
  /** Runs a program and returns both outputs. Rejects if it fails or takes too long. */
  run(command: string, args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<string>;
  /** The same, with standard output only. */
  read(command: string, args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<string>;
}

const TIMEOUT_MS = 120_000;
/** Nothing listens there, so requests outside loopback fail at once. */
const CLOSED_PROXY = 'http://127.0.0.1:9';

/** True if this machine can start a program in a network namespace with loopback only. */
export function canUnshareNetwork(): boolean {
  return spawnSync('unshare', ['-rn', 'sh', '-c', 'ip link set lo up']).status === 0;
}

/** Prefix of a command that runs in such a network namespace. */
export const WITHOUT_NETWORK = ['unshare', '-rn', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"'] as const;

/** A home folder for one consumer. Its scripts find `node` under that name. */
export function sandbox(home: string, node: string): Sandbox {
  mkdirSync(home, { recursive: true });
  const env = {
    HOME: home,
    PATH: `${dirname(node)}:${process.env.PATH ?? ''}`,
    TERM: 'dumb',
    NO_COLOR: '1',
    COLUMNS: '1000',
    LANG: 'C.UTF-8',
    HTTP_PROXY: CLOSED_PROXY,
    HTTPS_PROXY: CLOSED_PROXY,
    NO_PROXY: '127.0.0.1,localhost',
  };
  const start = (
    command: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
    outputs: readonly ('stdout' | 'stderr')[],
  ): Promise<string> =>
    new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        cwd: home,
        env: { ...env, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: TIMEOUT_MS,
        killSignal: 'SIGKILL',
      });
      let all = '';
      let kept = '';
      for (const output of ['stdout', 'stderr'] as const) {
        child[output].setEncoding('utf8').on('data', (text: string) => {
          all += text;
          if (outputs.includes(output)) kept += text;
        });
      }
      child.once('error', reject);
      child.once('close', (status, signal) => {
        if (status === 0) resolve(kept);
        else
          reject(
            new Error(`${[command, ...args].join(' ')} ended with ${status ?? signal}: ${all.trim().slice(-600)}`),
          );
      });
    });
  return {
    home,
    run: (command, args, environment = {}) => start(command, args, environment, ['stdout', 'stderr']),
    read: (command, args, environment = {}) => start(command, args, environment, ['stdout']),
  };
}
