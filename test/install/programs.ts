import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { type Environment, processEnvironment, programPath } from '../../src/platform/config/environment.js';

/** Administrators have these in their search path, a user's shell may not. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** The path of a program of this machine; undefined if it is not installed. */
export function findProgram(name: string): string | undefined {
  return [...programPath().split(delimiter), ...SYSTEM_FOLDERS]
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

export interface ProgramOptions {
  readonly input?: string;
  readonly cwd?: string;
  readonly environment?: Environment;
}

/** Runs a program to its end. Throws with what it printed if its status is not 0; returns its standard output. */
export function runProgram(command: string, args: readonly string[], options: ProgramOptions = {}): string {
  const { status, output, stdout } = tryProgram(command, args, options);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${output.slice(-3_000)}`);
  return stdout;
}

/** Runs a program to its end. Returns its status and what it printed. */
export function tryProgram(command: string, args: readonly string[], options: ProgramOptions = {}) {
  const { input, cwd, environment = processEnvironment() } = options;
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...environment },
    ...(cwd === undefined ? {} : { cwd }),
    ...(input === undefined ? {} : { input }),
  });
  if (error !== undefined) throw error;
  return { status, stdout, output: `${stdout}${stderr}` };
}

/** A port of the loopback address that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
