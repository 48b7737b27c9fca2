import { AsyncLocalStorage } from 'node:async_hooks';
import { resolve } from 'node:path';
import type { Environment } from '../../platform/config/environment.js';

/** An output of a process. It is wide and may have colours only on a terminal. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

type OnSignal = (signal: 'SIGINT' | 'SIGTERM') => void;

/** What the command line uses of the process that it runs in. Node's `process` is one; specs give each command its own. */
export interface CommandProcess {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  exitCode?: number | string | null | undefined;
  cwd(): string;
  exit(code: number): never;
  on(signal: 'SIGINT' | 'SIGTERM', listener: OnSignal): unknown;
  off(signal: 'SIGINT' | 'SIGTERM', listener: OnSignal): unknown;
}

// A context and not a variable, so that commands that run at once in one process stay apart.
const storage = new AsyncLocalStorage<CommandProcess>();

/** Runs work whose output, settings and paths are those of the given process. */
export const runIn = <T>(given: CommandProcess, work: () => T): T => storage.run(given, work);

/** The process of the running command. Outside a command, as in a benchmark, it is Node's. */
export const commandProcess = (): CommandProcess => storage.getStore() ?? process;

/** The absolute form of a path on the command line. */
export const givenPath = (path: string): string => resolve(commandProcess().cwd(), path);
