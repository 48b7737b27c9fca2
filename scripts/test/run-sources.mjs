import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../setup/stamp.mjs';

const LOADERS = ['tsx', join(ROOT, 'scripts/test/tsx-thread.mjs')].flatMap((loader) => ['--import', loader]);

/** Runs a TypeScript program of the project in a process with this terminal. Returns its exit code. */
export function runSources(file, args, env = {}) {
  const { status } = spawnSync(process.execPath, [...LOADERS, join(ROOT, file), ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  return status ?? 1;
}
