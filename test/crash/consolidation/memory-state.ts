import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../src/platform/database/database.js';

/**
 * A lesson, with what replaced it, and its witnesses, or an entry of a session memory. Ids of written lessons differ
 * between databases, so hashes stand for them; no run writes an entry.
 */
interface StateRow {
  readonly agent: string;
  readonly is: string;
}

/** The whole memory of each agent as text, equal if and only if it is the same but for the ids of written lessons. */
export async function memoryOf(database: Database): Promise<Map<string, string>> {
  const rows = await database.client.$queryRaw<StateRow[]>`
    WITH "lesson" AS (
      SELECT m.*, CASE WHEN m."created_by_run_id" IS NULL THEN m."id"::text ELSE 'written' END AS "name",
             (SELECT string_agg(w."execution_id"::text || coalesce(w."session_id", ''), ',' ORDER BY w."execution_id")
                FROM "memory_witness" w WHERE w."memory_id" = m."id") AS "witnesses",
             (SELECT string_agg(s."source_id"::text, ',' ORDER BY s."source_id")
                FROM "memory_source" s WHERE s."memory_id" = m."id") AS "sources"
        FROM "memory" m WHERE m."scope" = 'agent')
    SELECT l."agent_id"::text AS "agent",
           jsonb_build_array(l."name", l."content_sha256", l."superseded_at" IS NULL, l."end_reason",
             l."ended_by_run_id" IS NULL, s."name", s."content_sha256", l."witnesses", l."witness_count",
             l."last_witnessed_at", l."sources", l."provenance", l."failure_key", l."remedy_key", l."created_at",
             l."relevance_count", l."pinned_at")::text AS "is"
      FROM "lesson" l LEFT JOIN "lesson" s ON s."id" = l."superseded_by_id"
    UNION ALL
    SELECT e."agent_id"::text, jsonb_build_array('entry', e."id", e."project", e."session_id", e."kind", e."action",
             e."content_sha256", e."pinned_at", e."written_by", e."created_at", e."updated_at", e."superseded_at" IS NULL,
             e."end_reason", e."superseded_by_id", e."ended_by_run_id" IS NULL)::text
      FROM "memory" e WHERE e."scope" = 'project'`;
  const byAgent = new Map<string, string[]>();
  for (const { agent, is } of rows) byAgent.set(agent, [...(byAgent.get(agent) ?? []), is]);
  return new Map([...byAgent].map(([agent, all]) => [agent, all.sort().join('\n')]));
}

/** The agents of which a run ended entries, by the reason. */
export const agentsWithEndedEntries = (database: Database): Promise<{ reason: string; agents: number }[]> =>
  database.client.$queryRaw<{ reason: string; agents: number }[]>`
    SELECT "end_reason" AS "reason", count(DISTINCT "agent_id")::int AS "agents" FROM "memory"
     WHERE "scope" = 'project' AND "ended_by_run_id" IS NOT NULL GROUP BY "end_reason" ORDER BY "end_reason"`;

export interface RunRow {
  readonly id: string;
  readonly agent: string;
  readonly state: string;
  readonly phase: string | null;
}

export const runsOf = (database: Database): Promise<RunRow[]> => database.client.$queryRaw<RunRow[]>`
  SELECT "id"::text AS "id", "agent_id"::text AS "agent", "state", "phase" FROM "run"
   WHERE "kind" = 'consolidation' AND NOT "dry_run" ORDER BY "started_at", "id"`;

export interface LeaseRow {
  readonly agent: string;
  readonly holder: string;
  readonly until: Date;
}

export const leasesOf = (database: Database): Promise<LeaseRow[]> => database.client.$queryRaw<LeaseRow[]>`
  SELECT substr("name", length('consolidation:') + 1) AS "agent", "holder"::text AS "holder", "until" FROM "lease"
   WHERE "name" LIKE 'consolidation:%'`;

/** Waits until the server has ended the connections of a killed process: it may still commit what it had received. */
export async function connectionsEnded(database: Database, name: string): Promise<void> {
  if (database.kind === 'embedded') return;
  for (;;) {
    const [row] = await database.client.$queryRaw<{ n: number }[]>`
      SELECT count(*)::int AS "n" FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = ${name}`;
    if (row?.n === 0) return;
    await sleep(5);
  }
}
