import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import type { Derivation } from './derivation.js';
import type { Provenance } from './lesson.schema.js';

/** What allows a memory to authorise an action that changes something. */
export type Authority = 'person' | 'owners';

/** Identifies a memory by its agent and its content. */
export interface ContentKey {
  readonly agentId: string;
  readonly contentSha256: string;
}

/** A live memory with the same content. */
export interface SameContent {
  readonly id: string;
  readonly provenance: Provenance;
  /** Whether the filter of recalls lets it through. */
  readonly isDelivered: boolean;
}

export const contentKey = ({ agentId, contentSha256 }: ContentKey): string => `${agentId} ${contentSha256}`;

@Injectable()
export class MemorySourceRepository {
  async addAll(tx: Tx, sources: readonly { readonly memoryId: string; readonly sourceId: string }[]): Promise<void> {
    if (sources.length > 0) await tx.memorySource.createMany({ data: [...sources] });
  }

  /** Gives a copy the sources of its original. */
  async inherit(tx: Tx, copyId: string, originalId: string): Promise<void> {
    await tx.$executeRaw`
      INSERT INTO "memory_source" ("memory_id", "source_id")
        SELECT ${copyId}::uuid, "source_id" FROM "memory_source" WHERE "memory_id" = ${originalId}::uuid`;
  }

  /** The live memories with one of these contents, by `contentKey`; of several, one that is delivered. */
  async findByContent(tx: Tx, contents: readonly ContentKey[]): Promise<Map<string, SameContent>> {
    const rows = await tx.$queryRaw<(ContentKey & SameContent)[]>`
      SELECT m."id"::text AS "id", m."agent_id"::text AS "agentId", m."content_sha256" AS "contentSha256",
             m."provenance"::text AS "provenance", 'non-inferable' = ANY (m."control_tags") AS "isDelivered"
        FROM jsonb_to_recordset(${JSON.stringify(contents)}::jsonb) AS c("agentId" uuid, "contentSha256" text)
        JOIN "memory" m ON m."content_sha256" = c."contentSha256" AND m."agent_id" = c."agentId"
       WHERE m."scope" = 'agent' AND m."superseded_at" IS NULL ORDER BY "isDelivered", m."id"`;
    return new Map(
      rows.map(({ id, provenance, isDelivered, ...content }) => [contentKey(content), { id, provenance, isDelivered }]),
    );
  }

  /**
   * Returns what stands for each verified memory: the word of a person, or executions of two owners with two
   * credentials. For a copy, that is what stands for its original. Memories with neither are missing.
   */
  async authorities(tx: Tx, ids: readonly string[]): Promise<Map<string, Authority>> {
    const rows = await tx.$queryRaw<{ id: string; authority: Authority }[]>`
      SELECT m."id"::text AS "id", CASE WHEN m."scope" = 'org' OR s."by_person" THEN 'person' ELSE 'owners' END AS "authority"
        FROM "memory" m
        LEFT JOIN "promotion" p ON p."memory_id" = coalesce(m."propagated_from_id", m."id")
        CROSS JOIN LATERAL memory_support(coalesce(m."propagated_from_id", m."id")) s
       WHERE m."id" = ANY (${[...ids]}::uuid[]) AND m."provenance" = 'verified'
         AND (m."scope" = 'org' OR s."by_person"
              OR (p."promoted_by" = 'tool_result' AND s."owners" >= 2 AND s."credentials" >= 2))`;
    return new Map(rows.map(({ id, authority }) => [id, authority]));
  }

  /** Locks the agents until the transaction ends, so that no other transaction stores the same content for them. */
  async lockAgents(tx: Tx, agentIds: readonly string[]): Promise<void> {
    // Locked in one order, so that two transactions that share agents do not deadlock.
    await tx.$queryRaw`
      SELECT 1 FROM "principal" WHERE "id" = ANY (${[...agentIds]}::uuid[]) ORDER BY "id" FOR NO KEY UPDATE`;
  }

  /**
   * All memories that the given ones were derived from, transitively; a copy from its original. At most `limit` rows,
   * unordered.
   */
  async derivations(tx: Tx, ids: readonly string[], limit: number): Promise<Derivation[]> {
    return tx.$queryRaw<Derivation[]>`
      WITH RECURSIVE "derivation" AS (
        SELECT g AS "root", g AS "id" FROM unnest(${[...ids]}::uuid[]) g
        UNION
        SELECT g."root", s."source_id" FROM "derivation" g JOIN (
          SELECT "memory_id", "source_id" FROM "memory_source"
          UNION ALL
          SELECT "id", "propagated_from_id" FROM "memory" WHERE "propagated_from_id" IS NOT NULL) s
          ON s."memory_id" = g."id")
      SELECT g."root"::text AS "root", g."id"::text AS "id", m."scope"::text AS "scope",
             m."provenance"::text AS "provenance", m."superseded_at" AS "endedAt",
             m."id" IS NULL OR m."superseded_at" IS NOT NULL AND (g."root" = g."id" OR m."ended_by_run_id" IS NULL) AS "ended"
        FROM "derivation" g LEFT JOIN "memory" m ON m."id" = g."id" LIMIT ${limit}`;
  }
}
