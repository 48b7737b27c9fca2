import { PGlite } from '@electric-sql/pglite';
import type { OpenedEmbedded } from '../../src/platform/database/database.js';
import { type Baseline, baselineOf, type Query, resetDatabase } from './database-reset.js';

/** In this thread, unlike a server's, because specs reset it between each other. */
export interface LentEmbedded extends OpenedEmbedded {
  readonly database: PGlite;
  /** It was used so often that it will be closed instead of reused. */
  readonly isWorn: boolean;
}

interface Idle {
  readonly database: PGlite;
  readonly baseline: Baseline;
  readonly uses: number;
}

/**
 * A database that starts from a snapshot runs crash recovery, whose progress timer would keep the process alive. Test data
 * need not survive a crash, so the durability settings are off. The default of 128 MB of buffers would fill up while specs
 * reuse a database, and a process with much memory takes longer to start git.
 */
const SETTINGS = [
  'log_startup_progress_interval=0',
  'synchronous_commit=off',
  'full_page_writes=off',
  'shared_buffers=16MB',
];
const START = [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ['-c', setting])];

/** Specs seldom have more open at once. Each takes about 100 MB. */
const MOST_IDLE = 3;
/** The write-ahead log stays in memory while the database lives. */
const MOST_USES = 40;
const idle: Idle[] = [];

/**
 * Returns a migrated, empty embedded database: one that an earlier spec of this process has released, or a new one from
 * `snapshot`. Opening takes ten times as long as a reset.
 */
export async function takeEmbedded(snapshot: () => Promise<Blob>): Promise<LentEmbedded> {
  for (let used = idle.pop(); used !== undefined; used = idle.pop()) {
    if (await isEmptied(used)) return lend(used);
    await used.database.close();
  }
  const database = await openFrom(await snapshot());
  return lend({ database, baseline: await baselineOf(queryOf(database)), uses: 0 });
}

export function openFrom(snapshot: Blob): Promise<PGlite> {
  return PGlite.create({ loadDataDir: snapshot, startParams: START });
}

function lend({ database, baseline, uses }: Idle): LentEmbedded {
  const isWorn = uses >= MOST_USES;
  return {
    database,
    isWorn,
    release: async () => {
      if (idle.length >= MOST_IDLE || isWorn) return database.close();
      await endTimer(database);
      idle.push({ database, baseline, uses: uses + 1 });
    },
  };
}

/**
 * Ends the timers that PostgreSQL keeps for seconds after a statement, for statistics or an old timeout: they would keep
 * the process alive. Flushing the statistics ends the first without its alarm. A shorter timeout replaces the alarm, and
 * only while the first is not on: a statement that takes longer than its timeout sets the alarm of what is left again.
 */
async function endTimer(database: PGlite): Promise<void> {
  await database.exec('SET statement_timeout = 5');
  await database.exec('SELECT pg_stat_force_next_flush()');
  await database.exec("SELECT pg_stat_force_next_flush(), set_config('statement_timeout', '0', false)");
}

async function isEmptied({ database, baseline }: Idle): Promise<boolean> {
  try {
    // Separate statements: after a failed transaction, ROLLBACK must run alone.
    await database.exec('ROLLBACK');
    await database.exec('DISCARD ALL');
    return await resetDatabase(queryOf(database), baseline);
  } catch {
    return false;
  }
}

const queryOf =
  (database: PGlite): Query =>
  async <T>(sql: string) =>
    (await database.query<T>(sql)).rows;
