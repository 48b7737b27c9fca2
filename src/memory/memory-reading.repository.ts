import { Injectable } from '@nestjs/common';
import type { Database, Tx } from '../platform/database.js';
import { Prisma } from '../platform/generated/prisma/client.js';
import { columnsAs } from '../platform/rows.js';
import { type Row, toEntry } from './memory.repository.js';
import type { MemoryEntry } from './memory.schema.js';
import {
  type Changes,
  type Look,
  type MemoryRetrieval,
  type NoteKind,
  type Reader,
  retrievalKey,
  type Searchable,
} from './readable.js';

type SearchableRow = Omit<Searchable, 'steps'> & { readonly steps: unknown };

/** Of one session, newest first; further back nobody looks. */
const MOST_TOLD = 1_000;

@Injectable()
export class MemoryReadingRepository {
  /** What was committed at or after the cursor, and the cursor to go on from: the oldest transaction still running. */
  async changes(tx: Tx, cursor: bigint): Promise<Changes> {
    const rows = await tx.$queryRaw<{ horizon: bigint; transaction: bigint | null; id: string | null }[]>`
      SELECT s."horizon", c."transaction", c."memory_id"::text AS "id"
        FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS "horizon") s
        LEFT JOIN "memory_change" c ON c."transaction" >= ${cursor}`;
    return {
      cursor: rows[0]?.horizon ?? cursor,
      changes: rows.flatMap(({ transaction, id }) =>
        transaction === null || id === null ? [] : [{ transaction, id }],
      ),
    };
  }

  /** Live memories as they are searched, by id: those that are named, or the next ones after `after`. */
  async searchable(
    tx: Tx,
    which: { ids: readonly string[] } | { after: string; limit: number },
  ): Promise<Searchable[]> {
    const condition =
      'ids' in which ? Prisma.sql`m."id" = ANY (${[...which.ids]}::uuid[])` : Prisma.sql`m."id" > ${which.after}::uuid`;
    const rows = await tx.$queryRaw<SearchableRow[]>`
      SELECT m."id"::text AS "id", m."scope"::text AS "scope", m."agent_id"::text AS "agentId", m."role", m."department",
             m."discovery", m."condition", m."action", m."rationale", m."steps", m."tags", m."skill_name" AS "skillName"
        FROM "memory" m WHERE m."superseded_at" IS NULL AND ${condition}
       ORDER BY m."id" ${'ids' in which ? Prisma.empty : Prisma.sql`LIMIT ${which.limit}`}`;
    return rows.map((row) => ({ ...row, steps: Array.isArray(row.steps) ? row.steps.map(String) : [] }));
  }

  /** Those of these memories that are live and that this reader may see. */
  async visible(tx: Tx, reader: Reader, ids: readonly string[]): Promise<MemoryEntry[]> {
    const rows = await tx.$queryRaw<Row[]>`
      WITH ${named(ids)} SELECT ${COLUMNS} FROM "named" m WHERE ${isVisibleTo(reader)}`;
    return rows.map(toEntry);
  }

  /**
   * The same, and what was committed at or after the cursor (at most `MOST_CHANGES` of it), in one statement; by the
   * driver, since every recall asks this (decision 40).
   */
  async look(database: Database, reader: Reader, ids: readonly string[], cursor: bigint): Promise<Look> {
    const { text, values } = Prisma.sql`
      WITH ${named(ids)}, "changed" AS (
        SELECT "transaction", "memory_id" FROM "memory_change" WHERE "transaction" >= ${cursor}
         ORDER BY "transaction", "memory_id" LIMIT ${MOST_CHANGES})
      SELECT c."changes", ${COLUMNS}
        FROM (SELECT jsonb_agg(jsonb_build_array("transaction"::text, "memory_id")) AS "changes" FROM "changed") c
        LEFT JOIN "named" m ON ${isVisibleTo(reader)}`;
    const rows = await database.rows<Row & { changes: [string, string][] | null }>(text, values);
    const changes = (rows[0]?.changes ?? []).map(([transaction, id]) => ({ transaction: BigInt(transaction), id }));
    return {
      entries: rows.flatMap((row) => (row.id === null ? [] : [toEntry(row)])),
      changes,
      areAll: changes.length < MOST_CHANGES,
    };
  }

  /** An agent's own live notes of a kind, newest first. */
  async own(tx: Tx, agentId: string, kind: NoteKind, limit: number): Promise<MemoryEntry[]> {
    const rows = await tx.memory.findMany({
      where: {
        scope: 'AGENT',
        agentId,
        supersededAt: null,
        category: kind.category,
        ...(kind.tag === undefined ? {} : { tags: { has: kind.tag } }),
      },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: limit,
    });
    return rows.map(toEntry);
  }

  async latest(tx: Tx, reader: Reader, limit: number): Promise<MemoryEntry[]> {
    const rows = await tx.$queryRaw<Row[]>`
      SELECT ${COLUMNS} FROM "memory" m WHERE ${isVisibleTo(reader)}
       ORDER BY m."created_at" DESC, m."id" DESC LIMIT ${limit}`;
    return rows.map(toEntry);
  }

  /** Those of these memories that this reader may see or might have seen while they were live. */
  async visibleOrEnded(tx: Tx, reader: Reader, ids: readonly string[]): Promise<string[]> {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      WITH ${named(ids)} SELECT m."id"::text AS "id" FROM "named" m WHERE ${isWithin(reader)}`;
    return rows.map(({ id }) => id);
  }

  /** What an agent was told in a session, newest first. */
  async toldIn(tx: Tx, agentId: string, sessionId: string): Promise<string[]> {
    const rows = await tx.memoryRetrieval.findMany({
      where: { agentId, sessionId },
      select: { memoryId: true },
      orderBy: { at: 'desc' },
      take: MOST_TOLD,
    });
    return rows.map(({ memoryId }) => memoryId);
  }

  /**
   * The retrievals that are the first in their session, as `retrievalKey` spells them; each counts for its memory. A
   * memory that is gone counts for nothing.
   */
  async countRetrievals(tx: Tx, retrievals: readonly MemoryRetrieval[]): Promise<Set<string>> {
    if (retrievals.length === 0) return new Set();
    const first = await tx.$queryRaw<{ memoryId: string; agentId: string; sessionId: string }[]>`
      INSERT INTO "memory_retrieval" ("memory_id", "agent_id", "session_id", "at")
        SELECT m."id", r."agentId", r."sessionId", r."at"
          FROM jsonb_to_recordset(${JSON.stringify(retrievals)}::jsonb)
            AS r("agentId" uuid, "sessionId" text, "ids" uuid[], "at" timestamptz),
            unnest(r."ids") AS i("id") JOIN "memory" m ON m."id" = i."id"
        ON CONFLICT DO NOTHING
        RETURNING "memory_id"::text AS "memoryId", "agent_id"::text AS "agentId", "session_id" AS "sessionId"`;
    if (first.length > 0)
      await tx.$executeRaw`
        UPDATE "memory" m SET "relevance_count" = m."relevance_count" + t."times",
          "last_retrieved_at" = greatest(m."last_retrieved_at", t."at")
          FROM (SELECT f."memoryId", count(*)::int AS "times", max(r."at") AS "at"
                  FROM jsonb_to_recordset(${JSON.stringify(first)}::jsonb)
                    AS f("memoryId" uuid, "agentId" uuid, "sessionId" text)
                  JOIN "memory_retrieval" r ON r."memory_id" = f."memoryId" AND r."agent_id" = f."agentId"
                   AND r."session_id" = f."sessionId" GROUP BY 1) t
         WHERE m."id" = t."memoryId"`;
    return new Set(first.map(({ memoryId, agentId, sessionId }) => retrievalKey(agentId, sessionId, memoryId)));
  }

  async forgetChanges(tx: Tx, before: Date): Promise<void> {
    await tx.memoryChange.deleteMany({ where: { at: { lt: before } } });
  }
}

/** As Prisma names them. Raw, since what is asked at every recall is not compiled anew each time. */
const COLUMNS = columnsAs(Object.keys(Prisma.MemoryScalarFieldEnum), 'm');

const MOST_CHANGES = 100;

/** By their ids whatever the planner knows: the embedded database gathers no statistics by itself. */
const named = (ids: readonly string[]) => Prisma.sql`
  "named" AS MATERIALIZED (SELECT * FROM "memory" WHERE "id" = ANY (${[...ids]}::uuid[]))`;

/** What a reader may see; who has no role sees no role's. */
const isWithin = ({ agentId, role, department }: Reader) => Prisma.sql`
  (m."scope" = 'ORG' OR (m."scope" = 'AGENT' AND m."agent_id" = ${agentId}::uuid)
    OR (m."scope" = 'ROLE' AND m."role" = ${role}::text)
    OR (m."scope" = 'DEPARTMENT' AND m."department" = ${department}::text))`;

const isVisibleTo = (reader: Reader) => Prisma.sql`m."superseded_at" IS NULL AND ${isWithin(reader)}`;
