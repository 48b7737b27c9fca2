import { Logger } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { messageOf } from '../base/error-text.js';
import { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { count, type Sample } from '../telemetry/metrics.js';
import { poolSamples, timeQueries } from '../telemetry/pool-samples.js';
import { checkDataFolder, createDataFolder, damagedError, lockError } from './data-folder.js';
import { type EmbeddedSession, EmbeddedThread } from './embedded-thread.js';
import { migrateDeploy, requireMigrated } from './migrate.js';
import { openedServer } from './server-check.js';
import { lockDirectory } from './single-process-lock.js';
import { CONNECTING, poolSqlClient, runSqlTransaction, type SqlClient, sqlState } from './sql-client.js';
import { type WorkerRoleState, workerRoleAdvice, workerRoleSql } from './worker-role-advice.js';

/** What a repository works with: the plain client for a read, or the transaction of the calling verb. */
export type Tx = Prisma.TransactionClient;

interface DatabaseOptions {
  /** A PostgreSQL URL. Without it, the embedded database is opened. */
  readonly url?: string | undefined;
  /** Folder of the embedded database. Without it, the database is in memory. */
  readonly dataDir?: string | undefined;
  /** An embedded database that is already open. For tests: opening one takes longer than emptying it. */
  readonly opened?: OpenedEmbedded | undefined;
  readonly migrationsDir: string;
  /** False: applies no migration, and refuses a database that lacks one. */
  readonly migrate?: boolean | undefined;
}

export interface OpenedEmbedded {
  readonly database: EmbeddedSession;
  /** Called instead of closing it. */
  release(): Promise<void>;
}

/** Number of transactions that this process has ended, under either role. */
interface TransactionCounter {
  all: number;
  /** Those with Prisma's models. */
  ofModels: number;
}

class DatabaseHandle {
  constructor(
    /** For use outside a transaction: Prisma's models, and hand-written SQL run by the driver. */
    readonly client: PrismaClient,
    protected readonly pool: pg.Pool,
    private readonly endedCounter: TransactionCounter,
  ) {}

  /** Changes after every transaction of this process: values read before may be outdated. */
  get endedTransactions(): number {
    return this.endedCounter.all;
  }

  /** Changes only after those that could write through Prisma's models: `transaction`, not `sqlTransaction`. */
  get endedModelTransactions(): number {
    return this.endedCounter.ofModels;
  }

  /** Runs `work` in one transaction. Repeats it after a write conflict, up to five attempts. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.attempt(() => this.client.$transaction(work)).finally(() => {
      this.endedCounter.ofModels += 1;
    });
  }

  /**
   * Runs hand-written statements in one transaction, each prepared once. For transactions on which many others wait.
   * Repeats them as `transaction` does.
   */
  sqlTransaction<T>(work: (tx: SqlClient) => Promise<T>): Promise<T> {
    return this.attempt(() => runSqlTransaction(this.pool, work));
  }

  private async attempt<T>(transaction: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await transaction();
      } catch (error) {
        if (!isWriteConflict(error)) throw error;
        count('guildbook_database_conflicts_total', { result: attempt >= 5 ? 'given_up' : 'repeated' });
        if (attempt >= 5) throw error;
      } finally {
        // Counts failed transactions as well: one may have committed although its response was lost.
        this.endedCounter.all += 1;
      }
    }
  }
}

/**
 * The database handle of the proposer and the evolver. On PostgreSQL it uses a role that can neither decide nor write
 * org memory, even if the code tries to. The embedded database has one session and therefore no such role.
 */
export class WorkerDatabase extends DatabaseHandle {
  constructor(
    client: PrismaClient,
    pool: pg.Pool,
    endedCounter: TransactionCounter,
    /** Why the role is not in force; undefined if it is. */
    readonly roleProblem: string | undefined,
    /** What an administrator of the database server runs, so that it is; empty where it cannot be. */
    readonly roleSql: readonly string[],
  ) {
    super(client, pool, endedCounter);
  }

  /** True if the role is not in force: both handles then use the same connections. */
  sharesPool(pool: pg.Pool): boolean {
    return this.pool === pool;
  }

  samples(): Sample[] {
    return poolSamples('worker', this.pool);
  }
}

/**
 * One handle for both databases: PGlite in this process, or PostgreSQL, through the same pool, adapter and SQL. Inside
 * a transaction callback use the callback's `tx` for reads as well: the embedded database has one session, and a second
 * one would wait for the first indefinitely.
 */
export class Database extends DatabaseHandle {
  private constructor(
    readonly kind: 'embedded' | 'postgresql',
    client: PrismaClient,
    pool: pg.Pool,
    endedCounter: TransactionCounter,
    readonly worker: WorkerDatabase,
    readonly appliedMigrations: readonly string[],
    private readonly release: () => Promise<void>,
  ) {
    super(client, pool, endedCounter);
  }

  /**
   * Opens the database and migrates it, unless the options say otherwise. Throws if a migration was changed, is missing or failed, or if the folder is in
   * use.
   */
  static async open(options: DatabaseOptions): Promise<Database> {
    const { kind, pool, release } = await openPool(options);
    try {
      timeQueries(pool);
      const mayMigrate = options.migrate !== false;
      if (!mayMigrate) await requireMigrated(pool, options.migrationsDir);
      const applied = mayMigrate ? await migrateDeploy(pool, options.migrationsDir) : [];
      const client = createPrismaClient(pool);
      const worker = options.url
        ? await openWorkerPool(pool, options.url)
        : { problem: 'the embedded database has one session' };
      if ('role' in worker) new Logger('WorkerDatabase').warn(workerRoleAdvice(worker));
      if ('pool' in worker) timeQueries(worker.pool);
      const endedCounter: TransactionCounter = { all: 0, ofModels: 0 };
      const background = new WorkerDatabase(
        'pool' in worker ? createPrismaClient(worker.pool) : client,
        'pool' in worker ? worker.pool : pool,
        endedCounter,
        'pool' in worker ? undefined : worker.problem,
        'role' in worker ? workerRoleSql(worker) : [],
      );
      return new Database(kind, client, pool, endedCounter, background, applied, async () => {
        await client.$disconnect();
        await background.client.$disconnect();
        if ('pool' in worker) await worker.pool.end();
        await pool.end();
        await release();
      });
    } catch (error) {
      await pool.end();
      await release();
      throw error;
    }
  }

  /** The state of the connections, for metrics. */
  poolSamples(): Sample[] {
    const main = poolSamples('main', this.pool);
    return this.worker.sharesPool(this.pool) ? main : [...main, ...this.worker.samples()];
  }

  async ping(): Promise<void> {
    await this.client.$queryRaw`SELECT 1`;
  }

  close(): Promise<void> {
    return this.release();
  }
}

/**
 * Creates Prisma's client, but runs hand-written SQL with the driver: Prisma's decoding of the rows costs more than
 * most queries. Transactions that the client opens keep Prisma's own methods, because they own the connection.
 */
function createPrismaClient(pool: pg.Pool): PrismaClient {
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool),
    // Verbs wait for the embedded database's single session instead of failing after Prisma's default of two seconds.
    transactionOptions: { maxWait: 60_000, timeout: 60_000 },
  });
  const { $queryRaw, $executeRaw } = poolSqlClient(pool);
  const byDriver = new Map<PropertyKey, unknown>(Object.entries({ $queryRaw, $executeRaw }));
  return new Proxy(prisma, { get: (client, name) => byDriver.get(name) ?? Reflect.get(client, name) });
}

export interface OpenPool {
  readonly kind: 'embedded' | 'postgresql';
  readonly pool: pg.Pool;
  /** Called after the pool has ended. */
  readonly release: () => Promise<void>;
}

/** Opens the database and changes nothing in it. Throws if the folder is in use. */
export async function openPool(options: Omit<DatabaseOptions, 'migrationsDir' | 'migrate'>): Promise<OpenPool> {
  const opened = await (options.url ? openServerPool(options.url) : openEmbeddedPool(options));
  // If an idle connection ends (a restart, a failover, a crash), this process must survive: the pool opens another one.
  opened.pool.on('error', (error) => new Logger('Database').warn(`an idle connection was lost: ${error.message}`));
  return opened;
}

async function openServerPool(url: string): Promise<OpenPool> {
  const pool = await openedServer(url, () => new pg.Pool({ connectionString: url, max: 10, ...CONNECTING }));
  return { kind: 'postgresql', pool, release: async () => {} };
}

async function openEmbeddedPool({ dataDir, opened }: Pick<DatabaseOptions, 'dataDir' | 'opened'>): Promise<OpenPool> {
  const { createPglitePool: poolOver } = await import('./pglite-stream.js');
  const { database, release } = opened ?? (await openEmbedded(dataDir));
  return { kind: 'embedded', pool: poolOver(database), release };
}

async function openEmbedded(dataDir: string | undefined): Promise<OpenedEmbedded> {
  if (dataDir) await createDataFolder(dataDir);
  const unlock = dataDir ? await lockFolder(dataDir) : async () => {};
  try {
    if (dataDir) await checkDataFolder(dataDir);
    const database = await openThread(dataDir);
    return {
      database,
      release: async () => {
        await database.close();
        await unlock();
      },
    };
  } catch (error) {
    await unlock();
    throw error;
  }
}

const openThread = (dataDir: string | undefined): Promise<EmbeddedThread> =>
  EmbeddedThread.open(dataDir || undefined).catch((error: unknown) => {
    throw dataDir ? damagedError(dataDir, error) : error;
  });

const lockFolder = (dataDir: string): ReturnType<typeof lockDirectory> =>
  lockDirectory(dataDir).catch((error: unknown) => {
    throw lockError(dataDir, error);
  });

/** SQLSTATEs of serialization failures and deadlocks. */
const WRITE_CONFLICTS = new Set(['40001', '40P01']);
const UNIQUE_VIOLATION = '23505';

/** True for serialization failures and deadlocks. At commit the adapter raises one without Prisma's code P2034. */
export function isWriteConflict(error: unknown): boolean {
  if (WRITE_CONFLICTS.has(sqlState(error) ?? '')) return true;
  if (error instanceof Prisma.PrismaClientKnownRequestError) return error.code === 'P2034';
  return error instanceof Error && error.message.includes('TransactionWriteConflict');
}

/** True for a violated unique constraint: the row exists already. */
export function isUniqueViolation(error: unknown): boolean {
  if (sqlState(error) === UNIQUE_VIOLATION) return true;
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
}

/** Arbitrary lock number: of two processes that start at once, one installs the role after the other. */
const ADVISORY_LOCK = 72707370;
const CONNECTIONS = 4;

/** A pool whose connections all run under the worker role, or the reason why there is none. */
type WorkerPool = { readonly pool: pg.Pool } | WorkerRoleState;

/**
 * Installs the worker role as far as the tables' owner may, and opens a pool under it. The migrations define the role's
 * name and privileges. The role is a start-up option, so that RESET ROLE returns to it and every connection has it.
 */
export async function openWorkerPool(owner: pg.Pool, url: string): Promise<WorkerPool> {
  let pool: pg.Pool | undefined;
  try {
    const role = await install(owner);
    pool = new pg.Pool({ connectionString: withRole(url, role), max: CONNECTIONS, ...CONNECTING });
    pool.on('error', (error) => new Logger('WorkerDatabase').warn(`an idle connection was lost: ${error.message}`));
    const { rows } = await pool.query<{ problem: string | null }>('SELECT worker_role_problem() AS "problem"');
    const problem = rows[0]?.problem ?? null;
    if (problem === null) return { pool };
    await pool.end();
    return { ...(await namesOf(owner)), problem };
  } catch (error) {
    await pool?.end();
    return { ...(await namesOf(owner)), problem: messageOf(error) };
  }
}

async function namesOf(owner: pg.Pool): Promise<Pick<WorkerRoleState, 'role' | 'login'>> {
  const { rows } = await owner.query<{ role: string; login: string }>(
    'SELECT worker_role()::text AS "role", current_user::text AS "login"',
  );
  return { role: rows[0]?.role ?? '', login: rows[0]?.login ?? '' };
}

async function install(owner: pg.Pool): Promise<string> {
  const client = await owner.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
    await client.query('SELECT worker_role_install()');
    const { rows } = await client.query<{ role: string }>('SELECT worker_role()::text AS "role"');
    await client.query('COMMIT');
    return rows[0]?.role ?? '';
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

/** Returns the URL with the role among the server's start-up options, where spaces and backslashes are escaped. */
export function withRole(url: string, role: string): string {
  const address = new URL(url);
  const existing = address.searchParams.get('options');
  const option = `-c role=${role.replace(/[\\\s]/g, '\\$&')}`;
  address.searchParams.set('options', existing === null ? option : `${existing} ${option}`);
  return address.href;
}
