import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Acknowledged } from './acknowledged.js';

/** The period of the scheduled cycles and upkeep runs, in seconds: divides a minute. */
export const EVERY_S = 10;
/** A job of a killed process starts again within its lease and a tick. */
const JOB_MS = 90_000;

export interface FleetFaults {
  readonly missing: string[];
  readonly doubled: string[];
  readonly jobs: string[];
  readonly other: string[];
}

export const noFleetFaults = (): FleetFaults => ({ missing: [], doubled: [], jobs: [], other: [] });

/** Compares the database with what was acknowledged. Nothing else writes meanwhile, except scheduled jobs. */
export async function fleetFaults(pool: pg.Pool, acknowledged: Acknowledged): Promise<FleetFaults> {
  const faults = noFleetFaults();
  await reportFaults(pool, acknowledged, faults);
  await lessonFaults(pool, acknowledged, faults);
  await learnedFaults(pool, faults);
  await useFaults(pool, acknowledged, faults);
  await startFaults(pool, acknowledged, faults);
  await jobFaults(pool, faults);
  return faults;
}

async function rowsOf<T>(pool: pg.Pool, sql: string, values: unknown[] = []): Promise<T[]> {
  // The caller names the columns of its statement.
  return (await pool.query(sql, values)).rows as T[];
}

/** Each acknowledged report is one execution with one journal entry and, once captured, one observation. */
async function reportFaults(pool: pg.Pool, { reports }: Acknowledged, faults: FleetFaults): Promise<void> {
  const rows = await rowsOf<{ key: string; id: string; n: number; entries: number; state: string; seen: number }>(
    pool,
    `SELECT e."report"->>'taskTitle' AS "key", e."id", e."capture_state"::text AS "state",
       count(*) OVER (PARTITION BY e."report"->>'taskTitle')::int AS "n",
       (SELECT count(*)::int FROM "observation" o WHERE o."execution_id" = e."id") AS "seen",
       (SELECT count(*)::int FROM "journal_entry" j WHERE j."action" = 'execution.reported'
         AND j."subject_type" = 'execution' AND j."subject_id" = e."id"::text) AS "entries"
     FROM "execution" e`,
  );
  const stored = new Map(rows.map((row) => [row.key, row]));
  for (const [key, id] of reports)
    if (stored.get(key)?.id !== id) faults.missing.push(`the report ${key} was acknowledged as ${id}`);
  for (const { key, n, entries, state, seen } of rows) {
    if (n > 1) faults.doubled.push(`${n} executions ${key}`);
    if (entries === 0) faults.missing.push(`no journal entry of the report ${key}`);
    if (entries > 1) faults.doubled.push(`${entries} journal entries of the report ${key}`);
    if (state === 'captured' && seen !== 1) faults.missing.push(`no observation of ${key}`);
    if (state === 'pending') faults.other.push(`the report ${key} waits for its capture`);
  }
}

/** Each lesson that an agent wrote is one memory with one journal entry. Copies for peers have a source. */
async function lessonFaults(pool: pg.Pool, { lessons }: Acknowledged, faults: FleetFaults): Promise<void> {
  const rows = await rowsOf<{ marker: string; id: string; entries: number }>(
    pool,
    `SELECT m."id", substring(m."action" || m."discovery" || m."condition" FROM '\\((note [^)]+)\\)') AS "marker",
       (SELECT count(*)::int FROM "journal_entry" j WHERE j."action" = 'memory.remembered'
         AND j."subject_id" = m."id"::text) AS "entries"
     FROM "memory" m
     WHERE m."scope" = 'agent' AND m."propagated_from_id" IS NULL AND m."created_by_run_id" IS NULL
       AND m."action" || m."discovery" || m."condition" LIKE '%(note %'`,
  );
  const stored = new Map<string, string[]>();
  for (const { marker, id, entries } of rows) {
    stored.set(marker, [...(stored.get(marker) ?? []), id]);
    if (entries === 0) faults.missing.push(`no journal entry of the lesson ${marker}`);
    if (entries > 1) faults.doubled.push(`${entries} journal entries of the lesson ${marker}`);
  }
  for (const [marker, id] of lessons)
    if (!stored.get(marker)?.includes(id)) faults.missing.push(`the lesson ${marker} was acknowledged as ${id}`);
  for (const [marker, ids] of stored)
    if (ids.length > 1) faults.doubled.push(`the lesson ${marker} is stored ${ids.length} times`);
}

/** Each payload became at most one lesson or one witness, and the counts of witnesses are those of their rows. */
async function learnedFaults(pool: pg.Pool, faults: FleetFaults): Promise<void> {
  const waiting = await rowsOf<{ id: string }>(pool, `SELECT "id" FROM "analysis_payload" WHERE "state" = 'pending'`);
  for (const { id } of waiting) faults.other.push(`the payload ${id} waits for its lesson`);
  const learned = await rowsOf<{ execution: string; n: number }>(
    pool,
    `SELECT "data"::json->>'execution' AS "execution", count(*)::int AS "n" FROM "journal_entry"
     WHERE "action" IN ('memory.lesson_extracted', 'memory.lesson_witnessed') GROUP BY 1 HAVING count(*) > 1`,
  );
  for (const { execution, n } of learned) faults.doubled.push(`execution ${execution} was learned from ${n} times`);
  const unlearned = await rowsOf<{ id: string; outcome: string | null }>(
    pool,
    `SELECT p."execution_id" AS "id", p."outcome" FROM "analysis_payload" p WHERE p."state" = 'done'
       AND p."outcome" LIKE 'lesson%' AND NOT EXISTS (SELECT FROM "journal_entry" j
         WHERE j."action" IN ('memory.lesson_extracted', 'memory.lesson_witnessed')
           AND j."data"::json->>'execution' = p."execution_id"::text)`,
  );
  for (const { id } of unlearned) faults.missing.push(`no lesson of execution ${id}`);
  const counts = await rowsOf<{ id: string; witnesses: number; rows: number }>(
    pool,
    `SELECT m."id", m."witness_count" AS "witnesses", count(w.*)::int AS "rows" FROM "memory" m
     JOIN "memory_witness" w ON w."memory_id" = m."id" WHERE m."superseded_at" IS NULL
     GROUP BY m."id", m."witness_count" HAVING m."witness_count" <> count(w.*)`,
  );
  for (const { id, witnesses, rows } of counts)
    faults.other.push(`lesson ${id} says ${witnesses} witnesses and has ${rows}`);
  const twins = await rowsOf<{ agent: string; n: number }>(
    pool,
    `SELECT "agent_id" AS "agent", count(*)::int AS "n" FROM "memory"
     WHERE "failure_key" IS NOT NULL AND "superseded_at" IS NULL AND "propagated_from_id" IS NULL
     GROUP BY "agent_id", "failure_key", "remedy_key" HAVING count(*) > 1`,
  );
  for (const { agent, n } of twins)
    faults.doubled.push(`agent ${agent} has ${n} live lessons of one failure and remedy`);
}

async function useFaults(pool: pg.Pool, { uses }: Acknowledged, faults: FleetFaults): Promise<void> {
  const rows = await rowsOf<{ key: string; n: number }>(
    pool,
    `SELECT "skill_name" || ' ' || "agent_id" AS "key", count(*)::int AS "n" FROM "skill_use"
     WHERE "event" = 'loaded' GROUP BY 1`,
  );
  const stored = new Map(rows.map(({ key, n }) => [key, n]));
  for (const [key, wanted] of uses) {
    const n = stored.get(key) ?? 0;
    if (n < wanted) faults.missing.push(`${n} of ${wanted} uses of ${key}`);
    if (n > wanted) faults.doubled.push(`${n} uses of ${key}, acknowledged were ${wanted}`);
  }
}

/** Every start of a session that was answered with skills has a delivery of each. */
async function startFaults(pool: pg.Pool, { starts }: Acknowledged, faults: FleetFaults): Promise<void> {
  const sessions = new Map<string, number>();
  const delivered = new Map<string, number>();
  for (const { agentId, text } of starts.values()) {
    const skills = [...text.matchAll(/skill \S+ v\d+,/g)].length;
    // The memory of earlier sessions is no delivery.
    if (skills === 0) continue;
    sessions.set(agentId, (sessions.get(agentId) ?? 0) + 1);
    delivered.set(agentId, (delivered.get(agentId) ?? 0) + skills);
  }
  const rows = await rowsOf<{ agent: string; sessions: number; n: number }>(
    pool,
    `SELECT "agent_id" AS "agent", count(DISTINCT "session")::int AS "sessions", count(*)::int AS "n"
     FROM "delivery" WHERE "moment" = 'start' GROUP BY 1`,
  );
  const stored = new Map(rows.map((row) => [row.agent, row]));
  for (const [agent, wanted] of sessions) {
    const { sessions: seen = 0, n = 0 } = stored.get(agent) ?? {};
    if (seen < wanted) faults.missing.push(`agent ${agent} has deliveries in ${seen} sessions of ${wanted}`);
    if (n < (delivered.get(agent) ?? 0))
      faults.missing.push(`agent ${agent} has ${n} deliveries of ${delivered.get(agent)}`);
  }
}

/** One run of each job for each tick of its schedule, and none beside another. */
async function jobFaults(pool: pg.Pool, faults: FleetFaults): Promise<void> {
  for (const [name, table] of [
    ['cycle', '"evolver_cycle"'],
    ['upkeep', `(SELECT * FROM "run" WHERE "kind" = 'upkeep')`],
  ] as const) {
    const twice = await rowsOf<{ tick: Date; n: number }>(
      pool,
      `SELECT to_timestamp(floor(extract(epoch FROM "started_at") / $1) * $1) AS "tick", count(*)::int AS "n"
       FROM ${table} WHERE "trigger" = 'schedule' GROUP BY 1 HAVING count(*) > 1`,
      [EVERY_S],
    );
    for (const { tick, n } of twice) faults.jobs.push(`${name}: ${n} runs for the tick of ${tick.toISOString()}`);
    const beside = await rowsOf<{ id: string; other: string }>(
      pool,
      `SELECT a."id", b."id" AS "other" FROM ${table} a JOIN ${table} b ON a."id" < b."id"
       AND a."started_at" < b."finished_at" AND b."started_at" < a."finished_at"`,
    );
    for (const { id, other } of beside) faults.jobs.push(`${name}: run ${id} beside run ${other}`);
  }
  const proposals = await rowsOf<{ fingerprint: string; n: number }>(
    pool,
    `SELECT "fingerprint", count(*)::int AS "n" FROM "proposal" WHERE "state" = 'pending'
     GROUP BY 1 HAVING count(*) > 1`,
  );
  for (const { fingerprint, n } of proposals) faults.doubled.push(`${n} pending proposals of ${fingerprint}`);
}

/** A scheduled cycle starts after `since`, although a killed process may have held the job. */
export async function cycleFaults(pool: pg.Pool, since: Date): Promise<string[]> {
  for (const until = performance.now() + JOB_MS; performance.now() < until; await sleep(200)) {
    const completed = await rowsOf(
      pool,
      `SELECT FROM "evolver_cycle" WHERE "started_at" > $1 AND "state" = 'completed'`,
      [since],
    );
    if (completed.length > 0) return [];
  }
  return [`no scheduled cycle that started after ${since.toISOString()} completed within ${JOB_MS / 1000} s`];
}
