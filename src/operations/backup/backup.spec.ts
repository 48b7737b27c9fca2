import { execFileSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { MadeBackup, writeLines } from '../../../test/support/made-backup.js';
import { type OwnPlace, startAt } from '../../../test/support/own-place.js';
import { submitTestProposal } from '../../../test/support/proposal-input.js';
import { createServerDatabase } from '../../../test/support/server-database.js';
import { openWholeDatabase } from '../../../test/support/whole-database.js';
import { programPath } from '../../platform/config/environment.js';
import { readRules } from '../../platform/database/table-rows.js';
import { WholeDatabase } from '../../platform/database/whole-database.js';
import { readContents } from '../rows/row-copy.service.js';
import { ROWS_OF_MIGRATIONS } from '../rows/table-content.js';
import { backUp } from './backup.service.js';
import { tableFile } from './manifest.schema.js';
import { restore } from './restore.service.js';

jest.setTimeout(900_000);

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], {
    encoding: 'utf8',
    env: { PATH: programPath() },
    stdio: 'pipe',
  }).trim();

/** The content of the database at a place, by table. */
async function contentsAt(place: OwnPlace, url?: string) {
  const database = await WholeDatabase.open({ url, dataDir: place.config().dataDir });
  const found = await database.snapshot(async (session) => ({
    contents: await readContents(session, () => undefined),
    rules: await readRules(session),
  }));
  await database.close();
  return found;
}

describe('a backup', () => {
  let made: MadeBackup;
  beforeAll(async () => {
    made = await MadeBackup.create();
  });
  afterEach(() => made.removePlaces());
  afterAll(() => made.remove());

  it('has every table of the schema, and only its owner may read it', () => {
    expect(Object.keys(JSON.parse(readFileSync(join(made.folder, 'manifest.json'), 'utf8')).rows).sort()).toEqual(
      [...made.columns.keys()].sort(),
    );
    expect(made.columns.size).toBeGreaterThan(35);
    expect(readdirSync(made.folder).sort()).toEqual(['database', 'journal-key.pem', 'manifest.json', 'skills.bundle']);
    for (const name of readdirSync(made.folder, { recursive: true, encoding: 'utf8' })) {
      const { mode } = statSync(join(made.folder, name));
      expect([name, (mode & 0o777).toString(8)]).toEqual([
        name,
        statSync(join(made.folder, name)).isDirectory() ? '700' : '600',
      ]);
    }
    expect(existsSync(`${made.folder}.part`)).toBe(false);
  });

  it('restores the same rows, rules, skills and key, and the server goes on', async () => {
    const target = await made.place();
    const { journal } = await restore(target.config(), made.folder);
    const [before, after] = [await contentsAt(made.source), await contentsAt(target)];
    expect(after).toEqual(before);
    expect(after.rules.every(({ state }) => state !== 'disabled' && state !== 'not valid')).toBe(true);
    expect(before.contents['proposal_decision']?.rows).toBe(3);
    const [from, to] = [made.source.config().skillsDir, target.config().skillsDir];
    expect(git(to, 'for-each-ref')).toBe(git(from, 'for-each-ref'));
    expect(git(to, 'status', '--short')).toBe('');
    expect(readFileSync(join(target.folder, 'journal-key.pem'))).toEqual(
      readFileSync(join(made.source.folder, 'journal-key.pem')),
    );

    const server = await startAt(target.config(), made.token);
    await server.settled();
    expect(await server.admin.journal.verify()).toMatchObject({ intact: true });
    const { id, artifactSha256 } = await submitTestProposal(server, 'Delta');
    await server.admin.proposals.approve(id, artifactSha256);
    await server.settled();
    expect(git(to, 'log', '--format=%H', 'main').split('\n')).toHaveLength(3);
    expect((await server.admin.journal.list({ order: 'newest', limit: 1 })).items[0]?.seq).toBeGreaterThan(journal.seq);
    await server.close();
    // In use now, although the backup is the same.
    await expect(restore(target.config(), made.folder)).rejects.toMatchObject({ code: 'restore.skills_not_empty' });
    rmSync(to, { recursive: true });
    await expect(restore(target.config(), made.folder)).rejects.toMatchObject({ code: 'restore.not_empty' });
    expect(readdirSync(to)).toEqual([]);
  });

  it('is refused with a file that was changed, is missing, or is of another format', async () => {
    const target = (await (await made.place()).migrated()).config();
    const copy = join((await made.place()).folder, 'copy');
    cpSync(made.folder, copy, { recursive: true });
    writeLines(copy, 'lease', ['["a"]']);
    await expect(restore(target, copy)).rejects.toMatchObject({ code: 'backup.damaged' });
    rmSync(join(copy, tableFile('lease')));
    await expect(restore(target, copy)).rejects.toThrow(/lacks database\/lease\.jsonl/);
    writeFileSync(join(copy, 'manifest.json'), '{"format": 2}');
    await expect(restore(target, copy)).rejects.toMatchObject({ code: 'backup.unknown_format' });
    await expect(restore(target, join(copy, 'none'))).rejects.toMatchObject({ code: 'backup.not_found' });
    expect(existsSync(target.skillsDir)).toBe(false);
  });

  it('is not written over another one, without a key, or of a skills folder that is not the one of its database', async () => {
    await expect(backUp(made.source.config(), made.folder)).rejects.toMatchObject({ code: 'backup.exists' });
    const copy = await made.place();
    cpSync(join(made.source.folder, 'database'), copy.config().dataDir, { recursive: true });
    const to = join(copy.folder, 'backup');
    await expect(backUp(copy.config(), to)).rejects.toMatchObject({ code: 'backup.no_key' });
    cpSync(join(made.source.folder, 'journal-key.pem'), join(copy.folder, 'journal-key.pem'));
    await expect(backUp(copy.config(), to)).rejects.toMatchObject({ code: 'backup.incomplete' });
    cpSync(made.source.config().skillsDir, copy.config().skillsDir, { recursive: true });
    git(copy.config().skillsDir, 'update-ref', 'refs/heads/main', 'main~1');
    for (const line of git(copy.config().skillsDir, 'for-each-ref', '--format=%(refname)', 'refs/guildbook').split(
      '\n',
    ))
      if (line !== '') git(copy.config().skillsDir, 'update-ref', '-d', line);
    await expect(backUp(copy.config(), to)).rejects.toThrow(/lacks the commit/);
    const nothing = await made.place();
    cpSync(join(made.source.folder, 'journal-key.pem'), join(nothing.folder, 'journal-key.pem'));
    await expect(backUp(nothing.config(), to)).rejects.toMatchObject({ code: 'database.not_found' });
    expect(readdirSync(copy.folder).filter((name) => name.startsWith('backup'))).toEqual([]);
  });

  it('is refused beside another signing key or under another name of the journal', async () => {
    const target = await made.place();
    const { privateKey } = generateKeyPairSync('ed25519');
    const key = join(target.folder, 'journal-key.pem');
    writeFileSync(key, privateKey.export({ format: 'pem', type: 'pkcs8' }));
    await expect(restore(target.config(), made.folder)).rejects.toMatchObject({ code: 'restore.other_key' });
    expect(createPrivateKey(readFileSync(key)).asymmetricKeyType).toBe('ed25519');
    rmSync(key);
    const named = { ...target.config(), journalName: 'example.org/journal' };
    await expect(restore(named, made.folder)).rejects.toMatchObject({ code: 'restore.other_name' });
    expect(readdirSync(target.folder)).toEqual([]);
  });

  it('moves between the databases; PostgreSQL is backed up while a server works on it', async () => {
    const server = await createServerDatabase();
    const target = await (await made.place()).migrated();
    const config = target.config(server?.url);
    await restore(config, made.folder);
    const running = await startAt(config, made.token);
    await running.settled();
    const { id, artifactSha256 } = await submitTestProposal(running, 'Delta');
    const again = join(target.folder, 'backup');
    const approval = running.admin.proposals.approve(id, artifactSha256);
    // The embedded database allows one process.
    const stopped =
      server === undefined ? approval.then(() => running.settled()).then(() => running.close()) : undefined;
    await stopped;
    const [{ manifest }] = await Promise.all([backUp(config, again), approval]);
    if (stopped === undefined) {
      await running.settled();
      await running.close();
    }
    expect(manifest.database).toBe(server === undefined ? 'embedded' : 'postgresql');
    const home = await (await made.place()).migrated();
    await restore(home.config(), again);
    const back = await startAt(home.config(), made.token);
    await back.settled();
    expect(await back.admin.journal.verify()).toMatchObject({ intact: true });
    await back.close();
    await expect(restore(config, made.folder)).rejects.toMatchObject({ code: 'restore.skills_not_empty' });
    await server?.drop();
  });
});

describe('a freshly migrated database', () => {
  it('has exactly the rows that a restore expects in it', async () => {
    const { database, close } = await openWholeDatabase({ fresh: true });
    const contents = await database.snapshot((session) => readContents(session, () => undefined));
    const filled = Object.entries(contents).filter(([, { rows }]) => rows > 0);
    expect(filled.map(([table, { rows }]) => [table, rows])).toEqual(
      [...ROWS_OF_MIGRATIONS.keys()].map((table) => [table, 1]),
    );
    await close();
  });
});
