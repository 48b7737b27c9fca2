import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ScratchPool, scratchPool } from '../../../test/support/scratch-pool.js';
import { migrateDeploy, migrationState, requireMigrated } from './migrate.js';

const SHELF = 'CREATE TABLE shelf (id int PRIMARY KEY);';
const BOOK = `
  CREATE TABLE book (id int PRIMARY KEY, shelf int REFERENCES shelf);
  CREATE FUNCTION book_kept() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN RAISE EXCEPTION 'a book is kept; always'; END $$;
  CREATE TRIGGER book_kept BEFORE DELETE ON book FOR EACH ROW EXECUTE FUNCTION book_kept();`;

describe('migrateDeploy', () => {
  let scratch: ScratchPool;
  let dir: string;

  beforeAll(async () => {
    scratch = await scratchPool();
  });
  afterAll(() => scratch.close());
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'guildbook-migrate-'));
    await scratch.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await writeFile(join(dir, 'migration_lock.toml'), 'provider = "postgresql"\n');
    await migration('1_shelf', SHELF);
  });
  afterEach(() => rm(dir, { recursive: true }));

  const migrate = () => migrateDeploy(scratch.pool, dir);
  const migration = async (name: string, sql: string) => {
    await mkdir(join(dir, name), { recursive: true });
    await writeFile(join(dir, name, 'migration.sql'), sql);
  };
  const records = async () => {
    const { rows } = await scratch.pool.query<{ name: string; finished: boolean; logs: string | null }>(
      `SELECT migration_name AS name, finished_at IS NOT NULL AS finished, logs FROM _prisma_migrations ORDER BY 1`,
    );
    return rows;
  };
  const tables = async () => {
    const { rows } = await scratch.pool.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables
       WHERE table_schema = 'public' AND table_name <> '_prisma_migrations' ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  };

  it('applies missing migrations in the order of their names, and nothing the second time', async () => {
    await migration('2_book', BOOK);
    expect(await migrate()).toEqual(['1_shelf', '2_book']);
    expect(await migrate()).toEqual([]);
    await migration('3_index', 'CREATE INDEX book_shelf ON book (shelf);');
    expect(await migrate()).toEqual(['3_index']);
    expect(await records()).toEqual([
      { name: '1_shelf', finished: true, logs: null },
      { name: '2_book', finished: true, logs: null },
      { name: '3_index', finished: true, logs: null },
    ]);
  });

  it('names what is missing without a change, and applies only what is named', async () => {
    await migration('2_book', BOOK);
    const { applied, missing } = await migrationState(scratch.pool, dir);
    expect([applied.map(({ name }) => name), missing.map(({ name }) => name)]).toEqual([[], ['1_shelf', '2_book']]);
    await expect(requireMigrated(scratch.pool, dir)).rejects.toThrow(
      /lacks the migrations 1_shelf, 2_book,.*guildbook migrate/,
    );
    expect((await scratch.pool.query(`SELECT to_regclass('_prisma_migrations') AS "table"`)).rows).toEqual([
      { table: null },
    ]);
    expect(await migrateDeploy(scratch.pool, dir, new Set(['1_shelf']))).toEqual(['1_shelf']);
    expect(await tables()).toEqual(['shelf']);
    expect((await migrationState(scratch.pool, dir)).missing.map(({ name }) => name)).toEqual(['2_book']);
    await migrate();
    await requireMigrated(scratch.pool, dir);
    await migration('1_shelf', `${SHELF} -- edited`);
    await expect(migrationState(scratch.pool, dir)).rejects.toThrow(/1_shelf was edited/);
  });

  it('rolls back a migration that fails half-way and applies it once it is corrected', async () => {
    await migration('2_book', `${BOOK} CREATE TABLE shelf (id int);`);
    await expect(migrate()).rejects.toMatchObject({
      code: 'migration.failed',
      message: expect.stringMatching(/2_book failed and was rolled back \(.*"shelf" already exists/),
    });
    expect(await tables()).toEqual(['shelf']);
    expect(await records()).toEqual([{ name: '1_shelf', finished: true, logs: null }]);
    await migration('2_book', BOOK);
    expect(await migrate()).toEqual(['2_book']);
  });

  it('runs and records a statement that cannot run in a transaction', async () => {
    await migration('2_index', 'CREATE INDEX CONCURRENTLY shelf_id ON shelf (id);');
    expect(await migrate()).toEqual(['1_shelf', '2_index']);
    expect(await migrate()).toEqual([]);
  });

  it('stops at a statement that failed outside a transaction, and at every later start', async () => {
    await migration('2_index', 'CREATE INDEX CONCURRENTLY shelf_id ON shelf (no_such_column);');
    await expect(migrate()).rejects.toMatchObject({ code: 'migration.failed_partly' });
    expect(await records()).toContainEqual({
      name: '2_index',
      finished: false,
      logs: expect.stringContaining('no_such_column'),
    });
    await expect(migrate()).rejects.toMatchObject({
      code: 'migration.failed_earlier',
      message: expect.stringContaining(`SET finished_at = now() WHERE migration_name = '2_index'`),
    });
    await scratch.pool.query(`UPDATE _prisma_migrations SET finished_at = now() WHERE migration_name = '2_index'`);
    expect(await migrate()).toEqual([]);
  });

  it('retries a failed migration after it was recorded as rolled back', async () => {
    await migrate();
    await scratch.pool.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, rolled_back_at) VALUES ('x', 'x', '2_book', now())`,
    );
    await migration('2_book', BOOK);
    expect(await migrate()).toEqual(['2_book']);
  });

  it('rejects a migration that was edited after it was applied, before changing anything', async () => {
    await migrate();
    await migration('1_shelf', `${SHELF} -- now different`);
    await migration('2_book', BOOK);
    await expect(migrate()).rejects.toMatchObject({
      code: 'migration.edited',
      message: expect.stringContaining('1_shelf was edited'),
    });
    expect(await tables()).toEqual(['shelf']);
  });

  it('rejects a database that a newer version has migrated', async () => {
    await migration('2_book', BOOK);
    await migrate();
    await rm(join(dir, '2_book'), { recursive: true });
    await expect(migrate()).rejects.toMatchObject({
      code: 'migration.missing',
      message: expect.stringContaining('2_book, which this version does not know'),
    });
  });

  it('reports an incomplete installation if the folder or the SQL of a migration is missing', async () => {
    await mkdir(join(dir, '2_empty'));
    await expect(migrate()).rejects.toMatchObject({ code: 'migration.unreadable' });
    await expect(migrateDeploy(scratch.pool, join(dir, 'nowhere'))).rejects.toMatchObject({
      code: 'migration.unreadable',
    });
  });

  it('applies each migration once when several processes start together', async () => {
    await migration('2_book', BOOK);
    const applied = await Promise.all([migrate(), migrate(), migrate(), migrate()]);
    expect(applied.flat()).toEqual(['1_shelf', '2_book']);
    expect(await records()).toHaveLength(2);
  });
});
