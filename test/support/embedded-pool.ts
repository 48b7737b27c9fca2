import { PGlite } from '@electric-sql/pglite';
import type { OpenedEmbedded } from '../../src/platform/database/database.js';
import { type Baseline, baselineOf, type Query, resetDatabase } from './database-reset.js';

interface Idle {
  readonly database: PGlite;
  readonly baseline: Baseline;
  readonly uses: number;
}

/**
 * A database that starts from a snapshot recovers, as after a crash, and leaves a timer running that reports on it; the
 * process would not end. Nothing here survives a crash, so that nothing is written twice for its sake.
 */
const SETTINGS = ['log_startup_progress_interval=0', 'synchronous_commit=off', 'full_page_writes=off'];
const START = [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ['-c', setting])];

/** A spec seldom has more open at once. Each takes about 100 MB. */
const MOST_IDLE = 3;
/** The log of what was written stays in memory for as long as the database does. */
const MOST_USES = 40;
const idle: Idle[] = [];

/**
 * A migrated, empty embedded database, which is opened from `snapshot` only where no earlier spec of this process left
 * one that is as new: opening takes ten times as long as emptying.
 */
export async function takeEmbedded(snapshot: () => Promise<Blob>): Promise<OpenedEmbedded> {
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

function lend({ database, baseline, uses }: Idle): OpenedEmbedded {
  return {
    database,
    release: async () => {
      if (idle.length >= MOST_IDLE || uses >= MOST_USES) return database.close();
      await endTimer(database);
      idle.push({ database, baseline, uses: uses + 1 });
    },
  };
}

/**
 * PostgreSQL has a timer run for seconds after a statement: to write down its counts, or for a limit long gone. It would
 * keep the process alive. Counts that are written need none, and a shorter limit takes the place of the earlier one.
 */
async function endTimer(database: PGlite): Promise<void> {
  await database.exec('SET statement_timeout = 5');
  await database.exec("SELECT pg_stat_force_next_flush(), set_config('statement_timeout', '0', false)");
}

async function isEmptied({ database, baseline }: Idle): Promise<boolean> {
  try {
    // One at a time: what was left in a transaction that failed cannot run with others.
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
