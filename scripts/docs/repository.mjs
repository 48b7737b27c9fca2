import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';

/** Returns the paths of the files that are committed, or would be after `git add --all`. */
export function committedFiles() {
  const { status, stdout, stderr } = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  if (status !== 0) throw new Error(`git cannot list the files of this checkout: ${stderr}`);
  // A file deleted but not yet committed is still in git's index.
  return [...new Set(stdout.split('\0'))].filter((file) => file !== '' && existsSync(file) && statSync(file).isFile());
}

/** Returns the text of a file, or undefined for a binary file. */
export function textOf(file) {
  const bytes = readFileSync(file);
  return bytes.includes(0) ? undefined : bytes.toString('utf8');
}
