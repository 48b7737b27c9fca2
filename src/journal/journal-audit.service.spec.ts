import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { SystemClock } from '../platform/base/clock.js';
import { RandomIds } from '../platform/base/ids.js';
import { loadConfig } from '../platform/config/config.js';
import { jobActor } from './actor.js';
import { type ChainEntry, entryHash, GENESIS } from './chain.js';
import { ChainAudit } from './chain-audit.js';
import { readCheckpoint } from './checkpoint.js';
import { JournalRepository } from './journal.repository.js';
import { Journal } from './journal.service.js';
import { JournalAudit } from './journal-audit.service.js';
import { JournalKey } from './journal-key.service.js';
import { isIncluded } from './merkle.js';

const CLOCK = new SystemClock();
const IDS = new RandomIds();
const KEY_FILE = join(tmpdir(), `guildbook-journal-${IDS.uuid()}.pem`);

let opened: TestDatabase;
let journal: Journal;
let key: JournalKey;
let audit: JournalAudit;

const keyOf = async (settings: Record<string, string>) => {
  const loaded = new JournalKey(loadConfig(settings), IDS);
  await loaded.onModuleInit();
  return loaded;
};
const auditWith = (other: JournalKey) => new JournalAudit(opened.database, new JournalRepository(), other, CLOCK);

beforeAll(async () => {
  opened = await openTestDatabase();
  journal = new Journal(opened.database, new JournalRepository(), CLOCK);
  key = await keyOf({ GUILDBOOK_JOURNAL_KEY_FILE: KEY_FILE });
  audit = auditWith(key);
});
beforeEach(async () => {
  await store([]);
  await asOwner('TRUNCATE "journal_checkpoint"');
});
afterAll(async () => {
  await opened.database.close();
  await opened.drop();
  await rm(KEY_FILE, { force: true });
});

const sql = (statement: string) => opened.database.client.$executeRawUnsafe(statement);
/** What an owner of the database can do: the append-only triggers are theirs to disable. */
const asOwner = async (statement: string) => {
  const tables = ['journal_entry', 'journal_head', 'journal_checkpoint'];
  for (const table of tables) await sql(`ALTER TABLE "${table}" DISABLE TRIGGER USER`);
  await sql(statement);
  for (const table of tables) await sql(`ALTER TABLE "${table}" ENABLE TRIGGER USER`);
};
const write = async (count: number) => {
  for (let n = 1; n <= count; n += 1)
    await opened.database.transaction((tx) =>
      journal.append(tx, jobActor('test'), { action: 'test.noted', subject: { type: 'test', id: `subject ${n}` } }),
    );
};

type Content = Omit<ChainEntry, 'seq' | 'previousHash' | 'hash'>;
const content = (n: number): Content => ({
  at: '2026-03-01T10:00:00.000Z',
  actorKind: 'job',
  actorId: 'job:test',
  actorName: 'test',
  action: 'test.noted',
  subjectType: 'test',
  subjectId: `subject ${n}`,
  data: `{"n":${n}}`,
});
const chained = (contents: readonly Content[]): ChainEntry[] => {
  const entries: ChainEntry[] = [];
  for (const { at, actorKind, actorId, actorName, action, subjectType, subjectId, data } of contents) {
    const fields = { at, actorKind, actorId, actorName, action, subjectType, subjectId, data };
    const unsigned = { ...fields, seq: entries.length + 1, previousHash: entries.at(-1)?.hash ?? GENESIS };
    entries.push({ ...unsigned, hash: entryHash(unsigned) });
  }
  return entries;
};
const chainOf = (count: number) => chained(Array.from({ length: count }, (_, n) => content(n + 1)));
/** Replaces the stored entries by these, with a matching head. */
const store = async (entries: readonly ChainEntry[]) => {
  await asOwner('TRUNCATE "journal_entry", "journal_head"');
  const { seq, hash } = entries.at(-1) ?? { seq: 0, hash: GENESIS };
  await sql(`INSERT INTO "journal_head" ("id", "seq", "hash") VALUES (1, ${seq}, '${hash}')`);
  await opened.database.client.journalEntry.createMany({
    data: entries.map((entry) => ({ ...entry, seq: BigInt(entry.seq), at: new Date(entry.at) })),
  });
};

describe('verifying the journal', () => {
  it('reports an empty journal as intact', async () => {
    expect(await audit.verify()).toEqual({
      intact: true,
      entries: 0,
      head: { seq: 0, hash: GENESIS },
      firstBroken: null,
      checkpoints: { signed: 0, unknown: 0 },
    });
  });

  it('reads several pages, signs the head and finds a break on the last page', async () => {
    await store(chainOf(2_345));
    expect(await audit.sign()).toBe(true);
    await write(1);
    expect(await audit.sign()).toBe(true);
    const progress: number[] = [];
    const report = (read: number, of: number) => progress.push(read, of);
    expect(await audit.verify(report)).toMatchObject({ intact: true, entries: 2_346, checkpoints: { signed: 2 } });
    await asOwner(`UPDATE "journal_entry" SET "data" = '{"n":1}' WHERE "seq" = 2001`);
    expect(await audit.verify(report)).toMatchObject({ intact: false, entries: 2_000, firstBroken: { seq: 2_001 } });
    expect(progress).toEqual([1_000, 2_000, 2_346, 1_000, 2_000].flatMap((read) => [read, 2_346]));
  });
});

describe('an export of the journal', () => {
  it('is read page by page, as far as its reader takes it', async () => {
    await store(chainOf(345));
    const seqsOf = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => Number(JSON.parse(line).seq));
    const sizes: number[] = [];
    const seqs: number[] = [];
    for await (const text of audit.exportLines({ after: 5, limit: 320 })) {
      sizes.push(seqsOf(text).length);
      seqs.push(...seqsOf(text));
    }
    expect(sizes).toEqual([100, 100, 100, 20]);
    expect(seqs).toEqual(Array.from({ length: 320 }, (_, n) => n + 6));
    const lines = audit.exportLines({ after: 0, limit: 5_000 });
    expect(seqsOf((await lines.next()).value ?? '')).toHaveLength(100);
    // What is written meanwhile is read, so the second page was not read with the first one.
    await write(1);
    const rest: number[] = [];
    for await (const text of lines) rest.push(...seqsOf(text));
    expect(rest.at(-1)).toBe(346);
  });
});

describe('a journal manipulated by the owner of the database', () => {
  it.each([
    ['an edit', `UPDATE "journal_entry" SET "actor_name" = 'another name' WHERE "seq" = 3`, 3],
    ['an edit of the time', `UPDATE "journal_entry" SET "at" = "at" - interval '1 hour' WHERE "seq" = 3`, 3],
    ['an edit of one space', `UPDATE "journal_entry" SET "data" = "data" || ' ' WHERE "seq" = 3`, 3],
    ['a deletion', `DELETE FROM "journal_entry" WHERE "seq" = 3`, 3],
    ['a missing beginning', `DELETE FROM "journal_entry" WHERE "seq" = 1`, 1],
    [
      'a deletion that closes the gap',
      `DO $$ BEGIN DELETE FROM "journal_entry" WHERE "seq" = 3;
       UPDATE "journal_entry" SET "seq" = "seq" - 1 WHERE "seq" > 3; END $$`,
      3,
    ],
    [
      'a swap',
      `UPDATE "journal_entry" SET "subject_id" = CASE "seq" WHEN 2 THEN 'subject 3' ELSE 'subject 2' END
       WHERE "seq" IN (2, 3)`,
      2,
    ],
    [
      'an insertion',
      `DO $$ BEGIN UPDATE "journal_entry" SET "seq" = -"seq" WHERE "seq" > 3;
       INSERT INTO "journal_entry" SELECT 4, "at", "actor_kind", "actor_id", "actor_name", "action", "subject_type",
         "subject_id", "data", "hash", "hash" FROM "journal_entry" WHERE "seq" = 3;
       UPDATE "journal_entry" SET "seq" = 1 - "seq" WHERE "seq" < 0; END $$`,
      4,
    ],
    ['a cut tail', `DELETE FROM "journal_entry" WHERE "seq" > 4`, 5],
    ['an emptied table', `TRUNCATE "journal_entry"`, 1],
  ])('locates %s', async (_what, tampering, seq) => {
    await write(6);
    expect(await audit.verify()).toMatchObject({ intact: true, entries: 6 });
    await asOwner(tampering);
    expect(await audit.verify()).toMatchObject({ intact: false, firstBroken: { seq } });
  });

  it('a rewritten end does not fit the head', async () => {
    await write(3);
    const [row] = await opened.database.client.journalEntry.findMany({ where: { seq: 3n } });
    if (!row) throw new Error('no row');
    const forged = { ...row, seq: 3, at: row.at.toISOString(), actorName: 'another name' };
    const { hash: _hash, ...unsigned } = forged;
    await asOwner(
      `UPDATE "journal_entry" SET "actor_name" = 'another name', "hash" = '${entryHash(unsigned)}' WHERE "seq" = 3`,
    );
    expect(await audit.verify()).toMatchObject({
      intact: false,
      firstBroken: { seq: 3, reason: 'is not the recorded head' },
    });
  });
});

/** Manipulations of a log of 200 entries that a plain hash chain misses; a saved signed head reveals them. */
const entryAt = (entries: readonly ChainEntry[], seq: number): ChainEntry => {
  const entry = entries[seq - 1];
  if (!entry) throw new Error(`no entry ${seq}`);
  return entry;
};
const edited = (entries: readonly ChainEntry[], seq: number) =>
  entries.with(seq - 1, { ...entryAt(entries, seq), actorName: 'another name' });
const renumbered = (entries: readonly ChainEntry[]) => entries.map((entry, n) => ({ ...entry, seq: n + 1 }));

const MANIPULATIONS: [string, (entries: readonly ChainEntry[]) => ChainEntry[]][] = [
  ['an edit', (all) => edited(all, 50)],
  ['a deletion', (all) => all.toSpliced(49, 1)],
  ['a swap', (all) => renumbered(all.with(49, entryAt(all, 51)).with(50, entryAt(all, 50)))],
  ['a duplicate', (all) => renumbered(all.toSpliced(50, 0, entryAt(all, 50)))],
  ['an insertion', (all) => renumbered(all.toSpliced(50, 0, entryAt(chained([content(999)]), 1)))],
  ['a value of another type', (all) => all.with(49, { ...entryAt(all, 50), data: '{"n":"50"}' })],
  ['a truncation by 10 entries', (all) => all.slice(0, 190)],
  ['a truncation to 100 entries', (all) => all.slice(0, 100)],
  ['an edit that was rehashed', (all) => chained(edited(all, 50))],
  ['a deletion that was rehashed', (all) => chained(all.toSpliced(49, 1))],
  ['a rewritten journal', (all) => chained(all.map((entry) => ({ ...entry, actorName: 'no one' })))],
  ['an edit near the end that was rehashed', (all) => chained(edited(all, 185))],
  ['an emptied journal', () => []],
];

describe('a journal of 200 entries with a signed head', () => {
  // One more manipulation would be of a column outside the hash; journal.service.spec shows that there is none.
  it.each(MANIPULATIONS)('does not hide %s', async (_what, manipulate) => {
    await store(chainOf(200));
    await audit.sign();
    const { note } = await audit.checkpoint();
    await store(manipulate(chainOf(200)));
    expect((await audit.verify()).intact).toBe(false);

    // Even without the stored checkpoints, for anyone who saved the last one.
    await asOwner('TRUNCATE "journal_checkpoint"');
    const kept = readCheckpoint(note);
    if (!kept || !key.isTrusted(note)) throw new Error('the note is not ours');
    const anchors = [{ seq: kept.size, hash: kept.chain, root: kept.root, label: 'the signed checkpoint' }];
    const walk = new ChainAudit();
    const broken = walk.read(await audit.export({ after: 0, limit: 5_000 }), anchors) ?? walk.end(anchors);
    expect(broken).toBeDefined();
  });

  it.each([150, 300])('is still broken if the checkpoint is moved to entry %i', async (place) => {
    await store(chainOf(200));
    await audit.sign();
    await store(chained(edited(chainOf(200), 190)));
    await asOwner(`UPDATE "journal_checkpoint" SET "size" = ${place}`);
    expect(await audit.verify()).toMatchObject({ firstBroken: { seq: place === 150 ? 150 : 201 } });
  });

  it('is intact if untouched, and may have grown', async () => {
    await store(chainOf(200));
    await audit.sign();
    await write(3);
    expect(await audit.verify()).toMatchObject({ intact: true, entries: 203, checkpoints: { signed: 1, unknown: 0 } });
  });
});

describe('signing the journal', () => {
  it('signs each head once', async () => {
    expect(await audit.sign()).toBe(false);
    await write(2);
    expect(await Promise.all([audit.sign(), audit.sign()])).toContain(true);
    expect(await audit.sign()).toBe(false);
    expect(await audit.checkpoint()).toMatchObject({ size: 2, verifierKey: key.ownVerifierKey() });
    expect(await opened.database.client.journalCheckpoint.count()).toBe(1);
  });

  it('does not sign a broken journal', async () => {
    await write(4);
    await asOwner(`UPDATE "journal_entry" SET "actor_name" = 'another name' WHERE "seq" = 3`);
    await expect(audit.sign()).rejects.toThrow('broken at entry 3');
    await expect(audit.checkpoint()).rejects.toMatchObject({ kind: 'not_found', code: 'journal.not_signed' });
  });

  it('does not continue from manipulated subtrees', async () => {
    await write(3);
    await audit.sign();
    await asOwner(`UPDATE "journal_checkpoint" SET "subtrees" = ARRAY['${'a'.repeat(64)}', '${'b'.repeat(64)}']`);
    await write(1);
    await audit.sign();
    expect(await audit.verify()).toMatchObject({ intact: true, checkpoints: { signed: 2, unknown: 0 } });
  });

  it('counts signatures of unknown keys and verifies those of trusted keys', async () => {
    const file = `${KEY_FILE}.other`;
    const stranger = await keyOf({ GUILDBOOK_JOURNAL_KEY_FILE: file });
    await write(1);
    await auditWith(stranger).sign();
    expect(await audit.verify()).toMatchObject({ intact: true, checkpoints: { signed: 0, unknown: 1 } });
    const trusting = await keyOf({
      GUILDBOOK_JOURNAL_KEY_FILE: KEY_FILE,
      GUILDBOOK_JOURNAL_TRUSTED_KEYS: stranger.ownVerifierKey(),
    });
    expect(await auditWith(trusting).verify()).toMatchObject({ intact: true, checkpoints: { signed: 1, unknown: 0 } });
    await rm(file);
  });

  it('is permanent: the application can neither change nor remove a checkpoint', async () => {
    await write(1);
    await audit.sign();
    await expect(sql(`UPDATE "journal_checkpoint" SET "note" = 'x'`)).rejects.toThrow(/append-only/);
    await expect(sql('DELETE FROM "journal_checkpoint"')).rejects.toThrow(/append-only/);
    await expect(sql('TRUNCATE "journal_checkpoint"')).rejects.toThrow(/append-only/);
  });
});

describe('a proof of inclusion', () => {
  it('leads from every entry to the signed root', async () => {
    await store(chainOf(45));
    await audit.sign();
    await write(1);
    const { note } = await audit.checkpoint();
    const root = readCheckpoint(note)?.root ?? '';
    for (const seq of [1, 2, 31, 32, 33, 44, 45]) {
      const { entry, path, checkpoint } = await audit.prove(seq);
      expect([entry.seq, checkpoint.note]).toEqual([seq, note]);
      expect(isIncluded(entryHash(entry), seq - 1, checkpoint.size, path, root)).toBe(true);
    }
    await expect(audit.prove(46)).rejects.toMatchObject({ kind: 'not_found', code: 'journal.not_signed' });
    await expect(audit.prove(47)).rejects.toMatchObject({ kind: 'not_found', code: 'journal.no_entry' });
  });
});
