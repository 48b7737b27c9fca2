import { Injectable } from '@nestjs/common';
import { readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import { type SqlClient, selectColumns } from '../../platform/database/sql-client.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { Scope } from './lesson.schema.js';
import type { MemoryEntry } from './memory.schema.js';
import { RECALLABLE_FIELDS, type Row, toEntry, toRecallableMemory } from './memory-row.js';
import {
  type LiveMemory,
  type MemoryChanges,
  type MemoryCursor,
  type MemoryRetrieval,
  type NoteKind,
  partsOfGroup,
  type Reader,
  retrievalKey,
  type SingleRetrieval,
  visibilityGroupOf,
  visibilityGroupsFor,
} from './recallable-memory.js';

/** Most memories of one session that are read, newest first. */
const MAX_DELIVERED = 1_000;

@Injectable()
export class MemoryReadRepository {
  /** A cursor after every change that is visible now. */
  async cursor(tx: SqlClient): Promise<MemoryCursor> {
    const [row] = await tx.$queryRaw<{ cursor: string }[]>`SELECT pg_current_snapshot()::text AS "cursor"`;
    if (!row) throw new Error('the database returned no snapshot');
    return row.cursor;
  }

  /**
   * Returns what became visible after the cursor, and the next cursor. Each change is returned once, however long an older
   * transaction runs. It runs outside a transaction, because recalls wait for it.
   */
  async changes(tx: SqlClient, cursor: MemoryCursor): Promise<MemoryChanges> {
    // The lateral query keeps to a lookup by id: the embedded database gathers no statistics by itself.
    const rows = await tx.$queryRaw<ChangeRow[]>`
      SELECT s."cursor", c."memory_id" AS "id", m."scope"::text AS "scope", m."agent_id" AS "agentId", m."role",
             m."department"
        FROM (SELECT pg_current_snapshot()::text AS "cursor") s
        LEFT JOIN (SELECT DISTINCT c."memory_id" FROM "memory_change" c WHERE ${isAfter(cursor)}) c ON true
        LEFT JOIN LATERAL (SELECT * FROM "memory" m WHERE m."id" = c."memory_id" AND ${IS_LIVE} OFFSET 0) m ON true`;
    return {
      cursor: rows[0]?.cursor ?? cursor,
      changes: rows.flatMap(({ id, scope, cursor: _, ...owner }) =>
        id === null
          ? []
          : [
              {
                id,
                isLive: scope !== null,
                group: scope === null ? undefined : visibilityGroupOf({ scope, ...owner }),
              },
            ],
      ),
    };
  }

  /** The number of memories that changed after the cursor. */
  async countChanges(tx: SqlClient, cursor: MemoryCursor): Promise<number> {
    const [row] = await tx.$queryRaw<{ count: number }[]>`
      SELECT count(DISTINCT c."memory_id")::int AS "count" FROM "memory_change" c WHERE ${isAfter(cursor)}`;
    return row?.count ?? 0;
  }

  /**
   * Live memories by id: the given ones, or the next ones after `after`, of one visibility group or of all. A copy has the
   * date of its source. It runs outside a transaction, because recalls wait for it.
   */
  async live(
    tx: SqlClient,
    selection: { ids: readonly string[] } | { after: string; limit: number },
    group?: string,
  ): Promise<LiveMemory[]> {
    const condition =
      'ids' in selection
        ? Prisma.sql`m."id" = ANY (${[...selection.ids]}::uuid[])`
        : Prisma.sql`m."id" > ${selection.after}::uuid`;
    const rows = await tx.$queryRaw<LiveRow[]>`
      SELECT ${LIVE_COLUMNS}, ${LEARNED_AT} FROM "memory" m WHERE ${IS_LIVE} AND ${condition}
         ${group === undefined ? Prisma.empty : Prisma.sql`AND ${isOfGroup(group)}`}
       ORDER BY m."id" ${'ids' in selection ? Prisma.empty : Prisma.sql`LIMIT ${selection.limit}`}`;
    // The literal starts with its own fields: an object that is spread first and extended later takes V8 four times the
    // memory, and these are cached.
    return readRows('memory', rows, (row) => ({
      role: row.role,
      department: row.department,
      ...toRecallableMemory(row.learnedAt === null ? row : { ...row, createdAt: row.learnedAt }),
    }));
  }

  /** Ids of the newest live memories of all readers, newest first. */
  async newestIds(tx: SqlClient, limit: number): Promise<string[]> {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT m."id"::text AS "id" FROM "memory" m WHERE ${IS_LIVE}
       ORDER BY m."created_at" DESC, m."id" DESC LIMIT ${limit}`;
    return rows.map(({ id }) => id);
  }

  /** The given memories that are live and visible to this reader. */
  async visible(tx: Tx, reader: Reader, ids: readonly string[]): Promise<MemoryEntry[]> {
    const rows = await tx.$queryRaw<Row[]>`
      WITH ${memoriesById(ids)} SELECT ${COLUMNS} FROM "named" m WHERE ${isVisibleTo(reader)}`;
    return readRows('memory', rows, toEntry);
  }

  /** An agent's own live notes of a kind, newest first. */
  async own(tx: Tx, agentId: string, kind: NoteKind, limit: number): Promise<MemoryEntry[]> {
    const rows = await tx.memory.findMany({
      where: {
        scope: 'agent',
        agentId,
        supersededAt: null,
        category: kind.category,
        ...(kind.tag === undefined ? {} : { tags: { has: kind.tag } }),
      },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: limit,
    });
    return readRows('memory', rows, toEntry);
  }

  /** What an administrator set for the core block of an agent. */
  async coreSettings(tx: Tx, agentId: string): Promise<{ coreTokens: number | null; coreWritable: boolean | null }> {
    return tx.principal.findUniqueOrThrow({
      where: { id: agentId },
      select: { coreTokens: true, coreWritable: true },
    });
  }

  /** An agent's own live lessons that a person or independent evidence confirmed, newest first. */
  async ownVerified(tx: Tx, agentId: string, limit: number): Promise<MemoryEntry[]> {
    const rows = await tx.memory.findMany({
      where: { scope: 'agent', agentId, supersededAt: null, provenance: 'verified', category: 'PROCEDURAL' },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: limit,
    });
    return readRows('memory', rows, toEntry);
  }

  async latest(tx: Tx, reader: Reader, limit: number): Promise<MemoryEntry[]> {
    // Group by group, each through its index: by date over all memories, a reader with few of them would read every one.
    const groups = visibilityGroupsFor(reader).map(
      (group) => Prisma.sql`
        (SELECT m."id" FROM "memory" m WHERE m."superseded_at" IS NULL AND ${isOfGroup(group)}
          ORDER BY m."created_at" DESC, m."id" DESC LIMIT ${limit})`,
    );
    const rows = await tx.$queryRaw<Row[]>`
      WITH "newest" AS MATERIALIZED (${Prisma.join(groups, ' UNION ALL ')})
      SELECT ${COLUMNS} FROM "newest" n JOIN "memory" m ON m."id" = n."id" WHERE ${isVisibleTo(reader)}
       ORDER BY m."created_at" DESC, m."id" DESC LIMIT ${limit}`;
    return readRows('memory', rows, toEntry);
  }

  /** The given memories that this reader may see, or could see while they were live. */
  async visibleOrEnded(tx: Tx, reader: Reader, ids: readonly string[]): Promise<string[]> {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      WITH ${memoriesById(ids)} SELECT m."id"::text AS "id" FROM "named" m WHERE ${isInScopeOf(reader)}`;
    return rows.map(({ id }) => id);
  }

  /** Ids of the memories that an agent received in a session, newest first. */
  async deliveredIn(tx: Tx, agentId: string, sessionId: string): Promise<string[]> {
    const rows = await tx.memoryRetrieval.findMany({
      where: { agentId, sessionId },
      select: { memoryId: true },
      orderBy: { at: 'desc' },
      take: MAX_DELIVERED,
    });
    return rows.map(({ memoryId }) => memoryId);
  }

  /** Locks these memories in one order: two transactions that count the same ones would wait for each other otherwise. */
  async lockCounts(tx: Tx, ids: readonly string[]): Promise<void> {
    await tx.$queryRaw`SELECT 1 FROM "memory" WHERE "id" = ANY (${[...ids]}::uuid[]) ORDER BY "id" FOR NO KEY UPDATE`;
  }

  /**
   * Inserts retrievals and counts each one for its memory, once per session. Returns the new ones as `retrievalKey`
   * spells them. Retrievals of deleted memories are ignored.
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

  /** Counts each retrieval without a session for its memories. Retrievals of deleted memories are ignored. */
  async countSingleRetrievals(tx: Tx, retrievals: readonly SingleRetrieval[]): Promise<void> {
    if (retrievals.length === 0) return;
    await tx.$executeRaw`
      UPDATE "memory" m SET "relevance_count" = m."relevance_count" + t."times",
        "last_retrieved_at" = greatest(m."last_retrieved_at", t."at")
        FROM (SELECT i."id", count(*)::int AS "times", max(r."at") AS "at"
                FROM jsonb_to_recordset(${JSON.stringify(retrievals)}::jsonb) AS r("ids" uuid[], "at" timestamptz),
                  unnest(r."ids") AS i("id") GROUP BY 1) t
       WHERE m."id" = t."id"`;
  }

  /** The number of live memories. */
  async countLive(tx: SqlClient): Promise<number> {
    const [row] = await tx.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS "count" FROM "memory" m WHERE ${IS_LIVE}`;
    return row?.count ?? 0;
  }

  async deleteChanges(tx: Tx, before: Date): Promise<void> {
    await tx.memoryChange.deleteMany({ where: { at: { lt: before } } });
  }
}

/**
 * Named as in Prisma's model. Every recall runs these queries, so they are raw SQL: Prisma would compile them again
 * each time.
 */
const COLUMNS = selectColumns(Object.keys(Prisma.MemoryScalarFieldEnum), 'm');

/** When the original of a copy was learned: a copy is no newer than its source. Null for other memories. */
const LEARNED_AT = Prisma.sql`
  (SELECT o."created_at" FROM "memory" o WHERE o."id" = m."propagated_from_id") AS "learnedAt"`;
/** Of a transaction that the cursor did not see. Those below its first running one were all seen. */
const isAfter = (cursor: MemoryCursor) => Prisma.sql`
  (c."transaction" >= pg_snapshot_xmin(${cursor}::pg_snapshot)::text::bigint
    AND NOT pg_visible_in_snapshot(c."transaction"::text::xid8, ${cursor}::pg_snapshot))`;

/** No entry of a session memory, which only its own recall reads. */
const IS_LIVE = Prisma.sql`m."superseded_at" IS NULL AND m."scope" <> 'project'`;

interface ChangeRow {
  readonly cursor: string;
  readonly id: string | null;
  readonly scope: Scope | null;
  readonly agentId: string | null;
  readonly role: string | null;
  readonly department: string | null;
}
type LiveRow = Row & { readonly learnedAt: Date | null };

const LIVE_COLUMNS = selectColumns([...RECALLABLE_FIELDS, 'role', 'department'], 'm');

/** Forces a lookup by id: the embedded database gathers no statistics by itself, so its planner may choose a scan. */
const memoriesById = (ids: readonly string[]) => Prisma.sql`
  "named" AS MATERIALIZED (SELECT * FROM "memory" WHERE "id" = ANY (${[...ids]}::uuid[]))`;

/**
 * Restricts rows to what a reader may see. NULL matches nothing, so a reader without a role sees no role's memories.
 */
const isInScopeOf = ({ agentId, role, department }: Reader) => Prisma.sql`
  (m."scope" = 'org' OR (m."scope" = 'agent' AND m."agent_id" = ${agentId}::uuid)
    OR (m."scope" = 'role' AND m."role" = ${role}::text)
    OR (m."scope" = 'department' AND m."department" = ${department}::text))`;

/** Written as the conditions of the indexes of live memories are, so that one of them serves it. */
function isOfGroup(group: string) {
  const { scope, owner } = partsOfGroup(group);
  if (scope === 'agent') return Prisma.sql`m."scope" = 'agent' AND m."agent_id" = ${owner}::uuid`;
  if (scope === 'role') return Prisma.sql`m."scope" = 'role' AND m."role" = ${owner}`;
  if (scope === 'department') return Prisma.sql`m."scope" = 'department' AND m."department" = ${owner}`;
  return Prisma.sql`m."scope" = 'org'`;
}

const isVisibleTo = (reader: Reader) => Prisma.sql`m."superseded_at" IS NULL AND ${isInScopeOf(reader)}`;
