import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool, PoolClient } from 'pg';
import { sha256 } from '../base/canonical-json.js';
import { messageOf } from '../base/error-text.js';
import { PROJECT_ROOT } from '../config/environment.js';
import { StartError } from '../start/start.errors.js';
import { START_PROBLEMS, type StartProblemCode } from '../start/start-problems.js';

/** The migrations of this version. */
export const MIGRATIONS = join(PROJECT_ROOT, 'prisma', 'migrations');

export type MigrationErrorCode = Extract<StartProblemCode, `migration.${string}`>;

/** The database cannot be migrated to this version. The message tells the operator what to do. */
export class MigrationError extends StartError {
  constructor(
    override readonly code: MigrationErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(code, message, options);
    this.name = 'MigrationError';
  }
}

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

interface AppliedRow {
  readonly migration_name: string;
  readonly checksum: string;
  readonly finished_at: Date | null;
}

/** A migration by its name and the SHA-256 of its file. */
export interface MigrationId {
  readonly name: string;
  readonly checksum: string;
}

export interface MigrationState {
  readonly applied: readonly MigrationId[];
  /** In the order in which they are applied. */
  readonly missing: readonly MigrationId[];
}

/** Table, checksum and lock number of `prisma migrate deploy` (Prisma 7), so that either tool can continue. */
const TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`;
const ADVISORY_LOCK = 72707369;
const LOCK_NOT_AVAILABLE = '55P03';
const NOT_IN_A_TRANSACTION = '25001';

/** Compares the history of the database with the migrations of `dir`, and writes nothing. Throws `MigrationError`. */
export async function migrationState(pool: Pool, dir: string): Promise<MigrationState> {
  const migrations = await readMigrations(dir);
  const { rows } = await pool.query<{ isThere: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS "isThere"`,
  );
  const pending = rows[0]?.isThere === true ? await pendingMigrations(pool, migrations) : migrations;
  const id = ({ name, checksum }: Migration): MigrationId => ({ name, checksum });
  return { applied: migrations.filter((one) => !pending.includes(one)).map(id), missing: pending.map(id) };
}

/** Throws `MigrationError` if the database lacks a migration of `dir`. */
export async function requireMigrated(pool: Pool, dir: string): Promise<void> {
  const { missing } = await migrationState(pool, dir);
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(', ');
  throw new MigrationError('migration.pending', START_PROBLEMS['migration.pending']({ names }));
}

/**
 * Applies the missing migrations of `dir` in the order of their names, or only those that `only` names, and returns the
 * names of the applied ones. Holds one client throughout, because the advisory lock that keeps other processes out
 * belongs to a session. Checks the history before the first change. Throws `MigrationError`.
 */
export async function migrateDeploy(pool: Pool, dir: string, only?: ReadonlySet<string>): Promise<string[]> {
  const migrations = await readMigrations(dir);
  const client = await pool.connect();
  // A session whose connection was cut or that still holds the lock must not return to the pool.
  let broken = true;
  try {
    await lock(client);
    try {
      await client.query(TABLE);
      const missing = await pendingMigrations(client, migrations);
      const pending = missing.filter(({ name }) => only?.has(name) !== false);
      for (const migration of pending) await apply(client, migration);
      return pending.map(({ name }) => name);
    } finally {
      broken = await unlock(client);
    }
  } finally {
    client.release(broken);
  }
}

async function readMigrations(dir: string): Promise<Migration[]> {
  try {
    const entries = await readdir(dir, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    return await Promise.all(names.sort().map((name) => readMigration(dir, name)));
  } catch (error) {
    const message = START_PROBLEMS['migration.unreadable']({ folder: dir, reason: text(error) });
    throw new MigrationError('migration.unreadable', message, { cause: error });
  }
}

async function readMigration(dir: string, name: string): Promise<Migration> {
  const bytes = await readFile(join(dir, name, 'migration.sql'));
  return { name, sql: bytes.toString('utf8'), checksum: sha256(bytes) };
}

async function lock(client: PoolClient): Promise<void> {
  await client.query(`SET lock_timeout = '60s'`);
  try {
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
  } catch (error) {
    if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
    throw new MigrationError('migration.locked', START_PROBLEMS['migration.locked']({}), { cause: error });
  } finally {
    await client.query('RESET lock_timeout');
  }
}

/** Returns true if the session could not release the lock and has to be closed instead. */
async function unlock(client: PoolClient): Promise<boolean> {
  try {
    await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCK]);
    return false;
  } catch {
    return true;
  }
}

async function pendingMigrations(
  client: Pick<PoolClient, 'query'>,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  const { rows } = await client.query<AppliedRow>(
    `SELECT migration_name, checksum, finished_at FROM _prisma_migrations
     WHERE rolled_back_at IS NULL ORDER BY migration_name`,
  );
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const row of rows) checkApplied(row, known.get(row.migration_name));
  const applied = new Set(rows.map((row) => row.migration_name));
  return migrations.filter(({ name }) => !applied.has(name));
}

function checkApplied(row: AppliedRow, migration: Migration | undefined): void {
  const name = row.migration_name;
  if (row.finished_at === null)
    throw new MigrationError('migration.failed_earlier', START_PROBLEMS['migration.failed_earlier']({ name }));
  if (migration === undefined)
    throw new MigrationError('migration.missing', START_PROBLEMS['migration.missing']({ name }));
  if (migration.checksum !== row.checksum)
    throw new MigrationError('migration.edited', START_PROBLEMS['migration.edited']({ name }));
}

/**
 * Runs the SQL and records it in one transaction, so that a failure leaves nothing behind and the next start tries
 * again. Statements that cannot run in a transaction (CREATE INDEX CONCURRENTLY) run without one.
 */
async function apply(client: PoolClient, migration: Migration): Promise<void> {
  try {
    await client.query('BEGIN');
    const id = await recordStart(client, migration);
    await client.query(migration.sql);
    await recordEnd(client, id);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    if (sqlState(error) === NOT_IN_A_TRANSACTION) return applyBare(client, migration);
    const message = START_PROBLEMS['migration.failed']({ name: migration.name, reason: text(error) });
    throw new MigrationError('migration.failed', message, { cause: error });
  }
}

/** As in Prisma, the record comes first, so that a failure half-way stops every later run. */
async function applyBare(client: PoolClient, migration: Migration): Promise<void> {
  const id = await recordStart(client, migration);
  try {
    await client.query(migration.sql);
  } catch (error) {
    await client.query('UPDATE _prisma_migrations SET logs = $2 WHERE id = $1', [id, text(error)]);
    const message = START_PROBLEMS['migration.failed_partly']({ name: migration.name, reason: text(error) });
    throw new MigrationError('migration.failed_partly', message, { cause: error });
  }
  await recordEnd(client, id);
}

async function recordStart(client: PoolClient, { name, checksum }: Migration): Promise<string> {
  const id = randomUUID();
  await client.query('INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)', [
    id,
    checksum,
    name,
  ]);
  return id;
}

async function recordEnd(client: PoolClient, id: string): Promise<void> {
  await client.query(
    'UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1 WHERE id = $1',
    [id],
  );
}

function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function text(error: unknown): string {
  return messageOf(error);
}
