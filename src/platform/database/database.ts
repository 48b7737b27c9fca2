import { mkdir } from 'node:fs/promises';
import type { PGlite } from '@electric-sql/pglite';
import { Logger } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { migrateDeploy } from './migrate.js';
import { lockDirectory } from './single-process-lock.js';
import { poolSqlClient, runSqlTransaction, type SqlClient, sqlState } from './sql-client.js';
import { openWorkerPool } from './worker-role.js';

/** What a repository works with: the plain client for a read, or the transaction that a verb opened. */
export type Tx = Prisma.TransactionClient;

export interface DatabaseOptions {
  /** A PostgreSQL URL; without it, the embedded database. */
  readonly url?: string | undefined;
  /** Folder of the embedded database; without it, in memory. */
  readonly dataDir?: string | undefined;
  /** An embedded database that is open already (tests: opening one takes longer than emptying it). */
  readonly opened?: OpenedEmbedded | undefined;
  readonly migrationsDir: string;
}

export interface OpenedEmbedded {
  readonly database: PGlite;
  /** Takes the place of closing it. */
  release(): Promise<void>;
}

/** How many transactions this process has ended, under whichever role. */
interface TransactionCounter {
  count: number;
}

class DatabaseHandle {
  constructor(
    /** Outside a transaction: Prisma's models, and hand-written SQL, which the driver runs. */
    readonly client: PrismaClient,
    private readonly pool: pg.Pool,
    private readonly endedCounter: TransactionCounter,
  ) {}

  /** Another number after every transaction of this process: what was read before may no longer be so. */
  get endedTransactions(): number {
    return this.endedCounter.count;
  }

  /** Runs `work` in one transaction; tried again when PostgreSQL says that two transactions collided. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.attempt(() => this.client.$transaction(work));
  }

  /** The same for a transaction of hand-written statements, each prepared once: where many wait for one another. */
  sqlTransaction<T>(work: (tx: SqlClient) => Promise<T>): Promise<T> {
    return this.attempt(() => runSqlTransaction(this.pool, work));
  }

  private async attempt<T>(transaction: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await transaction();
      } catch (error) {
        if (attempt >= 5 || !isWriteConflict(error)) throw error;
      } finally {
        // Also of one that failed: it may have been committed, and only its answer was lost.
        this.endedCounter.count += 1;
      }
    }
  }
}

/**
 * The database as the proposer and the evolver are given it: on PostgreSQL under a role that can neither decide nor
 * write org memory, whatever they ask for. The embedded database has one session, and so no such role.
 */
export class WorkerDatabase extends DatabaseHandle {
  constructor(
    client: PrismaClient,
    pool: pg.Pool,
    endedCounter: TransactionCounter,
    /** Why the role is not in force; undefined where it is. */
    readonly roleProblem: string | undefined,
  ) {
    super(client, pool, endedCounter);
  }
}

/**
 * One handle for both databases: PGlite in this process, or PostgreSQL, through the same pool, adapter and SQL.
 * A read inside a transaction's callback must use the callback's `tx`: the embedded database has one session, and a
 * second one would wait for the first for ever.
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

  /** Opens and migrates. Throws when a migration is changed, missing or failed, or when the folder is in use. */
  static async open(options: DatabaseOptions): Promise<Database> {
    const { kind, pool, release } = options.url ? openServerPool(options.url) : await openEmbeddedPool(options);
    try {
      const applied = await migrateDeploy(pool, options.migrationsDir);
      const client = createPrismaClient(pool);
      const worker = options.url
        ? await openWorkerPool(pool, options.url)
        : { problem: 'the embedded database has one session' };
      if (options.url && 'problem' in worker)
        new Logger('WorkerDatabase').warn(`the role of background work is not in force: ${worker.problem}`);
      const endedCounter: TransactionCounter = { count: 0 };
      const background = new WorkerDatabase(
        'pool' in worker ? createPrismaClient(worker.pool) : client,
        'pool' in worker ? worker.pool : pool,
        endedCounter,
        'pool' in worker ? undefined : worker.problem,
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

  async ping(): Promise<void> {
    await this.client.$queryRaw`SELECT 1`;
  }

  close(): Promise<void> {
    return this.release();
  }
}

/**
 * Prisma's client, with hand-written SQL by the driver: Prisma's reading of the rows costs more than most queries do.
 * The transactions that it opens keep Prisma's own, since theirs is the connection.
 */
function createPrismaClient(pool: pg.Pool): PrismaClient {
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool),
    // Verbs queue for the embedded database's single session instead of failing after Prisma's two seconds.
    transactionOptions: { maxWait: 60_000, timeout: 60_000 },
  });
  const { $queryRaw, $executeRaw } = poolSqlClient(pool);
  const byDriver = new Map<PropertyKey, unknown>(Object.entries({ $queryRaw, $executeRaw }));
  return new Proxy(prisma, { get: (client, name) => byDriver.get(name) ?? Reflect.get(client, name) });
}

interface OpenPool {
  kind: 'embedded' | 'postgresql';
  pool: pg.Pool;
  release: () => Promise<void>;
}

function openServerPool(url: string): OpenPool {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  // An idle connection that the server ends (a restart, a failover) must not end this process: the pool opens another.
  pool.on('error', (error) => new Logger('Database').warn(`an idle connection was lost: ${error.message}`));
  return { kind: 'postgresql', pool, release: async () => {} };
}

async function openEmbeddedPool({ dataDir, opened }: DatabaseOptions): Promise<OpenPool> {
  const { createPglitePool: poolOver } = await import('./pglite-stream.js');
  const { database, release } = opened ?? (await openEmbedded(dataDir));
  return { kind: 'embedded', pool: poolOver(database), release };
}

async function openEmbedded(dataDir: string | undefined): Promise<OpenedEmbedded> {
  const { PGlite } = await import('@electric-sql/pglite');
  if (dataDir) await mkdir(dataDir, { recursive: true });
  const unlock = dataDir ? await lockDirectory(dataDir) : async () => {};
  const database = await PGlite.create(dataDir ? { dataDir } : {}).catch(async (error: unknown) => {
    await unlock();
    throw error;
  });
  return {
    database,
    release: async () => {
      await database.close();
      await unlock();
    },
  };
}

/** Serialization failures and deadlocks, as PostgreSQL names them. */
const WRITE_CONFLICTS = new Set(['40001', '40P01']);
const UNIQUE_VIOLATION = '23505';

/** Serialization failures and deadlocks; at commit the adapter raises one without Prisma's P2034 code. */
export function isWriteConflict(error: unknown): boolean {
  if (WRITE_CONFLICTS.has(sqlState(error) ?? '')) return true;
  if (error instanceof Prisma.PrismaClientKnownRequestError) return error.code === 'P2034';
  return error instanceof Error && error.message.includes('TransactionWriteConflict');
}

/** True when `error` is a violated unique constraint (the row exists already). */
export function isUniqueViolation(error: unknown): boolean {
  if (sqlState(error) === UNIQUE_VIOLATION) return true;
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
}
