import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database.js';
import type { Ground } from './ground.js';
import type { Provenance } from './lesson.schema.js';
import { PROVENANCE } from './memory-row.js';

@Injectable()
export class MemorySourceRepository {
  async add(tx: Tx, memoryId: string, sources: readonly string[]): Promise<void> {
    await tx.memorySource.createMany({ data: sources.map((sourceId) => ({ memoryId, sourceId })) });
  }

  /** What a copy's original rests on, the copy rests on. */
  async inherit(tx: Tx, copyId: string, originalId: string): Promise<void> {
    await tx.$executeRaw`
      INSERT INTO "memory_source" ("memory_id", "source_id")
        SELECT ${copyId}::uuid, "source_id" FROM "memory_source" WHERE "memory_id" = ${originalId}::uuid`;
  }

  /** The live memory of this agent with this content. */
  async sameContent(
    tx: Tx,
    agentId: string,
    contentSha256: string,
  ): Promise<{ id: string; provenance: Provenance } | undefined> {
    const row = await tx.memory.findFirst({
      where: { scope: 'AGENT', agentId, contentSha256, supersededAt: null },
      select: { id: true, provenance: true },
    });
    return row ? { id: row.id, provenance: PROVENANCE[row.provenance] } : undefined;
  }

  /** Holds back whoever stores the same for the same agent at this moment, until the transaction ends. */
  async lockAgent(tx: Tx, agentId: string): Promise<void> {
    await tx.$queryRaw`SELECT 1 FROM "principal" WHERE "id" = ${agentId}::uuid FOR NO KEY UPDATE`;
  }

  /** Everything that the given memories rest on, through whosever conclusions; at most `limit` rows, in no order. */
  async grounds(tx: Tx, ids: readonly string[], limit: number): Promise<Ground[]> {
    const rows = await tx.$queryRaw<(Omit<Ground, 'provenance'> & { provenance: keyof typeof PROVENANCE | null })[]>`
      WITH RECURSIVE "ground" AS (
        SELECT g AS "root", g AS "id" FROM unnest(${[...ids]}::uuid[]) g
        UNION
        SELECT g."root", s."source_id" FROM "ground" g JOIN "memory_source" s ON s."memory_id" = g."id")
      SELECT g."root"::text AS "root", g."id"::text AS "id", m."scope"::text AS "scope",
             m."provenance"::text AS "provenance", m."superseded_at" AS "endedAt",
             m."id" IS NULL OR m."superseded_at" IS NOT NULL AND (g."root" = g."id" OR m."ended_by_run_id" IS NULL) AS "ended"
        FROM "ground" g LEFT JOIN "memory" m ON m."id" = g."id" LIMIT ${limit}`;
    return rows.map(({ provenance, ...row }) => ({
      ...row,
      provenance: provenance === null ? null : PROVENANCE[provenance],
    }));
  }
}
