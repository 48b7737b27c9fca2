import type pg from 'pg';
import { type OpenPool, openPool } from './database.js';
import { MIGRATIONS, type MigrationState, migrateDeploy, migrationState, requireMigrated } from './migrate.js';
import { connectionSqlClient, type SqlClient } from './sql-client.js';
import { openWorkerPool } from './worker-role.js';
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
