import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServerDatabase } from '../support/server-database.js';

const MAX_FAILED_SESSIONS = 5;

/** One place with its kills: its databases, its folder and what runs on them. */
export interface KillableSession {
  begin(): Promise<void>;
  /** One kill, or several at once. */
  kill(): Promise<{ readonly kills: number; readonly what: string; readonly faults: readonly string[] }>;
  /** After the last kill: the faults of the whole. */
  finish(): Promise<readonly string[]>;
  /** Ends what still runs; also after a failure. */
  end(): Promise<void>;
  /** What its programs said last. */
  readonly log?: string;
}

export interface SessionPlace {
  readonly folder: string;
  /** Empty with the embedded database. */
  readonly urls: readonly string[];
  /** `postgresql 7`: kind and number. */
  readonly seed: string;
  readonly kills: number;
}

export interface KillRun {
  readonly kills: number;
  readonly databases: readonly string[];
  readonly seed: number;
  readonly killsPerSession: number;
  /** Databases of each session, on PostgreSQL. */
  readonly databasesPerSession: number;
  open(place: SessionPlace): KillableSession;
}

/**
 * Runs sessions until the kills are done, and says each kill. A session that fails says its seed and keeps its folder and
 * databases. Alternates between the databases, so that an interrupted run has tested both.
 */
export async function runKillSessions(
  run: KillRun,
): Promise<{ kills: number; failedSessions: number; seconds: number }> {
  const began = performance.now();
  const seconds = (): number => Math.round((performance.now() - began) / 1000);
  const { databases } = run;
  const sessions = Math.max(databases.length, Math.ceil(run.kills / run.killsPerSession));
  let [done, failedSessions] = [0, 0];
  const say = (line: string): void => console.log(`${String(seconds()).padStart(6)} s  ${line}`);
  for (let n = 0; n < sessions && failedSessions < MAX_FAILED_SESSIONS; n += 1) {
    const share = Math.floor((run.kills + n) / sessions);
    const seed = run.seed + Math.floor(n / databases.length);
    if (share === 0) continue;
    const { kills, isWhole } = await runSession(run, databases[n % databases.length] ?? '', seed, share, say);
    done += kills;
    if (!isWhole) failedSessions += 1;
  }
  return { kills: done, failedSessions, seconds: seconds() };
}

async function runSession(
  run: KillRun,
  database: string,
  seed: number,
  share: number,
  say: (line: string) => void,
): Promise<{ kills: number; isWhole: boolean }> {
  const own = database === 'postgresql' ? await databasesOf(run.databasesPerSession) : [];
  const folder = mkdtempSync(join(tmpdir(), 'guildbook-crash-'));
  const urls = own.map(({ url }) => url);
  const session = run.open({ folder, urls, seed: `${database} ${seed}`, kills: share });
  const stop = endOnSignal(session);
  let at = 'the beginning';
  let kills = 0;
  try {
    await session.begin();
    while (kills < share) {
      at = `kill ${kills + 1}`;
      const killed = await session.kill();
      kills += killed.kills;
      at = `kill ${kills}: ${killed.what}`;
      say(`${database}, seed ${seed}, ${at}`);
      if (killed.faults.length > 0) throw new Error(killed.faults.join('\n'));
    }
    at = 'the end';
    const faults = await session.finish();
    if (faults.length > 0) throw new Error(faults.join('\n'));
    await session.end();
    for (const one of own) await one.drop();
    rmSync(folder, { recursive: true });
    return { kills, isWhole: true };
  } catch (error) {
    await session.end();
    console.error(`FAILED: --database ${database} --seed ${seed}, ${at}; kept: ${folder} ${urls.join(' ')}\n${error}`);
    if (session.log) console.error(`the programs said:\n${session.log}`);
    return { kills, isWhole: false };
  } finally {
    stop();
  }
}

async function databasesOf(count: number) {
  const all = await Promise.all(Array.from({ length: count }, () => createServerDatabase()));
  return all.map((one) => {
    if (!one) throw new Error('TEST_DATABASE_URL names no server');
    return one;
  });
}

/** Servers are separate process groups, so a signal to this program has to end them. Returns a function that stops it. */
function endOnSignal(session: KillableSession): () => void {
  const end = (): void => void session.end().finally(() => process.exit(130));
  process.once('SIGINT', end).once('SIGTERM', end);
  return () => process.off('SIGINT', end).off('SIGTERM', end);
}
