import type { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { snapshot } from './database.js';
import { baselineOf, type Query } from './database-reset.js';
import { type LentEmbedded, takeEmbedded } from './embedded-pool.js';

const queryOf =
  (database: PGlite): Query =>
  async <T>(sql: string) =>
    (await database.query<T>(sql)).rows;

const PRINCIPAL = `INSERT INTO principal (id, kind, name, created_at, is_reviewer, is_admin)
  VALUES (gen_random_uuid(), 'agent', 'left by a spec', now(), false, false)`;

describe('a released embedded database', () => {
  it('is reused with only the rows of the migrations', async () => {
    let first = await takeEmbedded(snapshot);
    for (; first.isWorn; first = await takeEmbedded(snapshot)) await first.release();
    const rows = await baselineOf(queryOf(first.database));
    await first.database.exec(`${PRINCIPAL}; ALTER TABLE journal_head DISABLE TRIGGER USER; UPDATE journal_head SET seq = 7;
      ALTER TABLE journal_head ENABLE TRIGGER USER; SET timezone = 'Asia/Tokyo'`);
    await first.release();
    const second = await takeEmbedded(snapshot);
    // Jest would print both whole databases.
    expect(second.database === first.database).toBe(true);
    expect(await baselineOf(queryOf(second.database))).toEqual(rows);
    expect((await second.database.query('SHOW timezone')).rows).not.toEqual([{ TimeZone: 'Asia/Tokyo' }]);
    await second.release();
  });

  it('is not reused after anything other than rows has changed', async () => {
    const first = await takeEmbedded(snapshot);
    await first.database.exec('ALTER TABLE principal RENAME COLUMN name TO called');
    await first.release();
    const second = await takeEmbedded(snapshot);
    expect(second.database === first.database).toBe(false);
    await second.release();
  });
});

describe('a change of the database catalog', () => {
  let opened: LentEmbedded;
  beforeAll(async () => {
    opened = await takeEmbedded(snapshot);
  });
  afterAll(() => opened.release());

  it.each([
    ['a column', 'ALTER TABLE principal ADD COLUMN shoe_size integer'],
    ['a trigger', 'ALTER TABLE proposal DISABLE TRIGGER USER'],
    ['a constraint', 'ALTER TABLE principal ADD CONSTRAINT named CHECK (length(name) > 0)'],
    ['a function', "CREATE FUNCTION answer() RETURNS integer LANGUAGE sql AS 'SELECT 42'"],
    ['a table', 'CREATE TABLE shoes (size integer)'],
    ['a role', 'CREATE ROLE cobbler'],
    ['a policy', 'ALTER TABLE principal ENABLE ROW LEVEL SECURITY'],
    ['a grant', 'GRANT SELECT ON principal TO PUBLIC'],
    ['an index', 'CREATE INDEX by_name_backwards ON principal (reverse(name))'],
    ['a view', 'CREATE VIEW names AS SELECT name FROM principal'],
    ['a setting', 'ALTER DATABASE postgres SET lock_timeout = 1000'],
    ['a comment', "COMMENT ON TABLE principal IS 'worker: everything'"],
  ])('%s counts', async (_change, statement) => {
    const { database } = opened;
    const before = await baselineOf(queryOf(database));
    await database.exec('BEGIN');
    await database.exec(statement);
    const after = await baselineOf(queryOf(database));
    await database.exec('ROLLBACK');
    expect(after.catalog).not.toBe(before.catalog);
    expect(await baselineOf(queryOf(database))).toEqual(before);
  });

  it('a row does not count', async () => {
    const { database } = opened;
    const before = await baselineOf(queryOf(database));
    await database.exec(PRINCIPAL);
    expect((await baselineOf(queryOf(database))).catalog).toBe(before.catalog);
  });
});
