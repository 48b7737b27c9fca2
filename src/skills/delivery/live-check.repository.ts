import { Injectable } from '@nestjs/common';
import { Check } from '../../evidence/predicate/check.schema.js';
import { readRows } from '../../platform/database/damaged-rows.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import type { Support } from './live-check.schema.js';

/** The check of a live skill at its approval, and what cycles found since. */
export interface StoredLiveCheck extends Support {
  readonly memoryId: string;
  readonly skillName: string;
  readonly version: number;
  readonly approved: Check;
  readonly later: Check | null;
  readonly at: Date | null;
}

interface Row extends Omit<StoredLiveCheck, 'approved' | 'later'> {
  readonly approved: unknown;
  readonly later: unknown;
}

@Injectable()
export class LiveCheckRepository {
  /** By memory. A skill that was approved without a check is missing. */
  async of(tx: SqlClient, memoryIds: readonly string[]): Promise<Map<string, StoredLiveCheck>> {
    if (memoryIds.length === 0) return new Map();
    const rows = await tx.$queryRaw<Row[]>`
      SELECT m."id"::text AS "memoryId", m."skill_name" AS "skillName", m."version",
        p."evidence" -> 'check' AS "approved", c."check" AS "later", c."at",
        COALESCE(c."agents", 0) AS "agents", COALESCE(c."owners", 0) AS "owners",
        COALESCE(c."projects", 0) AS "projects", COALESCE(c."tasks", 0) AS "tasks"
      FROM "memory" m JOIN "proposal" p ON p."id" = m."proposal_id" LEFT JOIN "live_check" c ON c."memory_id" = m."id"
      WHERE m."id" = ANY (${[...memoryIds]}::uuid[]) AND m."scope" = 'org' AND p."evidence" -> 'check' IS NOT NULL`;
    const read = readRows('live_check', rows, ({ approved, later, ...row }): [string, StoredLiveCheck] => [
      row.memoryId,
      { ...row, approved: Check.parse(approved), later: later === null ? null : Check.parse(later) },
    ]);
    return new Map(read);
  }

  /** Live versions, and for how many owners they worked later. */
  liveOwners(tx: SqlClient): Promise<{ memoryId: string; owners: number }[]> {
    return tx.$queryRaw`
      SELECT m."id"::text AS "memoryId", COALESCE(c."owners", 0) AS "owners"
      FROM "memory" m LEFT JOIN "live_check" c ON c."memory_id" = m."id"
      WHERE m."scope" = 'org' AND m."superseded_at" IS NULL`;
  }

  /**
   * Those of these versions that a cycle learned from agents of one owner, as every version before. What a person or a file
   * brought in has no such owner. `owner`: null for an agent without one.
   */
  sources(
    tx: SqlClient,
    memoryIds: readonly string[],
  ): Promise<{ memoryId: string; agent: string; owner: string | null }[]> {
    return tx.$queryRaw`
      SELECT m."id"::text AS "memoryId", s."agent", s."owner"
      FROM "memory" m JOIN "proposal" p ON p."id" = m."proposal_id" CROSS JOIN LATERAL (
        SELECT min(one ->> 'agent') AS "agent", min(one ->> 'owner') AS "owner"
        FROM jsonb_array_elements(p."evidence" -> 'seenBy') one
        HAVING count(DISTINCT COALESCE(one ->> 'owner', '')) = 1
      ) s
      WHERE m."id" = ANY (${[...memoryIds]}::uuid[]) AND p."cycle_id" IS NOT NULL AND p."edit" IS NULL
        AND (p."evidence" ->> 'owners')::int = 1
        AND NOT EXISTS (
          SELECT FROM "memory" b JOIN "proposal" q ON q."id" = b."proposal_id"
            LEFT JOIN "live_check" c ON c."memory_id" = b."id"
          WHERE b."scope" = 'org' AND b."skill_name" = m."skill_name" AND b."version" < m."version"
            AND ((q."evidence" ->> 'owners')::int <> 1 OR q."cycle_id" IS NULL OR c."owners" >= 2))`;
  }

  /** Of these versions, those into which another skill was merged. */
  async merged(tx: SqlClient, memoryIds: readonly string[]): Promise<Set<string>> {
    const rows = await tx.$queryRaw<{ memoryId: string }[]>`
      SELECT m."id"::text AS "memoryId" FROM "memory" m WHERE m."id" = ANY (${[...memoryIds]}::uuid[]) AND EXISTS (
        SELECT FROM "proposal" p WHERE p."state" = 'approved' AND p."kind" = 'retire'
          AND p."request" ->> 'reason' = 'merge' AND p."request" #>> '{keep,skillName}' = m."skill_name")`;
    return new Set(rows.map(({ memoryId }) => memoryId));
  }

  /** The agents of these owners, and those of these names that have none. */
  agentsOf(
    tx: SqlClient,
    sources: readonly { readonly agent: string; readonly owner: string | null }[],
  ): Promise<{ id: string; name: string; owner: string | null }[]> {
    const owners = sources.flatMap(({ owner }) => owner ?? []);
    const alone = sources.flatMap(({ agent, owner }) => (owner === null ? [agent] : []));
    return tx.$queryRaw`
      SELECT "id"::text AS "id", "name", "owner" FROM "principal"
      WHERE "kind" = 'agent' AND ("owner" = ANY (${owners}::text[]) OR ("owner" IS NULL AND "name" = ANY (${alone}::text[])))`;
  }

  /** Whether agents of several owners may report. An agent without an owner counts as one. */
  async hasSeveralOwners(tx: SqlClient): Promise<boolean> {
    const rows = await tx.$queryRaw<unknown[]>`
      SELECT DISTINCT COALESCE("owner", "id"::text) FROM "principal"
      WHERE "kind" = 'agent' AND "disabled_at" IS NULL LIMIT 2`;
    return rows.length > 1;
  }

  /** `check`: null leaves the one that counts. */
  async write(
    tx: SqlClient,
    { memoryId, check, agents, owners, projects, tasks }: Support & { memoryId: string; check: Check | null },
    { cycleId, at }: { cycleId: string; at: Date },
  ): Promise<void> {
    const stored = check === null ? null : JSON.stringify(check);
    await tx.$executeRaw`
      INSERT INTO "live_check" AS c ("memory_id", "check", "agents", "owners", "projects", "tasks", "cycle_id", "at")
      VALUES (${memoryId}::uuid, ${stored}::jsonb, ${agents}, ${owners}, ${projects}, ${tasks}, ${cycleId}::uuid, ${at})
      ON CONFLICT ("memory_id") DO UPDATE SET "check" = COALESCE(EXCLUDED."check", c."check"),
        "agents" = EXCLUDED."agents", "owners" = EXCLUDED."owners", "projects" = EXCLUDED."projects",
        "tasks" = EXCLUDED."tasks", "cycle_id" = EXCLUDED."cycle_id", "at" = EXCLUDED."at"`;
  }
}
