import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';

const Packed = z.object({
  file: z.string(),
  version: z.string(),
  sha256: z.string(),
  files: z.number(),
  packedBytes: z.number(),
  unpackedBytes: z.number(),
});
export type Packed = z.infer<typeof Packed>;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `npm run package` into the folder. */
export async function packInto(folder: string): Promise<Packed> {
  const script = join(PROJECT_ROOT, 'scripts', 'package.mjs');
  const done = await finished(process.execPath, [script, '--out', folder, '--json'], { cwd: PROJECT_ROOT });
  if (done.code !== 0) throw new Error(`the program was not packed:\n${done.stdout}${done.stderr}`);
  return Packed.parse(JSON.parse(done.stdout.trimEnd().split('\n').at(-1) ?? ''));
}

/** Installs a tarball as a user does, with `npm install --global`, into the prefix. Returns what npm said. */
export async function installGlobally(
  tarball: string,
  prefix: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<string> {
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--prefer-offline', '--loglevel=error'];
  const args = ['install', '--global', '--prefix', prefix, '--ignore-scripts', ...quiet, tarball];
  const done = await finished('npm', args, { env: { ...process.env, ...environment } });
  if (done.code !== 0) throw new Error(`npm did not install the tarball:\n${done.stdout}${done.stderr}`);
  return done.stdout + done.stderr;
}

/** Runs a program to its end. */
export async function finished(
  command: string,
  args: readonly string[],
  { input, ...options }: { cwd?: string; env?: NodeJS.ProcessEnv; input?: string } = {},
): Promise<Finished> {
  const child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  // A program that ends without reading its input closes the pipe.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');
  const [code] = await once(child, 'close');
  return { code, ...output };
}
