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
