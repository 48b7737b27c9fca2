import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { Prisma } from '../generated/prisma/client.js';
import { isUniqueViolation, isWriteConflict } from './database.js';
import { sqlState } from './sql-client.js';

describe('a transaction of hand-written statements', () => {
  let opened: TestDatabase;

  beforeAll(async () => {
    opened = await openTestDatabase();
    await opened.database.client.$executeRaw`CREATE TABLE "note" ("id" int PRIMARY KEY, "says" text NOT NULL)`;
  });
  afterAll(async () => {
    await opened.database.close();
    await opened.drop();
  });

  const notes = () => opened.database.client.$queryRaw`SELECT "id", "says" FROM "note" ORDER BY "id"`;

  it('reads and writes values as Prisma does in any time zone of this machine', async () => {
    const at = new Date('2026-03-29T01:30:00.123Z');
    const row = Prisma.sql`
      SELECT ${at}::timestamptz AS "at", ${['a', null, 'b "c" \\']}::text[] AS "texts", 7::bigint AS "large", 7 AS "small",
        0.5::float8 AS "share", ${JSON.stringify({ deep: ['1'] })}::jsonb AS "json", NULL::text AS "nothing",
        '00000000-0000-0000-0000-000000000001'::uuid AS "id", ${true}::boolean AS "yes",
        sum(7::bigint) AS "sum", '2026-03-29'::date AS "day", '2026-03-29 02:30'::timestamp AS "local",
        ${Buffer.from('raw')}::bytea AS "bytes"`;
    const reads = await opened.database.sqlTransaction((tx) => tx.$queryRaw<object[]>(row));
    const byPrisma = await opened.database.transaction((tx) => tx.$queryRaw<object[]>(row));
    const plain = (rows: object[]) => rows.map((one) => ({ ...one, bytes: Buffer.from(Object(one).bytes).toString() }));
    expect(plain(reads)).toEqual(plain(byPrisma));
    expect(reads).toEqual(await opened.database.client.$queryRaw(row));
    expect(reads).toMatchObject([{ at, large: 7n, texts: ['a', null, 'b "c" \\'] }]);
  });

  it('outside a transaction uses the driver: Prisma decodes none of a hundred thousand rows', async () => {
    const query = jest.spyOn(pg.Pool.prototype, 'query');
    const rows = await opened.database.client.$queryRaw<{ n: bigint }[]>`
      SELECT n::bigint AS "n" FROM generate_series(1, ${100_000}::int) n`;
    expect(rows).toHaveLength(100_000);
    expect(rows.at(-1)).toEqual({ n: 100_000n });
    // The same array, not a copy of it.
    const answers: unknown[] = await Promise.all(query.mock.results.map(({ value }) => value));
    expect(answers).toEqual([expect.objectContaining({ rowCount: 100_000 })]);
    expect(Object(answers[0]).rows).toBe(rows);
    query.mockRestore();
  });

  it('returns the number of changed rows and commits the changes', async () => {
    const changed = await opened.database.sqlTransaction(async (tx) => {
      await tx.$executeRaw`INSERT INTO "note" SELECT n, 'first' FROM generate_series(1, ${3}::int) n`;
      return tx.$executeRaw`UPDATE "note" SET "says" = ${'second'} WHERE "id" > ${1}::int`;
    });
    expect(changed).toBe(2);
    expect(await notes()).toEqual([
      { id: 1, says: 'first' },
      { id: 2, says: 'second' },
      { id: 3, says: 'second' },
    ]);
  });

  it('rolls back when the work fails and returns the connection', async () => {
    const before = await notes();
    const failing = opened.database.sqlTransaction(async (tx) => {
      await tx.$executeRaw`DELETE FROM "note"`;
      throw new Error('after all');
    });
    await expect(failing).rejects.toThrow('after all');
    expect(await notes()).toEqual(before);
    const twice = opened.database.sqlTransaction((tx) => tx.$executeRaw`INSERT INTO "note" VALUES (1, 'again')`);
    const error = await twice.catch((caught: unknown) => caught);
    expect(isUniqueViolation(error)).toBe(true);
    expect(isWriteConflict(error)).toBe(false);
    expect(await notes()).toEqual(before);
  });

  const raising = (condition: 'serialization_failure' | 'deadlock_detected') =>
    Prisma.raw(`DO $$ BEGIN RAISE EXCEPTION 'collided' USING ERRCODE = '${condition}'; END $$`);

  it.each([
    ['sqlTransaction', 'serialization_failure'],
    ['sqlTransaction', 'deadlock_detected'],
    ['transaction', 'serialization_failure'],
    ['transaction', 'deadlock_detected'],
  ] as const)('is repeated in a %s after a %s', async (kind, condition) => {
    let attempts = 0;
    const done = await opened.database[kind](async (tx) => {
      attempts += 1;
      if (attempts < 3) await tx.$executeRaw(raising(condition));
      return 'done';
    });
    expect({ done, attempts }).toEqual({ done: 'done', attempts: 3 });
  });

  it('learns by Prisma as by the driver that a row exists', async () => {
    const [{ id } = { id: 0 }] = await opened.database.client.$queryRaw<{ id: number }[]>`SELECT "id" FROM "note"`;
    for (const kind of ['sqlTransaction', 'transaction'] as const) {
      const again = opened.database[kind]((tx) => tx.$executeRaw`INSERT INTO "note" VALUES (${id}::int, 'again')`);
      expect(await again.catch(isUniqueViolation)).toBe(true);
    }
  });

  it('is given up after five conflicts', async () => {
    const raise = raising('serialization_failure');
    const always = opened.database.sqlTransaction((tx) => tx.$executeRaw(raise)).catch(sqlState);
    expect(await always).toBe('40001');
  });

  it('counts as an ended transaction, so that caches read again', async () => {
    const { endedTransactions: ended } = opened.database;
    await opened.database.sqlTransaction((tx) => tx.$queryRaw`SELECT 1`);
    expect(opened.database.endedTransactions).toBe(ended + 1);
  });

  it('plans a statement once per connection', async () => {
    const prepared = () =>
      opened.database.sqlTransaction(async (tx) => {
        await tx.$queryRaw`SELECT 'planned once' AS "says"`;
        const [row] = await tx.$queryRaw<{ n: bigint }[]>`
          SELECT count(*) AS "n" FROM pg_prepared_statements WHERE "statement" LIKE '%planned once%says%'`;
        return row?.n;
      });
    // This query contains the words as well and is planned once, too.
    const first = await prepared();
    expect(await prepared()).toBe(first);
    expect(Number(first)).toBeLessThanOrEqual(2);
  });
});
