import { cpSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { build } from '../support/cli.js';
import { migratedFolder } from '../support/database.js';
import { lockAway, own, ownFile, ownFolder, refusedStart } from '../support/refused-start.js';

// Each start is a separate process.
jest.setTimeout(300_000);

let base: string;
let folder: string;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  await build();
});
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'guildbook-refused-'));
  ownFolder(base);
  folder = ownFolder(join(base, 'data'));
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await rm(base, { recursive: true, force: true });
});

const dataDir = () => join(folder, 'database');
const skillsDir = () => join(base, 'skills');

/** Starts on the folders of this test and expects one sentence, no stack and nothing on standard output. */
async function sentenceOf(settings: Readonly<Record<string, string>>, code = 1): Promise<string> {
  const refused = await refusedStart({
    GUILDBOOK_DATA_DIR: dataDir(),
    GUILDBOOK_SKILLS_DIR: skillsDir(),
    ...settings,
  });
  expect(refused).toMatchObject({ code, stdout: '' });
  const [sentence = '', ...others] = refused.stderr.trimEnd().split('\n');
  expect(others).toEqual([]);
  expect(sentence).toMatch(/^Guildbook cannot start: .+: .+\.$/);
  return sentence.slice('Guildbook cannot start: '.length);
}

async function listenOn(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('the built server', () => {
  it('names the file and the fields of a ranking profile that is wrong, before it opens the database', async () => {
    const profile = { version: 1, diversity: { lambda: 2 }, pool: 3 };
    const file = ownFile(join(base, 'profile.json'), JSON.stringify(profile));
    const sentence = await sentenceOf({ GUILDBOOK_RANKING_PROFILE: file }, 2);
    expect(sentence).toMatch(/^GUILDBOOK_RANKING_PROFILE: .*profile\.json: diversity\.lambda: .*"pool"\.$/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says that another Guildbook has the port, and names the setting', async () => {
    const ready = { status: 'ready', problems: [], database: 'embedded', roles: 'in force', progress: {} };
    const port = await listenOn(createServer((_request, answer) => answer.end(JSON.stringify(ready))));
    expect(await sentenceOf({ GUILDBOOK_PORT: String(port) })).toBe(
      `Port ${port} of 127.0.0.1 is in use by another Guildbook: use that one, or set GUILDBOOK_PORT to another port (0 chooses a free one).`,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('names the folder, the user and the setting of data that it may not write', async () => {
    lockAway(folder, 0o555);
    expect(await sentenceOf({})).toMatch(
      /^The folder .+data cannot be written \(EACCES\): make it writable for the user \S+, or change GUILDBOOK_DATA_DIR\.$/,
    );
  });

  it('names the setting of skills that it may not write', async () => {
    lockAway(ownFolder(skillsDir()), 0o555);
    expect(await sentenceOf({})).toMatch(/skills cannot be written .+ change GUILDBOOK_SKILLS_DIR\.$/);
  });

  it("names the file of a key of the journal that it may not read, without a stack of the framework's", async () => {
    cpSync(await migratedFolder(), dataDir(), { recursive: true });
    for (const entry of readdirSync(dataDir(), { recursive: true, encoding: 'utf8' })) own(join(dataDir(), entry));
    own(dataDir());
    const file = ownFile(join(base, 'key.pem'), 'made-up-content');
    lockAway(file, 0o000);
    expect(await sentenceOf({ GUILDBOOK_JOURNAL_KEY_FILE: file })).toContain(`in ${file} cannot be read (EACCES)`);
  });

  it('adds no file to a folder of something else', async () => {
    ownFile(join(ownFolder(dataDir()), 'photos.zip'), 'x');
    expect(await sentenceOf({})).toContain('holds other files than a database (photos.zip): set GUILDBOOK_DATA_DIR');
    expect(readdirSync(dataDir())).toEqual(['photos.zip']);
  });

  it('names git if it is missing', async () => {
    expect(await sentenceOf({ PATH: ownFolder(join(base, 'bin')) })).toContain('cannot be run (ENOENT): install git');
  });
});
