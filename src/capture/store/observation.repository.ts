import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';
import { OBSERVATION_VERSION } from '../observations/observation.js';
import { isCopy, SUPERSEDES } from './lineage.repository.js';
import type { StoredObservations } from './stored-observations.js';

export interface ExecutionRow {
  readonly id: string;
  readonly agentId: string;
  readonly origin: string;
  readonly executionId: string;
  readonly parentExecutionId: string | null;
  readonly receivedAt: Date;
  /**
   * {@link StoredObservations} as JSON text; null if capture has not observed the execution or used other rules. Text,
   * because the parsed objects of a whole page would outlive the young generation and grow the heap.
   */
  readonly body: string | null;
}

export interface AgentRow {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
}

/**
 * The columns of {@link ExecutionRow}. Agents are not joined: PostgreSQL would hash ten thousand of them for every
 * page.
 */
const EXECUTION_COLUMNS = Prisma.sql`e."id", e."agent_id" AS "agentId", e."origin", e."execution_id" AS "executionId",
  e."parent_execution_id" AS "parentExecutionId", e."received_at" AS "receivedAt", o."body"::text AS "body"`;

export interface PageCursor {
  readonly receivedAt: Date;
  readonly id: string;
}

/** Reads executions with their observations page by page, without their reports. */
@Injectable()
export class ObservationRepository {
  async upsert(
    tx: Tx,
    observed: readonly { readonly executionId: string; readonly body: Sanitized<StoredObservations> }[],
  ): Promise<void> {
    if (observed.length === 0) return;
    const rows = observed.map(({ executionId, body }) => ({ executionId, body }));
    await tx.$executeRaw`
      INSERT INTO "observation" ("execution_id", "version", "body")
      SELECT "executionId", ${OBSERVATION_VERSION}, "body"
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r("executionId" uuid, "body" jsonb)
      ON CONFLICT ("execution_id") DO UPDATE SET "version" = excluded."version", "body" = excluded."body"
      WHERE "observation"."version" <> excluded."version" OR "observation"."body" <> excluded."body"`;
  }

  /** The executions received after `after` and up to `to`, oldest first, without copies of others. */
  findPage(tx: SqlClient, after: PageCursor, to: Date, limit: number): Promise<ExecutionRow[]> {
    return tx.$queryRaw`
      SELECT ${EXECUTION_COLUMNS}
      FROM (SELECT * FROM "execution"
            WHERE ("received_at", "id") > (${after.receivedAt}::timestamptz, ${after.id}::uuid)
              AND "received_at" <= ${to}::timestamptz AND NOT ${isCopy(Prisma.sql`"execution"`)}
            ORDER BY "received_at", "id" LIMIT ${limit}) e
      LEFT JOIN "observation" o ON o."execution_id" = e."id" AND o."version" = ${OBSERVATION_VERSION}
      ORDER BY e."received_at", e."id"`;
  }

  findByIds(tx: SqlClient, ids: readonly string[]): Promise<ExecutionRow[]> {
    return tx.$queryRaw`
      SELECT ${EXECUTION_COLUMNS} FROM "execution" e
      LEFT JOIN "observation" o ON o."execution_id" = e."id" AND o."version" = ${OBSERVATION_VERSION}
      WHERE e."id" = ANY(${[...ids]}::uuid[])`;
  }

  /**
   * All agents with their current names and owners, or only those with these ids. All spellings of an owner, see
   * `owner_key`, are one; an agent without a stated owner is its own.
   */
  findAgents(tx: SqlClient, ids?: readonly string[]): Promise<AgentRow[]> {
    const which = ids ? Prisma.sql`"id" = ANY(${[...ids]}::uuid[])` : Prisma.sql`"kind" = 'agent'`;
    return tx.$queryRaw`
      WITH spelled AS (
        SELECT "owner", owner_key("owner") AS "key" FROM "principal" WHERE "kind" = 'agent' AND "owner" IS NOT NULL GROUP BY "owner"),
      owners AS (SELECT "owner" AS "spelled", min("owner" COLLATE "C") OVER (PARTITION BY "key") AS "owner" FROM spelled)
      SELECT p."id", p."name", coalesce(o."owner", p."id"::text) AS "owner"
        FROM "principal" p LEFT JOIN owners o ON o."spelled" = p."owner" WHERE ${which}`;
  }

  /**
   * Executions that were received after the given one and had one of the patterns, among the `limit` newest. Returns
   * the last state of each session and leaves out the session of the given execution.
   */
  findLaterOccurrences(
    tx: Tx,
    patterns: readonly string[],
    executionId: string,
    limit: number,
  ): Promise<{ id: string; session: string }[]> {
    return tx.$queryRaw`
      SELECT DISTINCT ON ("session") "id"::text AS "id",
             "agent_id" || ':' || coalesce("session_id", "id"::text) AS "session" FROM (
        SELECT e.* FROM "execution" e JOIN "execution" s ON s."id" = ${executionId}::uuid
         WHERE e."patterns" && ${[...patterns]}::text[] AND e."received_at" > s."received_at" AND e."id" <> s."id"
           AND (e."session_id" IS NULL OR s."session_id" IS NULL OR e."agent_id" <> s."agent_id"
                OR e."session_id" <> s."session_id")
         ORDER BY e."received_at" DESC, e."id" LIMIT ${limit}) "later"
       ORDER BY "session", "finished_at" DESC, "received_at" DESC`;
  }

  /** The ancestors of these executions, up to `depth` levels, also those received before the window. */
  findAncestors(tx: SqlClient, executionIds: readonly string[], depth: number): Promise<ExecutionParent[]> {
    return tx.$queryRaw`
      WITH RECURSIVE "ancestor" AS (
        SELECT p."execution_id", p."agent_id", p."parent_execution_id", 1 AS "level"
        FROM "execution" p WHERE p."execution_id" = ANY(${[...executionIds]}::text[])
        UNION
        SELECT p."execution_id", p."agent_id", p."parent_execution_id", c."level" + 1
        FROM "ancestor" c JOIN "execution" p ON p."execution_id" = c."parent_execution_id"
        WHERE c."level" < ${depth})
      SELECT DISTINCT "execution_id" AS "executionId", "agent_id" AS "agentId",
             "parent_execution_id" AS "parentExecutionId"
      FROM "ancestor" ORDER BY 1, 2`;
  }

  /** The descendants of the executions received since `since`: their root may have changed. */
  async findDescendantsSince(tx: Tx, since: Date, depth: number): Promise<string[]> {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      WITH RECURSIVE "descendant" AS (
        SELECT c."id", c."execution_id", 1 AS "level"
        FROM "execution" p JOIN "execution" c ON c."parent_execution_id" = p."execution_id"
        WHERE p."received_at" >= ${since}
        UNION
        SELECT c."id", c."execution_id", p."level" + 1
        FROM "descendant" p JOIN "execution" c ON c."parent_execution_id" = p."execution_id"
        WHERE p."level" < ${depth})
      SELECT DISTINCT "id" FROM "descendant"`;
    return rows.map(({ id }) => id);
  }

  /** The executions that a later report of the same session supersedes, if one of the two was received since `since`. */
  async findSupersededSince(tx: Tx, since: Date): Promise<Set<string>> {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT e."id" FROM "execution" l JOIN "execution" e ON e."session_id" = l."session_id"
       WHERE l."received_at" >= ${since} AND ${SUPERSEDES}
      UNION
      SELECT e."id" FROM "execution" e JOIN "execution" l ON l."session_id" = e."session_id"
       WHERE e."received_at" >= ${since} AND ${SUPERSEDES}`;
    return new Set(rows.map(({ id }) => id));
  }

  /** Whether the calls that count in an execution have changed since `since`. */
  async hasRecaptured(tx: Tx, since: Date): Promise<boolean> {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT "id"::text AS "id" FROM "execution" WHERE "recaptured_at" >= ${since} LIMIT 1`;
    return rows.length > 0;
  }
}

export interface ExecutionParent {
  readonly executionId: string;
  readonly agentId: string;
  readonly parentExecutionId: string | null;
}
