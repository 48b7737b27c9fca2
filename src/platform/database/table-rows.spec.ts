import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openWholeDatabase, type TestWholeDatabase } from '../../../test/support/whole-database.js';
import { readRows, readRules, withoutTriggers, writeRows } from './table-rows.js';
import {
  forwardReferences,
  inOrderOfReference,
  type RowSession,
  readSequences,
  readTables,
  setSequences,
} from './whole-database.js';

/** A table of every kind of value that PostgreSQL has and this program may come to use. */
const EVERY_TYPE = `
  CREATE TYPE "Mood" AS ENUM ('fine', 'so so');
  CREATE TABLE "a table" (
    "id" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "parent" bigint REFERENCES "a table", "note" text,
    "twice" text GENERATED ALWAYS AS ("note" || "note") STORED, "bytes" bytea, "at" timestamptz, "local" timestamp,
    "day" date, "share" double precision, "shares" double precision[], "real" real, "exact" numeric, "large" bigint,
    "yes" boolean, "id2" uuid, "json" jsonb, "text json" json, "mood" "Mood", "moods" "Mood"[], "texts" text[],
    "words" tsvector, "wait" interval, "short" varchar(5), "fixed" char(5));
  CREATE TABLE "keyless" ("says" text);
  CREATE SEQUENCE "own numbers" START 41`;
const VALUES = `
  INSERT INTO "a table" ("parent", "note", "bytes", "at", "local", "day", "share", "shares", "real", "exact", "large",
    "yes", "id2", "json", "text json", "mood", "moods", "texts", "words", "wait", "short", "fixed") VALUES
    (2, E'quote " backslash \\\\ tab \\t line \\n e\\u0301 \\U0001F600', '\\x00ff', '2026-03-29 01:30:00.123456+00',
     '2026-03-29 02:30:00.654321', '0044-03-15 BC', 0.1::float8 + 0.2::float8,
     '{1e-300,-0,NaN,Infinity,NULL,0.30000000000000004}', 0.1, 12345678901234567890.12345678901234567890,
     9223372036854775807, true, '00000000-0000-0000-0000-000000000001', '{"b": 1.10, "a": [null, "\\u0001"]}',
     '{ "b":1,  "b":2 }', 'so so', '{fine,"so so",NULL}', '{"a,b",NULL,"c \\"d\\"",""}', 'brown:2 fox:3A', '1 mon -3 h',
     'ab  ', 'ab'),
    (NULL, '', '', 'infinity', NULL, NULL, '-Infinity', '{}', 'NaN', 'NaN', -1, false, NULL, 'null', 'null', NULL, '{}',
     '[2:3]={x,y}', '', NULL, NULL, NULL),
    (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
     NULL, NULL, NULL);
  INSERT INTO "keyless" VALUES ('b'), ('B'), ('a'), ('a'), (NULL);
  SELECT nextval('"own numbers"')`;

async function allRows(session: RowSession): Promise<Map<string, string[]>> {
  const rows = new Map<string, string[]>();
  for (const table of await readTables(session)) {
    const lines: string[] = [];
    for await (const batch of readRows(session, table)) lines.push(...batch);
    rows.set(table.name, lines);
  }
  return rows;
}

describe('rows as text', () => {
  let from: TestWholeDatabase;
  let to: TestWholeDatabase;

  beforeAll(async () => {
    // To the embedded database from the database of this run.
    [from, to] = [await openWholeDatabase(), await openWholeDatabase({ embedded: true })];
    for (const { database } of [from, to]) await database.change(({ query }) => query(EVERY_TYPE));
    await from.database.change(({ query }) => query(VALUES));
  });
  afterAll(async () => {
    await from.close();
    await to.close();
  });

  it('are exact for every type, also with references in a circle, and write themselves again', async () => {
    const rows = await from.database.snapshot(allRows);
    expect(rows.get('a table')).toHaveLength(3);
    expect(rows.get('a table')?.[0]).toContain('2026-03-29 01:30:00.123456+00');
    expect(rows.get('keyless')).toEqual(['["B"]', '["a"]', '["a"]', '["b"]', '[null]']);
    const sequences = await from.database.snapshot(readSequences);
    await to.database.change(async (session) => {
      const tables = await readTables(session);
      await withoutTriggers(session, tables, async () => {
        for (const table of tables) {
          const lines = rows.get(table.name) ?? [];
          // One by one: the parent of the first row comes after it.
          if (table.name !== 'journal_head')
            for (const line of lines) expect(await writeRows(session, table, [line])).toBe(1);
        }
      });
      await setSequences(session, sequences);
    });
    expect(await to.database.snapshot(allRows)).toEqual(rows);
    expect(await to.database.snapshot(readSequences)).toEqual(sequences);
    const [next] = await to.database.change(({ query }) =>
      query(`INSERT INTO "a table" ("note") VALUES ('x') RETURNING "id", "twice", nextval('"own numbers"') AS "n"`),
    );
    expect(next).toMatchObject({ id: '4', twice: 'xx', n: '42' });
  });

  it('are written in vain, and leave every rule in force, if a reference has no row', async () => {
    const rows = await to.database.snapshot(allRows);
    const before = await to.database.snapshot(readRules);
    expect(before.filter(({ state }) => state === 'enabled').length).toBeGreaterThan(40);
    const orphan = to.database.change(async (session) => {
      const tables = await readTables(session);
      const table = tables.find(({ name }) => name === 'a table');
      if (table === undefined) throw new Error('the table is missing');
      const row = JSON.stringify(table.columns.map(({ name }) => ({ id: '70', parent: '80' })[name] ?? null));
      await withoutTriggers(session, tables, async () => {
        await writeRows(session, table, [row]);
      });
    });
    await expect(orphan).rejects.toThrow(/violates foreign key constraint "a table_parent_fkey"/);
    expect(await to.database.snapshot(readRules)).toEqual(before);
    expect(await to.database.snapshot(allRows)).toEqual(rows);
  });

  it('are refused where a trigger is turned off', async () => {
    const writing = to.database.change(async (session) => {
      await session.query('ALTER TABLE "memory" DISABLE TRIGGER memory_org_was_approved');
      await withoutTriggers(session, await readTables(session), async () => undefined);
    });
    await expect(writing).rejects.toThrow('a trigger of the database is disabled');
  });

  it('stay few in memory, however many the table has', async () => {
    await from.database.change(({ query }) =>
      query(`INSERT INTO "keyless" SELECT repeat('x', 100000) FROM generate_series(1, 300)`),
    );
    const sizes: number[] = [];
    await from.database.snapshot(async (session) => {
      const table = (await readTables(session)).find(({ name }) => name === 'keyless');
      if (table !== undefined) for await (const batch of readRows(session, table)) sizes.push(batch.length);
    });
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(305);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(64);
  });
});

describe('the order of tables', () => {
  const table = (name: string, ...references: string[]) => ({
    name,
    columns: [],
    key: [],
    references: references.map((to) => ({ constraint: `${name}_${to}`, table: to })),
  });

  it('puts a table after those that it refers to, and names the references that point forward', () => {
    const ordered = inOrderOfReference([
      table('c', 'b', 'c'),
      table('a', 'd'),
      table('d'),
      table('b', 'a'),
      table('x', 'y'),
      table('y', 'x'),
    ]);
    expect(ordered.map(({ name }) => name)).toEqual(['d', 'a', 'b', 'c', 'x', 'y']);
    expect(forwardReferences(ordered)).toEqual([
      { table: 'c', constraint: 'c_c' },
      { table: 'x', constraint: 'x_y' },
    ]);
  });
});
