import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { folderError, requireSpace, requireWritableFolder } from './writable-folder.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guildbook-writable-'));
});
afterEach(() => rm(folder, { recursive: true }));

const failure = (code: string) => Object.assign(new Error('made up'), { code });

describe('a folder that has to be written', () => {
  it('is created, and nothing is left in it', async () => {
    await requireWritableFolder(join(folder, 'a', 'b'), 'GUILDBOOK_DATA_DIR');
    expect(await readdir(join(folder, 'a', 'b'))).toEqual([]);
  });

  it('is refused by the part that exists and its setting if a file is in its place', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(requireWritableFolder(join(folder, 'file', 'data'), 'GUILDBOOK_DATA_DIR')).rejects.toThrow(
      `The folder ${join(folder, 'file')} cannot be written (ENOTDIR): make it writable for the user `,
    );
  });

  it.each([
    ['EROFS', 'lies on a read-only file system: mount it writable, or change GUILDBOOK_SKILLS_DIR.'],
    ['ENOSPC', 'is full: free some space, or change GUILDBOOK_SKILLS_DIR to a folder on another disk.'],
    ['EDQUOT', 'is full: free some space'],
    ['EPERM', 'cannot be written (EPERM)'],
  ])('is described by what the system says: %s', (code, says) => {
    expect(folderError(failure(code), '/srv/skills', 'GUILDBOOK_SKILLS_DIR').message).toContain(says);
  });

  it('is refused if its disk has too little left', async () => {
    await expect(requireSpace(folder, 1, 'GUILDBOOK_DATA_DIR')).resolves.toBeUndefined();
    await expect(requireSpace(folder, 2 ** 60, 'GUILDBOOK_DATA_DIR')).rejects.toMatchObject({ code: 'folder.full' });
  });
});
