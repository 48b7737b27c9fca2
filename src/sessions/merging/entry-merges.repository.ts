import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import { EntryKind } from '../entries/session-memory.schema.js';
import type { MergeableEntry } from './mergeable-entry.js';

/** Entries of one project that a run reads, the newest. */
const MOST_READ = 2_000;

const EntryRow = z.object({
  id: z.uuid(),
  kind: EntryKind,
  content: z.string(),
  contentSha256: z.string(),
  pinned: z.boolean(),
  stands: z.boolean(),
  isPersons: z.boolean(),
  createdAt: z.date(),
  lastRecalledAt: z.date().nullable(),
});

/** What must not have changed since the plan. */
export type LockedEntry = Pick<MergeableEntry, 'id' | 'contentSha256' | 'pinned' | 'stands'>;

export interface UndoneEntries {
  readonly restored: number;
  /** Summaries of sessions that have another one by now. They stay ended. */
  readonly skipped: number;
}

/** A live entry that names a run was restored when a person undid that run. */
@Injectable()
export class EntryMergesRepository {
  /** The projects in which an agent has live entries; null: every project. */
  async projects(tx: Tx, agentId: string): Promise<(string | null)[]> {
    const rows = await tx.$queryRaw<{ project: string | null }[]>`
      SELECT DISTINCT "project" FROM "session_entry"
       WHERE "agent_id" = ${agentId}::uuid AND "ended_at" IS NULL ORDER BY "project" NULLS FIRST`;
    return rows.map(({ project }) => project);
  }

  /** The newest live entries of one agent and project. */
  async live(tx: Tx, agentId: string, project: string | null): Promise<MergeableEntry[]> {
    const rows = await tx.$queryRaw<Record<string, unknown>[]>`
      SELECT "id"::text AS "id", "kind", "content", "content_sha256" AS "contentSha256", "pinned",
             "written_by" = 'person' OR "ended_by_run_id" IS NOT NULL AS "stands",
             "written_by" = 'person' AS "isPersons", "created_at" AS "createdAt", "last_recalled_at" AS "lastRecalledAt"
        FROM "session_entry"
       WHERE "agent_id" = ${agentId}::uuid AND "project" IS NOT DISTINCT FROM ${project}::text AND "ended_at" IS NULL
       ORDER BY "created_at" DESC, "id" LIMIT ${MOST_READ}`;
    return readRows('session_entry', rows, (row) => EntryRow.parse(row));
  }

  /** Those of these entries that are live. The caller holds the lock of the agent. */
  async current(tx: Tx, agentId: string, ids: readonly string[]): Promise<Map<string, LockedEntry>> {
    const rows = await tx.$queryRaw<LockedEntry[]>`
      SELECT "id"::text AS "id", "content_sha256" AS "contentSha256", "pinned",
             "written_by" = 'person' OR "ended_by_run_id" IS NOT NULL AS "stands"
        FROM "session_entry"
       WHERE "id" = ANY (${[...ids]}::uuid[]) AND "agent_id" = ${agentId}::uuid AND "ended_at" IS NULL`;
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Compare-and-set: ends live entries of an agent that no person wrote. Returns how many. */
  end(
    tx: Tx,
    agentId: string,
    ids: readonly string[],
    { by, reason, run, at }: { by: string | null; reason: 'merged' | 'pruned'; run: string; at: Date },
  ): Promise<number> {
    return tx.$executeRaw`
      UPDATE "session_entry" SET "ended_at" = ${at}, "end_reason" = ${reason}, "superseded_by_id" = ${by}::uuid,
             "ended_by_run_id" = ${run}::uuid
       WHERE "id" = ANY (${[...ids]}::uuid[]) AND "agent_id" = ${agentId}::uuid AND "ended_at" IS NULL
         AND "written_by" <> 'person'`;
  }

  /** Makes live again what a run ended. A session has one summary: where there is another one, the old one stays ended. */
  async undo(tx: Tx, agentId: string, run: string): Promise<UndoneEntries> {
    const restored = await tx.$executeRaw`
      UPDATE "session_entry" e SET "ended_at" = NULL, "end_reason" = NULL, "superseded_by_id" = NULL
       WHERE e."ended_by_run_id" = ${run}::uuid AND e."agent_id" = ${agentId}::uuid AND e."end_reason" IN ('merged', 'pruned')
         AND NOT (e."kind" = 'session-summary' AND EXISTS (
           SELECT 1 FROM "session_entry" s WHERE s."agent_id" = e."agent_id" AND s."session_id" = e."session_id"
              AND s."kind" = 'session-summary' AND s."ended_at" IS NULL))`;
    return { restored, skipped: await this.endedBy(tx, run) };
  }

  /** How many entries are ended by a run. */
  async endedBy(tx: Tx, run: string): Promise<number> {
    const [row] = await tx.$queryRaw<{ n: number }[]>`
      SELECT count(*)::int AS "n" FROM "session_entry"
       WHERE "ended_by_run_id" = ${run}::uuid AND "end_reason" IN ('merged', 'pruned')`;
    return row?.n ?? 0;
  }

  /** What entries say, ended ones included. One whose text a person deleted is missing. */
  async texts(tx: Tx, agentId: string, ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await tx.sessionEntry.findMany({
      where: { agentId, id: { in: [...ids] }, NOT: { content: '' } },
      select: { id: true, content: true },
    });
    return new Map(rows.map(({ id, content }) => [id, content]));
  }
}
