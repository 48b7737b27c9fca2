import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT, SETTINGS } from '../../src/platform/config/config.js';
import { programPath } from '../../src/platform/config/environment.js';

const PROGRAM = join(PROJECT_ROOT, 'dist', 'main.js');
const UNSET = Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, '']));
/** A user without rights in folders of others. */
const UNPRIVILEGED = 65_534;
const isRoot = process.getuid?.() === 0;

/** The process of a start that must not succeed. */
export interface RefusedStart {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Starts the built server as a user that is not root, which the bits of a folder do not bind, and waits for its end. One
 * that listens is ended, and has no code.
 */
export async function refusedStart(settings: Readonly<Record<string, string>>): Promise<RefusedStart> {
  const child = spawn(process.execPath, ['--liftoff-only', PROGRAM], {
    env: { PATH: programPath(), ...UNSET, GUILDBOOK_PORT: '0', GUILDBOOK_LOG_FORMAT: 'text', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
    ...(isRoot ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}),
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
    if (text.includes('Guildbook is listening')) child.kill('SIGKILL');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code, ...output };
}

/** Gives a file or folder to the user of the started process. */
export function own(path: string): void {
  if (isRoot) chownSync(path, UNPRIVILEGED, UNPRIVILEGED);
}

/** Creates a folder that the started process owns. */
export function ownFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  own(path);
  return path;
}

/** Creates a file that the started process owns. */
export function ownFile(path: string, text: string): string {
  writeFileSync(path, text);
  own(path);
  return path;
}

/** Makes a folder or file unusable for the started process. */
export function lockAway(path: string, mode: number): void {
  if (isRoot) chownSync(path, 0, 0);
  chmodSync(path, mode);
}
