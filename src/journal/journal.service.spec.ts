import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { SystemClock } from '../platform/base/clock.js';
import { type Actor, jobActor } from './actor.js';
import { type ChainEntry, entryHash, GENESIS } from './chain.js';
import { JournalRepository } from './journal.repository.js';
import { Journal } from './journal.service.js';

const ROBOT = jobActor('test');
const TABLES = ['journal_entry', 'journal_head'];
const UNAVAILABLE = { kind: 'unavailable', code: 'journal.unavailable' };
const note = (n: number | string) => ({ action: 'test.noted', subject: { type: 'test', id: `subject ${n}` } });

describe('the journal', () => {
  let opened: TestDatabase;
  let journal: Journal;

  beforeAll(async () => {
    opened = await openTestDatabase();
    journal = new Journal(opened.database, new JournalRepository(), new SystemClock());
  });
  beforeEach(async () => {
    await asOwner('TRUNCATE "journal_entry", "journal_head"');
    await sql(`INSERT INTO "journal_head" ("id", "seq", "hash") VALUES (1, 0, '${GENESIS}')`);
  });
  afterAll(async () => {
    await opened.database.close();
    await opened.drop();
  });

  const sql = (statement: string) => opened.database.client.$executeRawUnsafe(statement);
  const append = (n: number | string, data: Record<string, unknown> = {}, actor: Actor = ROBOT) =>
    opened.database.transaction((tx) => journal.append(tx, actor, { ...note(n), data }));
  /** What an owner of the database can do: the append-only triggers are theirs to disable. */
  const asOwner = async (statement: string) => {
    for (const table of TABLES) await sql(`ALTER TABLE "${table}" DISABLE TRIGGER USER`);
    await sql(statement);
    for (const table of TABLES) await sql(`ALTER TABLE "${table}" ENABLE TRIGGER USER`);
  };

  it('lists actor, action and subject in order and filters by action and subject', async () => {
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

  it('writes no entry if what follows the journal fails, and calls it with every record before', async () => {
    const followed = new Journal(opened.database, new JournalRepository(), new SystemClock());
    const seen: string[] = [];
    followed.follow(async (_tx, records) => {
      seen.push(...records.map(({ subject }) => subject.id));
      if (seen.length > 2) throw new Error('the outbox is full');
    });
    const write = (...names: string[]) =>
      opened.database.transaction((tx) =>
        followed.appendAll(
          tx,
          names.map((name) => ({ ...note(name), actor: ROBOT })),
        ),
      );
    await write('one', 'two');
    await expect(write('three')).rejects.toThrow('the outbox is full');
    expect(seen).toEqual(['subject one', 'subject two', 'subject three']);
    expect((await followed.head()).seq).toBe(2);
  });

  it('rolls back the entry if the transaction fails after it', async () => {
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
  });

  it('rolls back the work if the entry cannot be written', async () => {
    const lease = { name: 'work', holder: '00000000-0000-4000-8000-000000000000', until: new SystemClock().now() };
    const work = () =>
      opened.database.transaction(async (tx) => {
        await tx.lease.create({ data: lease });
        await journal.append(tx, ROBOT, note('work'));
      });
    await sql('ALTER TABLE "journal_entry" RENAME TO "journal_away"');
    await expect(work()).rejects.toMatchObject(UNAVAILABLE);
    await sql('ALTER TABLE "journal_away" RENAME TO "journal_entry"');
    expect(await opened.database.client.lease.count()).toBe(0);
    await work();
    expect(await opened.database.client.lease.count()).toBe(1);
  });

  it('appends nothing without its head', async () => {
    await append(1);
    await asOwner('DELETE FROM "journal_head"');
    await expect(append(2)).rejects.toMatchObject(UNAVAILABLE);
  });

  it('continues with the next entry only: the head moves to no other place, and no entry is added alone', async () => {
    for (const n of [1, 2, 3]) await append(n);
    const [last] = (await journal.list({ after: 2, limit: 1, order: 'oldest' })).items;
    if (!last) throw new Error('nothing was stored');
    const entry = (seq: number, previous = last.hash) =>
      `INSERT INTO "journal_entry" SELECT ${seq}, "at", "actor_kind", "actor_id", "actor_name", "action", "subject_type",
         "subject_id", "data", '${previous}', 'next' FROM "journal_entry" WHERE "seq" = 3`;
    const NEXT_ONLY = /the journal continues with the next entry only|append-only|journal_head_is_one/;
    for (const statement of [
      'UPDATE "journal_head" SET "seq" = 2',
      'UPDATE "journal_head" SET "seq" = 0',
      'UPDATE "journal_head" SET "seq" = 4',
      'UPDATE "journal_head" SET "seq" = 1000000',
      `UPDATE "journal_head" SET "hash" = '${GENESIS}'`,
      'UPDATE "journal_head" SET "id" = 2',
      'DELETE FROM "journal_head"',
      'TRUNCATE "journal_head"',
      `INSERT INTO "journal_head" VALUES (2, 0, '${GENESIS}')`,
      entry(4),
      entry(5),
      entry(0),
      entry(-1),
      `WITH "added" AS (${entry(4, GENESIS)} RETURNING 1) UPDATE "journal_head" SET "seq" = 4, "hash" = 'next'`,
      `WITH "added" AS (${entry(5)} RETURNING 1) UPDATE "journal_head" SET "seq" = 5, "hash" = 'next'`,
      `WITH "added" AS (${entry(4)} RETURNING 1) UPDATE "journal_head" SET "seq" = 4, "hash" = 'other'`,
    ])
      await expect(sql(statement)).rejects.toThrow(NEXT_ONLY);
    await append(4);
    await append(5);
  });

  it('appends concurrent entries one after another without a gap', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => append(n)));
    const { items } = await journal.list({ after: 0, limit: 50, order: 'oldest' });
    expect(items.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    for (const [n, { previousHash }] of items.entries()) expect(previousHash).toBe(items[n - 1]?.hash ?? GENESIS);
  });

  it('redacts secrets in names and data', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
    await append(1, { reason: `use ${secret}`, deep: [{ text: secret }] }, { ...ROBOT, name: `bot ${secret}` });
    expect(JSON.stringify(await journal.list({ after: 0, limit: 50, order: 'oldest' }))).not.toContain(secret);
    const stored = await opened.database.client.journalEntry.findMany();
    expect(stored[0]?.data).not.toContain(secret);
    expect(stored[0]?.actorName).toMatch(/^bot \[REDACTED:/);
  });

  it('hashes every column that the database has', async () => {
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
      // Every column except `seq` is text by now.
      const changed = { ...unsigned, [field]: field === 'seq' ? 2 : 'changed' } as Omit<ChainEntry, 'hash'>;
      expect([field, entryHash(changed)]).not.toEqual([field, hash]);
    }
  });
});
