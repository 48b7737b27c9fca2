import type pg from 'pg';
import { compareText } from '../base/compare-text.js';
import { type OpenPool, openPool, openWorkerPool } from './database.js';
import { MIGRATIONS, type MigrationState, migrateDeploy, migrationState, requireMigrated } from './migrate.js';
import { connectionSqlClient, type SqlClient } from './sql-client.js';
import type { WorkerRoleState } from './worker-role-advice.js';

/** One transaction over all tables. */
export interface RowSession {
  readonly sql: SqlClient;
  /** For statements whose tables come from the catalogue. Only `src/platform` uses it. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/**
 * Values are compared and stored as text, so that their spelling must not depend on a session. A transaction over all
 * rows takes as long as it takes, but waits only seconds for a table that is locked.
 */
const SPELLING = [
  `SET LOCAL "TimeZone" = 'UTC'`,
  `SET LOCAL datestyle = 'ISO, MDY'`,
  `SET LOCAL intervalstyle = 'postgres'`,
  'SET LOCAL extra_float_digits = 3',
  `SET LOCAL bytea_output = 'hex'`,
  'SET LOCAL statement_timeout = 0',
  'SET LOCAL idle_in_transaction_session_timeout = 0',
  `SET LOCAL lock_timeout = '10s'`,
].join('; ');

/** A database without a server on it: for work on all of its rows. */
export class WholeDatabase {
  private constructor(
    private readonly opened: OpenPool,
    private readonly url: string | undefined,
  ) {}

  /** Opens PostgreSQL, or without a URL the embedded database. Throws `DirectoryInUseError` while a server has it. */
  static async open(place: Parameters<typeof openPool>[0]): Promise<WholeDatabase> {
    const database = new WholeDatabase(await openPool(place), place.url);
    try {
      await database.opened.pool.query('SELECT 1');
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  get kind(): 'embedded' | 'postgresql' {
    return this.opened.kind;
  }

  migrationState(): Promise<MigrationState> {
    return migrationState(this.opened.pool, MIGRATIONS);
  }

  /** Throws `MigrationError` if a migration is missing. */
  requireMigrated(): Promise<void> {
    return requireMigrated(this.opened.pool, MIGRATIONS);
  }

  /** Applies what is missing, or only what `only` names. */
  migrate(only?: ReadonlySet<string>): Promise<string[]> {
    return migrateDeploy(this.opened.pool, MIGRATIONS, only);
  }

  /** Installs the role of background work as far as the login may. Undefined if it is in force, or embedded. */
  async workerRoleProblem(): Promise<WorkerRoleState | undefined> {
    if (this.url === undefined) return undefined;
    const worker = await openWorkerPool(this.opened.pool, this.url);
    if ('pool' in worker) {
      await worker.pool.end();
      return undefined;
    }
    const { rows } = await this.opened.pool.query<{ role: string; login: string }>(
      'SELECT worker_role()::text AS "role", current_user::text AS "login"',
    );
    return { role: rows[0]?.role ?? '', login: rows[0]?.login ?? '', problem: worker.problem };
  }

  /** Runs `work` on one unchanging state of all rows, beside a server that goes on writing. */
  snapshot<T>(work: (session: RowSession) => Promise<T>): Promise<T> {
    return this.transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work);
  }

  /** Runs `work` in one transaction: all of it is stored, or nothing. */
  change<T>(work: (session: RowSession) => Promise<T>): Promise<T> {
    return this.transaction('BEGIN', work);
  }

  async close(): Promise<void> {
    await this.opened.pool.end();
    await this.opened.release();
  }

  private async transaction<T>(begin: string, work: (session: RowSession) => Promise<T>): Promise<T> {
    const client = await this.opened.pool.connect();
    let broken = false;
    // The client's own queries fail with this error. Without a listener the process would end.
    const lost = () => {
      broken = true;
    };
    client.on('error', lost);
    try {
      await client.query(`${begin}; ${SPELLING}`);
      const result = await work(sessionOf(client));
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(lost);
      throw error;
    } finally {
      client.off('error', lost);
      client.release(broken);
    }
  }
}

const sessionOf = (client: pg.PoolClient): RowSession => ({
  sql: connectionSqlClient(client),
  query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await client.query<Row>(text, [...values])).rows,
});

interface Column {
  readonly name: string;
  /** As in SQL: `timestamp(3) with time zone`. */
  readonly type: string;
  readonly isText: boolean;
}

/** A table that refers to another one, or to itself. */
interface Reference {
  readonly constraint: string;
  readonly table: string;
}

export interface Table {
  readonly name: string;
  /** Without those that the database computes. */
  readonly columns: readonly Column[];
  /** Names of the columns of the primary key; empty without one. */
  readonly key: readonly string[];
  readonly references: readonly Reference[];
}

export interface Sequence {
  readonly name: string;
  /** Null before the first use. A bigint as text. */
  readonly value: string | null;
}

/**
 * Returns all tables of the schema but the history of migrations, from the catalogue, so that none can be forgotten.
 * Each comes after the tables that it refers to, as far as they do not refer to it.
 */
export async function readTables(session: RowSession): Promise<Table[]> {
  const tables = await session.query<Table>(`
    SELECT c.relname::text AS "name",
      (SELECT coalesce(json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
          'isText', a.attcollation <> 0) ORDER BY a.attnum), '[]')
        FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
      ) AS "columns",
      (SELECT coalesce(json_agg(a.attname ORDER BY k.place), '[]')
        FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY k(attnum, place)
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
        WHERE i.indrelid = c.oid AND i.indisprimary) AS "key",
      (SELECT coalesce(json_agg(json_build_object('constraint', f.conname, 'table', t.relname) ORDER BY f.conname), '[]')
        FROM pg_constraint f JOIN pg_class t ON t.oid = f.confrelid
        WHERE f.conrelid = c.oid AND f.contype = 'f') AS "references"
    FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND c.relname <> '_prisma_migrations'`);
  return inOrderOfReference(tables);
}

/** Orders tables after those that they refer to. In a circle of references the order is that of the names. */
export function inOrderOfReference(tables: readonly Table[]): Table[] {
  const waiting = [...tables].sort((a, b) => compareText(a.name, b.name));
  const ordered: Table[] = [];
  while (waiting.length > 0) {
    const left = new Set(waiting.map(({ name }) => name));
    const isFree = ({ name, references }: Table) => references.every(({ table }) => table === name || !left.has(table));
    const next = Math.max(waiting.findIndex(isFree), 0);
    ordered.push(...waiting.splice(next, 1));
  }
  return ordered;
}

/** The references that do not point back in this order: their rows may arrive before the rows that they refer to. */
export function forwardReferences(ordered: readonly Table[]): { table: string; constraint: string }[] {
  const place = new Map(ordered.map(({ name }, at) => [name, at]));
  return ordered.flatMap(({ name, references }, at) =>
    references
      .filter(({ table }) => (place.get(table) ?? at) >= at)
      .map(({ constraint }) => ({ table: name, constraint })),
  );
}

export function readSequences(session: RowSession): Promise<Sequence[]> {
  return session.query<Sequence>(`
    SELECT sequencename::text AS "name", last_value::text AS "value" FROM pg_sequences
    WHERE schemaname = current_schema() ORDER BY sequencename COLLATE "C"`);
}

/** Continues sequences where those of another database stand. Not undone by a rollback, and repeated by a second try. */
export async function setSequences(session: RowSession, sequences: readonly Sequence[]): Promise<void> {
  for (const { name, value } of sequences)
    if (value !== null)
      await session.query('SELECT setval(quote_ident($1)::regclass, $2::bigint, true)', [name, value]);
}
