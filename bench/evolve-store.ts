import type pg from 'pg';
import { OBSERVATION_VERSION } from '../src/capture/observations/observation.js';
import { ExecutionReport } from '../src/capture/report/execution-report.schema.js';
import { observeForStorage } from '../src/capture/store/stored-observations.js';
import type { Transcript } from './evolve-fleet.js';

/** A million executions take minutes to store; the progress is printed this often. */
const PROGRESS_EVERY = 250_000;
/** A placeholder: a transcript gets the time of its execution when it is stored. */
const FINISHED = '2026-01-01T00:00:00.000Z';
/** What a report needs beside its calls, so that a cycle can read it. */
const COMPLETED = {
  executionId: 'run',
  taskId: 'task',
  taskTitle: 'Build the site',
  startedAt: FINISHED,
  finishedAt: FINISHED,
  status: 'completed',
  terminationReason: 'done',
  verification: { outcome: 'none' },
  retryCount: 0,
  maxRetries: 0,
} as const;

/**
 * Stores the agents and the transcripts. Every execution is one of the transcripts, observed as the server observes it.
 */
export async function storeFleet(client: pg.Client, fleet: readonly Transcript[], agents: number): Promise<void> {
  await client.query(
    `INSERT INTO "principal" ("id", "kind", "name", "owner", "created_at")
     SELECT md5('agent ' || n)::uuid, 'agent', 'agent ' || n, 'owner ' || n % 200, now() FROM generate_series(0, $1::int - 1) n`,
    [agents],
  );
  await client.query(
    'CREATE UNLOGGED TABLE transcript (n int PRIMARY KEY, report jsonb NOT NULL, body jsonb NOT NULL)',
  );
  const rows = fleet.map(({ calls }, n) => {
    const report = ExecutionReport.parse({ ...COMPLETED, toolCalls: calls });
    const placeholders = { id: '', agentId: '', agentName: '', owner: '', rootExecutionKey: '', origin: '' };
    return { n, report, body: observeForStorage({ ...placeholders, finishedAt: FINISHED, report }).body };
  });
  for (let at = 0; at < rows.length; at += 500)
    await client.query(
      'INSERT INTO transcript SELECT n, report, body FROM jsonb_to_recordset($1::jsonb) AS r(n int, report jsonb, body jsonb)',
      [JSON.stringify(rows.slice(at, at + 500))],
    );
  // Uniform, and the same on every server: these hash functions of PostgreSQL do not change.
  await client.query(`CREATE FUNCTION draw(n bigint, salt bigint) RETURNS float8 LANGUAGE sql IMMUTABLE
    RETURN (hashint8extended(n, salt) & 2147483647)::float8 / 2147483648`);
}

export interface ExecutionRange {
  /** Numbers of the executions, from `from` up to but not including `to`. */
  readonly from: number;
  readonly to: number;
  readonly agents: number;
  /** The executions are spread over this many days before the last hour, as a server receives them; 0: all now. */
  readonly days: number;
}

/**
 * Stores executions with their observations. Three in ten work on a shared task, and one in ten is a sub-agent of the
 * execution before it.
 */
export async function storeExecutions(client: pg.Client, { from, to, agents, days }: ExecutionRange): Promise<void> {
  const step = 50_000;
  for (let at = from; at < to; at += step) {
    await client.query(
      `WITH "run" AS (
         SELECT n, md5('execution ' || n)::uuid AS "id", floor(power(draw(n, 1), 1.5) * $3::int)::int AS "agent",
           now() - (CASE WHEN $4::float8 > 0 THEN interval '1 hour' + ($7::bigint - n - draw(n, 2)) / $6::float8 * $4 * interval '1 day'
                    ELSE interval '0' END) AS "at",
           CASE WHEN draw(n, 3) < 0.3 THEN 'shared ' || floor(power(draw(n, 4), 2) * 20000) ELSE 'own ' || n END AS "task",
           floor(draw(n, 5) * (SELECT count(*) FROM transcript))::int AS "transcript"
         FROM generate_series($1::bigint, $2::bigint - 1) n
       ), "stored" AS (
         INSERT INTO "execution" ("id", "agent_id", "execution_id", "report_sha256", "task_id", "parent_execution_id", "origin",
           "status", "started_at", "finished_at", "received_at", "report", "model", "patterns", "findings", "capture_state",
           "reporter_id", "credential_id")
         SELECT "id", md5('agent ' || "agent")::uuid, 'run-' || r.n, md5('report ' || r.n), 'task-' || r.n,
           CASE WHEN r.n % 10 = 9 THEN 'run-' || (r.n - 1) END, encode(sha256("task"::bytea), 'hex'), 'completed', "at", "at", "at",
           t."report", 'model-' || r.n % 3, '{}', '{}', 'captured', md5('agent ' || "agent")::uuid, md5('agent ' || "agent")::uuid
         FROM "run" r JOIN transcript t ON t.n = r."transcript")
       INSERT INTO "observation" ("execution_id", "version", "body")
       SELECT r."id", $5::int, t."body" || jsonb_build_object('finishedAt', to_char(r."at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
       FROM "run" r JOIN transcript t ON t.n = r."transcript"`,
      [at, Math.min(to, at + step), agents, days, OBSERVATION_VERSION, to - from, to],
    );
    if (at % PROGRESS_EVERY === PROGRESS_EVERY - step)
      console.log(`  ${at + step - from} of ${to - from} executions are stored`);
  }
}

/**
 * Pretends that a day has passed: each size starts with an empty queue, and without recent executions that a cycle
 * would read again. Otherwise the leftovers of the smaller size would be measured with the larger one.
 */
export async function startNewDay(client: pg.Client): Promise<void> {
  // A cycle that begins with the counts of the smaller size does not read executions that are stored as older ones.
  await client.query('DELETE FROM "mining_state"');
  await client.query(
    `UPDATE "execution" SET "received_at" = "received_at" - interval '2 hours' WHERE "received_at" > now() - interval '1 hour'`,
  );
  await client.query(
    `UPDATE "proposal" SET "state" = 'expired', "decided_at" = now(), "updated_at" = now() WHERE "state" = 'pending'`,
  );
}
