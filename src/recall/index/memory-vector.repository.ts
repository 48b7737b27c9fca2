import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import type { SqlClient } from '../../platform/database/sql-client.js';

export interface StoredVector {
  readonly memoryId: string;
  /** Hash of the embedded text. */
  readonly textSha256: string;
  readonly vector: Float32Array;
}

export interface LookedAt {
  /** The last one by id; undefined if there was none. */
  readonly last: string | undefined;
  /** How many there were. */
  readonly looked: number;
  readonly lacking: readonly string[];
}

@Injectable()
export class MemoryVectorRepository {
  /** Returns the stored vectors of these memories by this embedder. */
  async find(tx: Tx, embedder: string, memoryIds: readonly string[]): Promise<StoredVector[]> {
    const rows = await tx.memoryVector.findMany({ where: { memoryId: { in: [...memoryIds] }, embedder } });
    return rows.map(({ memoryId, textSha256, vector }) => ({ memoryId, textSha256, vector: toFloats(vector) }));
  }

  /**
   * Looks at the next `limit` live memories after `after`, by id: which of them have no vector of this size by this
   * embedder. A vector of an earlier text counts, because the text of a live memory changes only with a change row.
   */
  async lookAfter(
    tx: SqlClient,
    embedder: string,
    { dimensions, after, limit }: { readonly dimensions: number; readonly after: string; readonly limit: number },
  ): Promise<LookedAt> {
    const rows = await tx.$queryRaw<{ id: string; lacks: boolean }[]>`
      SELECT m."id"::text AS "id", v."memory_id" IS NULL AS "lacks"
        FROM (SELECT "id" FROM "memory" WHERE "superseded_at" IS NULL AND "scope" <> 'project' AND "id" > ${after}::uuid
               ORDER BY "id" LIMIT ${limit}) m
        LEFT JOIN "memory_vector" v ON v."memory_id" = m."id" AND v."embedder" = ${embedder}
         AND octet_length(v."vector") = ${dimensions * Float32Array.BYTES_PER_ELEMENT}::int
       ORDER BY m."id"`;
    return {
      last: rows.at(-1)?.id,
      looked: rows.length,
      lacking: rows.flatMap(({ id, lacks }) => (lacks ? [id] : [])),
    };
  }

  /** Stores vectors and replaces earlier ones. A memory that has ended in the meantime gets none, nor does an entry of a session. */
  async store(tx: Tx, embedder: string, vectors: readonly StoredVector[]): Promise<void> {
    const ids = vectors.map(({ memoryId }) => memoryId);
    const hashes = vectors.map(({ textSha256 }) => textSha256);
    const bytes = vectors.map(({ vector }) => Buffer.from(toBytes(vector)).toString('base64'));
    await tx.$executeRaw`
      INSERT INTO "memory_vector" ("memory_id", "embedder", "text_sha256", "vector")
        SELECT m."id", ${embedder}, v."sha", decode(v."bytes", 'base64')
          FROM unnest(${ids}::uuid[], ${hashes}::text[], ${bytes}::text[]) AS v("id", "sha", "bytes")
          JOIN "memory" m ON m."id" = v."id" AND m."superseded_at" IS NULL AND m."scope" <> 'project'
        ON CONFLICT ("memory_id", "embedder") DO UPDATE SET "text_sha256" = excluded."text_sha256",
          "vector" = excluded."vector"`;
  }

  /**
   * Deletes the vectors of ended memories, since a vector reveals something about its text, those of entries, which the
   * version before stores, and those of embedders that are neither among these nor kept as a checkpoint.
   */
  async forgetEnded(tx: Tx, embedders: readonly string[]): Promise<void> {
    await tx.$executeRaw`
      DELETE FROM "memory_vector" v WHERE NOT EXISTS
        (SELECT FROM "memory" m WHERE m."id" = v."memory_id" AND m."superseded_at" IS NULL AND m."scope" <> 'project')
        OR v."embedder" <> ALL (${[...embedders]}::text[]) AND NOT EXISTS
        (SELECT FROM "embedder_checkpoint" c WHERE c."base_name" = v."embedder" AND c."deleted_at" IS NULL)`;
  }
}

/** Little-endian, four bytes a number: the byte order of every supported machine. */
const toBytes = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Copies the bytes, since a row may start at an unaligned offset of its buffer. */
const toFloats = (bytes: Uint8Array): Float32Array =>
  new Float32Array(new Uint8Array(bytes).buffer, 0, Math.floor(bytes.length / 4));
