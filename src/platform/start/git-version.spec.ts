import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { programPath } from '../../platform/config/environment.js';
import { requireGit } from './git-version.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'guildbook-git-version-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A program that prints this, in place of git. */
function gitThatPrints(text: string): { gitBinary: string; path: string } {
  const gitBinary = join(folder, `git-${text.replace(/\W+/g, '-')}`);
  writeFileSync(gitBinary, `#!/bin/sh\necho '${text}'\n`, { mode: 0o755 });
  return { gitBinary, path: programPath() };
}

describe('the git of a start', () => {
  it('may be the one of this machine', async () => {
    await expect(requireGit({ gitBinary: 'git', path: programPath() })).resolves.toBeUndefined();
  });

  it.each(['git version 2.36.0', 'git version 2.50.1 (Apple Git-155)', 'git version 3.0.0.windows.1'])(
    'may be %s',
    async (text) => {
      await expect(requireGit(gitThatPrints(text))).resolves.toBeUndefined();
    },
  );

  it.each(['git version 2.31.8', 'git version 1.8.3.1', 'something else'])(
    'is refused as too old: %s',
    async (text) => {
      await expect(requireGit(gitThatPrints(text))).rejects.toMatchObject({
        code: 'git.too_old',
        message: expect.stringMatching(
          /^Guildbook needs git 2\.32 or later .*, and this is .+: install a newer one, .*\.$/,
        ),
      });
    },
  );

  it('is warned about if a power cut can lose what it wrote', async () => {
    expect(await requireGit(gitThatPrints('git version 2.34.1'))).toContain('install git 2.36 or later');
  });

  it('is refused if it is missing or cannot be run', async () => {
    for (const gitBinary of ['git', join(folder, 'nothing')])
      await expect(requireGit({ gitBinary, path: folder })).rejects.toMatchObject({
        code: 'git.missing',
        message: expect.stringContaining('cannot be run (ENOENT): install git'),
      });
  });
});
