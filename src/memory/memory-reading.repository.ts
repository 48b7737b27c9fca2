import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database.js';
import { Prisma } from '../platform/generated/prisma/client.js';
import { toEntry } from './memory.repository.js';
import type { MemoryEntry } from './memory.schema.js';
import type { Changes, NoteKind, Reader, Searchable } from './readable.js';

type SearchableRow = Omit<Searchable, 'steps'> & { readonly steps: unknown };

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
    const rows = await tx.memory.findMany({ where: { id: { in: [...ids] }, supersededAt: null, OR: within(reader) } });
    return rows.map(toEntry);
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
    const rows = await tx.memory.findMany({
      where: { supersededAt: null, OR: within(reader) },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: limit,
    });
    return rows.map(toEntry);
  }

  /** Those of these memories that this reader may see or might have seen while they were live. */
  async visibleOrEnded(tx: Tx, reader: Reader, ids: readonly string[]): Promise<string[]> {
    const rows = await tx.memory.findMany({
      where: { id: { in: [...ids] }, OR: within(reader) },
      select: { id: true },
    });
    return rows.map(({ id }) => id);
  }

  /** The memories that were not told to this agent in this session before; they count one retrieval each. */
  async countRetrievals(
    tx: Tx,
    retrieval: { agentId: string; sessionId: string; ids: readonly string[]; at: Date },
  ): Promise<string[]> {
    const { agentId, sessionId, ids, at } = retrieval;
    const first = await tx.$queryRaw<{ id: string }[]>`
      INSERT INTO "memory_retrieval" ("memory_id", "agent_id", "session_id", "at")
        SELECT "id", ${agentId}::uuid, ${sessionId}, ${at} FROM "memory" WHERE "id" = ANY (${[...ids]}::uuid[])
        ON CONFLICT DO NOTHING RETURNING "memory_id"::text AS "id"`;
    const counted = first.map(({ id }) => id).sort();
    if (counted.length > 0)
      await tx.$executeRaw`
        UPDATE "memory" SET "relevance_count" = "relevance_count" + 1,
          "last_retrieved_at" = greatest("last_retrieved_at", ${at}) WHERE "id" = ANY (${counted}::uuid[])`;
    return counted;
  }

  async forgetChanges(tx: Tx, before: Date): Promise<void> {
    await tx.memoryChange.deleteMany({ where: { at: { lt: before } } });
  }
}

/** What a reader may see; who has no role sees no role's. */
const within = ({ agentId, role, department }: Reader) => [
  { scope: 'AGENT' as const, agentId },
  ...(role === null ? [] : [{ scope: 'ROLE' as const, role }]),
  ...(department === null ? [] : [{ scope: 'DEPARTMENT' as const, department }]),
  { scope: 'ORG' as const },
];
