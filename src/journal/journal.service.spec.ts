import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { SystemClock } from '../platform/clock.js';
import { type Actor, job } from './actor.js';
import { type ChainEntry, entryHash, GENESIS } from './chain.js';
import { JournalRepository } from './journal.repository.js';
import { Journal } from './journal.service.js';

const ROBOT = job('test');
const note = (n: number | string) => ({ action: 'test.noted', subject: { type: 'test', id: `subject ${n}` } });

describe('the journal', () => {
  let opened: TestDatabase;
  let journal: Journal;

  beforeAll(async () => {
    opened = await openTestDatabase();
    journal = new Journal(opened.database, new JournalRepository(), new SystemClock());
  });
  beforeEach(async () => {
    await asOwner('TRUNCATE "journal_entry"');
    await sql('DELETE FROM "journal_head"');
    await sql(`INSERT INTO "journal_head" ("id", "seq", "hash") VALUES (1, 0, '${GENESIS}')`);
  });
  afterAll(async () => {
    await opened.database.close();
    await opened.drop();
  });

  const sql = (statement: string) => opened.database.client.$executeRawUnsafe(statement);
  const append = (n: number | string, data: Record<string, unknown> = {}, actor: Actor = ROBOT) =>
    opened.database.transaction((tx) => journal.append(tx, actor, { ...note(n), data }));
  const write = async (count: number) => {
    for (let n = 1; n <= count; n += 1) await append(n);
  };
  /** What somebody who owns the database can do: the append-only triggers are theirs to switch off. */
  const asOwner = async (statement: string) => {
    await sql('ALTER TABLE "journal_entry" DISABLE TRIGGER USER');
    await sql(statement);
    await sql('ALTER TABLE "journal_entry" ENABLE TRIGGER USER');
  };

  it('begins empty and whole', async () => {
    expect(await journal.verify()).toEqual({
      intact: true,
      entries: 0,
      head: { seq: 0, hash: GENESIS },
      firstBroken: null,
    });
  });

  it('says who did what to which, in order, and finds it by action and subject', async () => {
    await append('a', { count: 7, nested: { b: [1, null], a: 'x' } });
    await append('b');
    const { items, next } = await journal.list({ after: 0, limit: 50, order: 'oldest' });
    expect(next).toBeNull();
    expect(items.map(({ seq, subject }) => [seq, subject.id])).toEqual([
      [1, 'subject a'],
      [2, 'subject b'],
    ]);
    expect(items[0]).toMatchObject({
      actor: { kind: 'job', id: 'job:test', name: 'test' },
      action: 'test.noted',
      data: { count: 7, nested: { b: [1, null], a: 'x' } },
      previousHash: GENESIS,
    });
    const found = await journal.list({ after: 0, limit: 50, order: 'oldest', subject: 'subject b' });
    expect(found.items.map(({ seq }) => seq)).toEqual([2]);
    const newest = await journal.list({ after: 0, limit: 1, order: 'newest', action: 'test.noted' });
    expect(newest).toMatchObject({ items: [{ seq: 2 }], next: 2 });
  });

  it('keeps nothing of a transaction that fails after the entry', async () => {
    await append('kept');
    const failing = opened.database.transaction(async (tx) => {
      await journal.append(tx, ROBOT, note('lost'));
      throw new Error('the work itself failed');
    });
    await expect(failing).rejects.toThrow('the work itself failed');
    await append('next');
    const { items } = await journal.list({ after: 0, limit: 50, order: 'oldest' });
    expect(items.map(({ seq, subject }) => [seq, subject.id])).toEqual([
      [1, 'subject kept'],
      [2, 'subject next'],
    ]);
    expect(await journal.verify()).toMatchObject({ intact: true, entries: 2 });
  });

  it('keeps nothing of the work when the entry cannot be written', async () => {
    const lease = { name: 'work', holder: '00000000-0000-4000-8000-000000000000', until: new SystemClock().now() };
    const work = () =>
      opened.database.transaction(async (tx) => {
        await tx.lease.create({ data: lease });
        await journal.append(tx, ROBOT, note('work'));
      });
    await sql('ALTER TABLE "journal_entry" RENAME TO "journal_away"');
    await expect(work()).rejects.toThrow(/journal_entry/);
    await sql('ALTER TABLE "journal_away" RENAME TO "journal_entry"');
    expect(await opened.database.client.lease.count()).toBe(0);
    await work();
    expect(await opened.database.client.lease.count()).toBe(1);
  });

  it('does not go on without its head', async () => {
    await append(1);
    await sql('DELETE FROM "journal_head"');
    await expect(append(2)).rejects.toThrow('the journal has no head');
  });

  it('puts entries that come at the same moment one after the other, without a gap', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => append(n)));
    expect(await journal.verify()).toMatchObject({ intact: true, entries: 20, head: { seq: 20 } });
  });

  it('holds no secret that somebody put into a name or into the data', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
    await append(1, { reason: `use ${secret}`, deep: [{ text: secret }] }, { ...ROBOT, name: `bot ${secret}` });
    expect(JSON.stringify(await journal.list({ after: 0, limit: 50, order: 'oldest' }))).not.toContain(secret);
    const stored = await opened.database.client.journalEntry.findMany();
    expect(stored[0]?.data).not.toContain(secret);
    expect(stored[0]?.actorName).toMatch(/^bot \[REDACTED:/);
  });

  it('has every stored column in the hash, by the catalogue of the database', async () => {
    await append(1, { reason: 'because' });
    const [row] = await opened.database.client.journalEntry.findMany();
    if (!row) throw new Error('nothing was stored');
    const { hash, ...unsigned } = { ...row, seq: Number(row.seq), at: row.at.toISOString() };
    expect(entryHash(unsigned)).toBe(hash);
    const columns = await opened.database.client.$queryRaw<{ name: string }[]>`
      SELECT column_name::text AS name FROM information_schema.columns WHERE table_name = 'journal_entry'`;
    const fields = columns.map(({ name }) => name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()));
    expect(fields.sort()).toEqual(Object.keys(row).sort());
    for (const field of fields.filter((name) => name !== 'hash')) {
      // Every column but `seq` is text by now.
      const changed = { ...unsigned, [field]: field === 'seq' ? 2 : 'changed' } as Omit<ChainEntry, 'hash'>;
      expect([field, entryHash(changed)]).not.toEqual([field, hash]);
    }
  });

  describe('in the hands of the owner of the database', () => {
    it.each([
      ['an edit', `UPDATE "journal_entry" SET "actor_name" = 'somebody else' WHERE "seq" = 3`, 3],
      ['an edit of the time', `UPDATE "journal_entry" SET "at" = "at" - interval '1 hour' WHERE "seq" = 3`, 3],
      ['an edit that is hardly one', `UPDATE "journal_entry" SET "data" = "data" || ' ' WHERE "seq" = 3`, 3],
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
    ])('%s is found, and where', async (_what, tampering, seq) => {
      await write(6);
      expect(await journal.verify()).toMatchObject({ intact: true, entries: 6 });
      await asOwner(tampering);
      expect(await journal.verify()).toMatchObject({ intact: false, firstBroken: { seq } });
    });

    it('a tail that was cut and whose head was moved back is found by whoever knows the head of before', async () => {
      await write(6);
      const { head } = await journal.verify();
      await asOwner(`DELETE FROM "journal_entry" WHERE "seq" > 4`);
      await sql(`UPDATE "journal_head" SET "seq" = 4, "hash" = (SELECT "hash" FROM "journal_entry" WHERE "seq" = 4)`);
      // What a chain alone cannot see (threats 3): this is why every commit of a skill names its journal entry.
      const after = await journal.verify();
      expect(after.intact).toBe(true);
      expect(after.head.seq).toBeLessThan(head.seq);
    });

    it('an end that was written anew does not fit the head', async () => {
      await write(3);
      const [row] = await opened.database.client.journalEntry.findMany({ where: { seq: 3n } });
      if (!row) throw new Error('no row');
      const forged = { ...row, seq: 3, at: row.at.toISOString(), actorName: 'somebody else' };
      const { hash: _hash, ...unsigned } = forged;
      await asOwner(
        `UPDATE "journal_entry" SET "actor_name" = 'somebody else', "hash" = '${entryHash(unsigned)}' WHERE "seq" = 3`,
      );
      expect(await journal.verify()).toMatchObject({
        intact: false,
        firstBroken: { seq: 3, reason: 'is not the head that was recorded' },
      });
    });
  });

  it('is verified over several pages, and a break in the last one is found', async () => {
    const at = new SystemClock().now();
    let previousHash = GENESIS;
    const rows = Array.from({ length: 2_345 }, (_, n) => {
      const unsigned = {
        seq: n + 1,
        at: at.toISOString(),
        actorKind: 'job',
        actorId: 'job:test',
        actorName: 'test',
        action: 'test.noted',
        subjectType: 'test',
        subjectId: `subject ${n}`,
        data: '{}',
        previousHash,
      };
      previousHash = entryHash(unsigned);
      return { ...unsigned, hash: previousHash, seq: BigInt(n + 1), at };
    });
    await opened.database.client.journalEntry.createMany({ data: rows });
    await sql(`UPDATE "journal_head" SET "seq" = ${rows.length}, "hash" = '${previousHash}'`);
    expect(await journal.verify()).toMatchObject({ intact: true, entries: 2_345 });
    await append('the next one');
    expect(await journal.verify()).toMatchObject({ intact: true, entries: 2_346 });
    await asOwner(`UPDATE "journal_entry" SET "data" = '{"n":1}' WHERE "seq" = 2001`);
    expect(await journal.verify()).toMatchObject({ intact: false, entries: 2_000, firstBroken: { seq: 2_001 } });
  });
});
