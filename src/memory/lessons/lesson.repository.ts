import { Injectable } from '@nestjs/common';
import { idRange } from '../../platform/base/id-prefix.js';
import { readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { LessonList, LessonQuery } from '../store/memory.schema.js';
import { toEntry } from '../store/memory-row.js';

/** Stands where the texts of a deleted lesson were. */
const DELETED = '(deleted)';

@Injectable()
export class LessonRepository {
  /** The lessons that match, newest first. A damaged row is left out of its page and does not end the list. */
  async list(tx: Tx, query: LessonQuery): Promise<LessonList> {
    const where = conditionOf(query);
    const rows = await tx.memory.findMany({
      where: { AND: [where, await this.behind(tx, query.after)] },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: query.limit + 1,
    });
    const page = rows.slice(0, query.limit);
    return {
      items: readRows('memory', page, toEntry),
      total: await tx.memory.count({ where }),
      next: rows.length > page.length ? (page.at(-1)?.id ?? null) : null,
    };
  }

  /** Not a cursor of Prisma, which skips a lesson when the last one of the page before no longer matches. */
  private async behind(tx: Tx, id: string | undefined): Promise<Prisma.MemoryWhereInput> {
    const last = id === undefined ? null : await tx.memory.findUnique({ where: { id }, select: { createdAt: true } });
    if (id === undefined || last === null) return {};
    return { OR: [{ createdAt: { lt: last.createdAt } }, { createdAt: last.createdAt, id: { lt: id } }] };
  }

  /** What a correction takes over beside the texts. */
  async originOf(tx: Tx, id: string) {
    const row = await tx.memory.findUniqueOrThrow({
      where: { id },
      select: { kind: true, failureKey: true, remedyKey: true, sessionId: true },
    });
    return {
      kind: row.kind,
      ...(row.failureKey === null ? {} : { failureKey: row.failureKey, remedyKey: row.remedyKey }),
      ...(row.sessionId === null ? {} : { sessionId: row.sessionId }),
    };
  }

  /** The stated owner of an agent. */
  async ownerOf(tx: Tx, agentId: string): Promise<string | null> {
    return (await tx.principal.findUnique({ where: { id: agentId }, select: { owner: true } }))?.owner ?? null;
  }

  /**
   * Ends lessons above the capacity, those retrieved in the fewest sessions first, of them copies from other agents,
   * then the oldest. Returns their ids.
   */
  async evict(
    tx: Tx,
    agentId: string,
    { capacity, written, at }: { readonly capacity: number; readonly written: readonly string[]; readonly at: Date },
  ): Promise<string[]> {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      WITH "above" AS MATERIALIZED (
        SELECT greatest(0, count(*) - ${capacity}::int) AS "n" FROM "memory"
        WHERE "agent_id" = ${agentId}::uuid AND "scope" = 'agent' AND "superseded_at" IS NULL),
      "least" AS (
        SELECT "id" FROM "memory"
        WHERE (SELECT "n" FROM "above") > 0 AND "agent_id" = ${agentId}::uuid AND "scope" = 'agent'
          AND "superseded_at" IS NULL AND "pinned_at" IS NULL AND NOT "awaiting_proposer"
          AND "id" <> ALL (${[...written]}::uuid[])
        ORDER BY "relevance_count", "propagated_from_id" IS NULL, "created_at", "id" LIMIT (SELECT "n" FROM "above"))
      UPDATE "memory" m SET "superseded_at" = ${at}, "end_reason" = 'evicted'
      FROM "least" WHERE m."id" = "least"."id" AND m."superseded_at" IS NULL AND m."pinned_at" IS NULL
      RETURNING m."id"::text AS "id"`;
    return rows.map(({ id }) => id).sort();
  }

  /**
   * Ends entries above `most` of an agent and project: those of the writer that has the most, the one that was recalled
   * longest ago first, one that was never recalled by its date. Returns their ids, and how many are left.
   */
  async evictEntries(
    tx: Tx,
    { agentId, project, most }: { readonly agentId: string; readonly project: string | null; readonly most: number },
    at: Date,
  ): Promise<{ evicted: string[]; left: number }> {
    const where = { scope: 'project' as const, agentId, project, supersededAt: null };
    const live = await tx.memory.count({ where });
    if (live <= most) return { evicted: [], left: live };
    // By its place among those of its writer, each writer has its share: summaries of sessions push out no decisions.
    const rows = await tx.$queryRaw<{ id: string }[]>`
      WITH "least" AS (
        SELECT "id" FROM (
          SELECT "id", coalesce("last_retrieved_at", "created_at") AS "used",
                 row_number() OVER (PARTITION BY "written_by" IN ('rules', 'model'), "written_by" = 'person'
                   ORDER BY coalesce("last_retrieved_at", "created_at") DESC, "id" DESC) AS "place"
            FROM "memory" WHERE "scope" = 'project' AND "agent_id" = ${agentId}::uuid
             AND "project" IS NOT DISTINCT FROM ${project}::text AND "superseded_at" IS NULL AND "pinned_at" IS NULL) e
         ORDER BY "place" DESC, "used", "id" LIMIT ${live - most})
      UPDATE "memory" m SET "superseded_at" = ${at}, "end_reason" = 'capacity' FROM "least" WHERE m."id" = "least"."id"
      RETURNING m."id"::text AS "id"`;
    return { evicted: rows.map(({ id }) => id).sort(), left: live - rows.length };
  }

  /** Erases the texts of an ended lesson and of its copies. The rows stay, with the hash of what they held. */
  async erase(tx: Tx, id: string): Promise<void> {
    await tx.memory.updateMany({
      where: { OR: [{ id }, { propagatedFromId: id }], scope: { notIn: ['org', 'project'] } },
      data: {
        discovery: DELETED,
        condition: DELETED,
        action: DELETED,
        rationale: DELETED,
        steps: [DELETED],
        parts: Prisma.DbNull,
        tags: [],
      },
    });
  }
}

function conditionOf({ id, agent, tag, provenance, scope, category, state }: LessonQuery): Prisma.MemoryWhereInput {
  return {
    scope,
    ...(id ? { id: idRange(id) } : {}),
    ...(agent ? { agentId: agent } : {}),
    ...(tag ? { OR: [{ tags: { has: tag } }, { controlTags: { has: tag } }] } : {}),
    ...(provenance ? { provenance } : {}),
    ...(category ? { category } : {}),
    ...(state === 'all' ? {} : { supersededAt: state === 'live' ? null : { not: null } }),
  };
}
