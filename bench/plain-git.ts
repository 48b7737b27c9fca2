import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';
import { programPath } from '../src/platform/config/environment.js';

/** Git's fsync settings: as in the publisher, git's default, none. */
export const FSYNC_MODES = {
  same: ['-c', 'core.fsync=all'],
  default: [],
  none: ['-c', 'core.fsync=none'],
} as const;

const QUIET = ['core.hooksPath=/dev/null', 'gc.auto=0', 'maintenance.auto=false', 'user.name=Ada', 'user.email=a@b.c'];

/** Runs git as a person or a script would in the folder. */
export function plainGit(folder: string, disk: readonly string[], ...args: string[]): string {
  const env = { PATH: programPath(), GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: devNull };
  const settings = QUIET.flatMap((setting) => ['-c', setting]);
  return execFileSync('git', ['-C', folder, ...settings, ...disk, ...args], { env, encoding: 'utf8' });
}

export function writeFiles(folder: string, files: Iterable<readonly [path: string, content: string]>): void {
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Commits one decision after the other: the file, `git add`, `git commit`. Returns the milliseconds of each. */
export function addAndCommit(
  folder: string,
  disk: readonly string[],
  files: readonly (readonly [path: string, content: string])[],
): number[] {
  return files.map(([path, content]) => {
    const began = performance.now();
    writeFiles(folder, [[path, content]]);
    plainGit(folder, disk, 'add', '--', path);
    plainGit(folder, disk, 'commit', '--quiet', '-m', `Publish ${dirname(path)}`);
    return performance.now() - began;
  });
}
