import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { OwnPlace, startAt } from '../../../test/support/own-place.js';
import { submitTestProposal } from '../../../test/support/proposal-input.js';
import { createServerDatabase } from '../../../test/support/server-database.js';
import { programPath } from '../../platform/config/environment.js';
import { WholeDatabase } from '../../platform/database/whole-database.js';
import { readContents } from '../rows/row-copy.service.js';
import { moveDatabase } from './move.service.js';

jest.setTimeout(300_000);

describe('a move to PostgreSQL', () => {
  let source: OwnPlace;
  let token: string;

  beforeAll(async () => {
    source = await (await OwnPlace.create()).migrated();
    const server = await startAt(source.config());
    token = server.token;
    const { id, artifactSha256 } = await submitTestProposal(server, 'Alpha');
    await server.admin.proposals.approve(id, artifactSha256);
    await server.settled();
    await server.close();
  });
  afterAll(() => source.remove());

  const contentsOf = async (options: { url: string } | { dataDir: string }) => {
    const database = await WholeDatabase.open(options);
    const contents = await database.snapshot((session) => readContents(session, () => undefined));
    await database.close();
    return contents;
  };

  it('needs a target and a source, and names the one that is missing', async () => {
    await expect(moveDatabase(source.config())).rejects.toMatchObject({ code: 'move.no_target' });
    const nothing = await OwnPlace.create();
    cpSync(`${source.folder}/journal-key.pem`, `${nothing.folder}/journal-key.pem`);
    await expect(moveDatabase(nothing.config('postgresql://none@127.0.0.1:1/none'))).rejects.toMatchObject({
      code: 'database.not_found',
    });
    await nothing.remove();
  });

  it('copies every row once, keeps the source, and the server goes on with its skills folder', async () => {
    const target = await createServerDatabase();
    if (target === undefined) return;
    const before = await contentsOf({ dataDir: source.config().dataDir });
    const { rows, journal } = await moveDatabase(source.config(target.url));
    expect(await contentsOf({ url: target.url })).toEqual(before);
    expect(await contentsOf({ dataDir: source.config().dataDir })).toEqual(before);
    expect(rows['journal_entry']).toBe(journal.seq);
    await expect(moveDatabase(source.config(target.url))).rejects.toMatchObject({ code: 'move.not_empty' });

    const server = await startAt(source.config(target.url), token);
    await server.settled();
    const { id, artifactSha256 } = await submitTestProposal(server, 'Beta');
    await server.admin.proposals.approve(id, artifactSha256);
    await server.settled();
    expect(await server.admin.journal.verify()).toMatchObject({ intact: true });
    await server.close();
    const log = execFileSync('git', ['-C', source.config().skillsDir, 'log', '--format=%H', 'main'], {
      encoding: 'utf8',
      env: { PATH: programPath() },
    });
    expect(log.trim().split('\n')).toHaveLength(2);
    await target.drop();
  });

  it('writes nothing if the journal of the source was changed', async () => {
    const target = await createServerDatabase();
    if (target === undefined) return;
    const copy = await OwnPlace.create();
    cpSync(source.folder, copy.folder, { recursive: true });
    rmSync(`${copy.folder}/database.lock`, { recursive: true, force: true });
    const database = await WholeDatabase.open({ dataDir: copy.config().dataDir });
    await database.change(async ({ query }) => {
      await query('ALTER TABLE "journal_entry" DISABLE TRIGGER USER');
      await query(`UPDATE "journal_entry" SET "actor_name" = 'Eve' WHERE "seq" = 2`);
      await query('ALTER TABLE "journal_entry" ENABLE TRIGGER USER');
    });
    await database.close();
    await expect(moveDatabase(copy.config(target.url))).rejects.toMatchObject({ code: 'journal.broken' });
    const contents = await contentsOf({ url: target.url });
    expect(contents['principal']?.rows).toBe(0);
    await copy.remove();
    await target.drop();
  });
});
