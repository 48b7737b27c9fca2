import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { migratedFolder } from '../../../test/support/database.js';
import { checkDataFolder, createDataFolder, EMBEDDED_VERSION } from './data-folder.js';
import { Database } from './database.js';

let base: string;
let folder: string;
beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'guildbook-data-'));
  folder = join(base, 'database');
  await createDataFolder(folder);
});
afterEach(() => rmSync(base, { recursive: true }));

/** Writes files of these contents into the folder. */
function fill(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}
const WHOLE = { PG_VERSION: `${EMBEDDED_VERSION}\n`, 'base/1/PG_VERSION': '', 'global/pg_control': '' };

describe('the folder of the embedded database', () => {
  it('is for its user only, because the files in it are not', () => {
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('may be empty, or hold a database of the version that a new one has', async () => {
    await expect(checkDataFolder(folder)).resolves.toBeUndefined();
    fill(WHOLE);
    await expect(checkDataFolder(folder)).resolves.toBeUndefined();
    expect(readFileSync(join(await migratedFolder(), 'PG_VERSION'), 'utf8').trim()).toBe(EMBEDDED_VERSION);
  });

  it('is refused for files of something else', async () => {
    fill({ 'a.txt': '', 'b.txt': '', 'c.txt': '', 'd.txt': '' });
    await expect(checkDataFolder(folder)).rejects.toMatchObject({
      code: 'data.unknown',
      message: expect.stringMatching(/than a database \(\w\.txt, \w\.txt, \w\.txt, …\): set GUILDBOOK_DATA_DIR to an/),
    });
  });

  it.each(['16', '9.6', '19'])('is refused for version %s of PostgreSQL', async (version) => {
    fill({ ...WHOLE, PG_VERSION: `${version}\n` });
    await expect(checkDataFolder(folder)).rejects.toThrow(
      `a database of PostgreSQL ${version}, and this Guildbook reads ${EMBEDDED_VERSION}:`,
    );
  });

  it.each([
    ['without its version', { 'base/1/PG_VERSION': '' }],
    ['with an empty version', { ...WHOLE, PG_VERSION: '' }],
    ['without its data', { PG_VERSION: WHOLE.PG_VERSION, 'global/pg_control': '' }],
    ['without its control file', { PG_VERSION: WHOLE.PG_VERSION, 'base/1/PG_VERSION': '' }],
  ])('is refused for a part of a database: %s', async (_what, files) => {
    fill(files);
    await expect(checkDataFolder(folder)).rejects.toMatchObject({ code: 'data.incomplete' });
  });

  it('is refused for a damaged database, and its lock is released', async () => {
    fill({ ...WHOLE, 'global/pg_control': '\0'.repeat(8192) });
    for (let time = 0; time < 2; time += 1)
      await expect(Database.open({ dataDir: folder, migrationsDir: 'none' })).rejects.toMatchObject({
        code: 'data.damaged',
        message: expect.stringMatching(/cannot be opened and is probably damaged \(.+\): restore a backup, or move/),
      });
  });
});
