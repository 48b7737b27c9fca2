import { Injectable } from '@nestjs/common';
import { idRange } from '../../platform/base/id-prefix.js';
import { readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { LessonList, LessonQuery } from '../store/memory.schema.js';
import { toEntry } from '../store/memory-row.js';
import type { KeptNote, NoteQuestion } from './kept-note.js';

/** Stands where the texts of a deleted lesson were. */
const DELETED = '(deleted)';

/** A live lesson or entry of an agent, and the agent's stated owner. */
export interface KeptMemory {
  readonly agentId: string;
  readonly owner: string | null;
  readonly contentSha256: string;
}

/** The run of an upkeep or a consolidation, and the agent whose memory it changes. */
export interface AgentRun {
  readonly run: string;
  readonly agentId: string;
}

/** A memory to end, why, and the one that replaces it. */
export interface EndedMemory {
  readonly id: string;
  readonly why: string;
  readonly by?: string;
}

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
    if (id === undefined) return {};
    const last = await tx.memory.findUnique({ where: { id }, select: { createdAt: true } });
    // As in the other lists, nothing is behind a lesson that was never there.
    if (last === null) return { id: { in: [] } };
    return { OR: [{ createdAt: { lt: last.createdAt } }, { createdAt: last.createdAt, id: { lt: id } }] };
  }

  /** A live lesson or entry, as far as the right to change it goes. */
  async kept(tx: Tx, id: string, scope: 'agent' | 'project'): Promise<KeptMemory | undefined> {
    const [row] = await tx.$queryRaw<KeptMemory[]>`
      SELECT m."agent_id"::text AS "agentId", p."owner", m."content_sha256" AS "contentSha256"
        FROM "memory" m JOIN "principal" p ON p."id" = m."agent_id"
       WHERE m."id" = ${id}::uuid AND m."scope" = ${scope}::"MemoryScope" AND m."superseded_at" IS NULL`;
    return row;
  }

  /** What entries of an agent say, ended ones included. One whose text a person deleted is missing. */
  async entryTexts(tx: Tx, agentId: string, ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await tx.memory.findMany({
      where: { scope: 'project', agentId, id: { in: [...ids] }, NOT: { action: '' } },
      select: { id: true, action: true },
    });
    return new Map(rows.map(({ id, action }) => [id, action]));
  }

  /** The stated owner of an agent. */
  async ownerOf(tx: Tx, agentId: string): Promise<string | null> {
    return (await tx.principal.findUnique({ where: { id: agentId }, select: { owner: true } }))?.owner ?? null;
  }

  /**
   * Ends live memories above the capacity of a store; what is pinned, waits for the proposer or was just written stays. Of
   * lessons first those retrieved in the fewest sessions, of them copies from other agents, then the oldest. Of entries
   * those of the writer that has the most, the one that was recalled longest ago first, one that was never recalled by its
   * date. Returns their ids, and how many are left above the capacity.
   */
  async evict(
    tx: Tx,
    { agentId, project }: { readonly agentId: string; readonly project?: string | null },
    {
      capacity,
      written = [],
      at,
    }: { readonly capacity: number; readonly written?: readonly string[]; readonly at: Date },
  ): Promise<{ readonly evicted: readonly string[]; readonly above: number }> {
    const [store, order, reason] =
      project === undefined
        ? [Prisma.sql`"scope" = 'agent'`, LEAST_RETRIEVED, 'evicted']
        : [
            Prisma.sql`"scope" = 'project' AND "project" IS NOT DISTINCT FROM ${project}::text`,
            LEAST_RECALLED,
            'capacity',
          ];
    const live = Prisma.sql`"agent_id" = ${agentId}::uuid AND ${store} AND "superseded_at" IS NULL`;
    const [row] = await tx.$queryRaw<{ evicted: string[]; above: number }[]>`
      WITH "above" AS MATERIALIZED (SELECT greatest(0, count(*) - ${capacity}::int) AS "n" FROM "memory" WHERE ${live}),
      "least" AS (
        SELECT "id" FROM "memory"
         WHERE (SELECT "n" FROM "above") > 0 AND ${live} AND "pinned_at" IS NULL AND NOT "awaiting_proposer"
           AND "id" <> ALL (${[...written]}::uuid[])
         ORDER BY ${order} LIMIT (SELECT "n" FROM "above")),
      "ended" AS (
        UPDATE "memory" m SET "superseded_at" = ${at}, "end_reason" = ${reason} FROM "least"
         WHERE m."id" = "least"."id" AND m."superseded_at" IS NULL AND m."pinned_at" IS NULL
        RETURNING m."id"::text AS "id")
      SELECT array(SELECT "id" FROM "ended" ORDER BY 1) AS "evicted",
             ((SELECT "n" FROM "above") - (SELECT count(*) FROM "ended"))::int AS "above"`;
    return row ?? { evicted: [], above: 0 };
  }

  /**
   * Compare-and-set: ends live memories of the agent for a run; no pinned lesson, and no entry of a person. Returns those
   * that ended.
   */
  async endByRun<T extends EndedMemory>(
    tx: Tx,
    { run, agentId }: AgentRun,
    memories: readonly T[],
    at: Date,
  ): Promise<T[]> {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      UPDATE "memory" m SET "superseded_at" = ${at}, "superseded_by_id" = e."by", "end_reason" = e."why",
             "ended_by_run_id" = ${run}::uuid
        FROM unnest(${memories.map(({ id }) => id)}::uuid[], ${memories.map(({ by }) => by ?? null)}::uuid[],
                    ${memories.map(({ why }) => why)}::text[]) AS e("id", "by", "why")
       WHERE m."id" = e."id" AND m."agent_id" = ${agentId}::uuid AND m."superseded_at" IS NULL
         AND (m."scope" = 'agent' AND m."pinned_at" IS NULL OR m."scope" = 'project' AND m."written_by" <> 'person')
      RETURNING m."id"::text AS "id"`;
    const ended = new Set(rows.map(({ id }) => id));
    return memories.filter(({ id }) => ended.has(id));
  }

  /** The newest of an agent that hold in this project; null: in any. */
  keptNotes(tx: Tx, agentId: string, project: string | null, limit: number): Promise<KeptNote[]> {
    return tx.$queryRaw<KeptNote[]>`
      SELECT "id"::text AS "id", "kind", "action" AS "content", "content_sha256" AS "contentSha256", "created_at" AS "createdAt"
        FROM "memory"
       WHERE "agent_id" = ${agentId}::uuid AND "superseded_at" IS NULL AND "scope" IN ('agent', 'project')
         AND "kind" IN ('note', 'core', 'fact', 'decision', 'preference')
         AND ("project" IS NULL OR ${project}::text IS NULL OR "project" = ${project}::text)
       ORDER BY "created_at" DESC, "id" LIMIT ${limit}`;
  }

  /**
   * Contradictions of two live notes, the newest first, of the agents of one of these owners; undefined: of all agents.
   * Each was found when its second note was written.
   */
  questions(tx: Tx, owners: readonly string[] | undefined, limit: number): Promise<NoteQuestion[]> {
    return tx.$queryRaw<NoteQuestion[]>`
      SELECT p."name" AS "agent", a."kind", a."action" AS "says", b."kind" AS "otherKind", b."action" AS "other",
             a."created_at" AS "at"
        FROM "memory" a CROSS JOIN LATERAL unnest(a."control_tags") t("tag")
        JOIN "memory" b ON b."id" = substr(t."tag", length('contradicts:') + 1)::uuid AND b."superseded_at" IS NULL
         AND b."agent_id" = a."agent_id"
        JOIN "principal" p ON p."id" = a."agent_id" AND (${owners === undefined}::boolean
          OR lower(p."owner") IN (SELECT lower(o) FROM unnest(${[...(owners ?? [])]}::text[]) o))
       WHERE a."scope" IN ('agent', 'project') AND a."superseded_at" IS NULL AND t."tag" ~ '^contradicts:[0-9a-f-]{36}$'
       ORDER BY a."created_at" DESC, a."id", b."id" LIMIT ${limit}`;
  }

  /**
   * Erases the texts of an ended memory, of its copies, and of what ended because this says the same or says it better. The
   * rows stay, with the hash of what they held, and no run restores them.
   */
  async erase(tx: Tx, id: string): Promise<void> {
    await tx.$executeRaw`
      WITH RECURSIVE "said" AS (
        SELECT ${id}::uuid AS "id"
        UNION
        SELECT m."id" FROM "memory" m JOIN "said" s ON m."propagated_from_id" = s."id"
            OR (m."superseded_by_id" = s."id" AND m."end_reason" IN ('merged', 'covered', 'dated', 'corrected'))
         WHERE m."superseded_at" IS NOT NULL)
      UPDATE "memory" m SET ("discovery", "condition", "rationale", "action", "proposer") =
               (SELECT t, t, t, t, CASE m."scope" WHEN 'project' THEN '' ELSE m."proposer" END
                  FROM (SELECT CASE m."scope" WHEN 'project' THEN '' ELSE ${DELETED}::text END AS t) x),
             "steps" = CASE m."scope" WHEN 'project' THEN '[]'::jsonb ELSE jsonb_build_array(${DELETED}::text) END,
             "parts" = NULL, "tags" = '{}', "figures" = NULL, "cost" = NULL, "ended_by_run_id" = NULL,
             "end_reason" = CASE WHEN m."propagated_from_id" IS NULL THEN 'deleted' ELSE m."end_reason" END
       WHERE m."id" IN (SELECT "id" FROM "said") AND m."scope" <> 'org'`;
  }
}

const LEAST_RETRIEVED = Prisma.sql`"relevance_count", "propagated_from_id" IS NULL, "created_at", "id"`;
/** By its place among those of its writer, each writer has its share: summaries of sessions push out no decisions. */
const LEAST_RECALLED = Prisma.sql`
  row_number() OVER (PARTITION BY "written_by" IN ('rules', 'model'), "written_by" = 'person'
    ORDER BY coalesce("last_retrieved_at", "created_at") DESC, "id" DESC) DESC,
  coalesce("last_retrieved_at", "created_at"), "id"`;

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
