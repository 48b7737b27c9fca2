import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';

export interface StoredVector {
  readonly memoryId: string;
  /** Hash of the embedded text. */
  readonly textSha256: string;
  readonly vector: Float32Array;
}

@Injectable()
export class MemoryVectorRepository {
  /** Returns the stored vectors of these memories by this embedder. */
  async find(tx: Tx, embedder: string, memoryIds: readonly string[]): Promise<StoredVector[]> {
    const rows = await tx.memoryVector.findMany({ where: { memoryId: { in: [...memoryIds] }, embedder } });
    return rows.map(({ memoryId, textSha256, vector }) => ({ memoryId, textSha256, vector: toFloats(vector) }));
  }

  /** Stores vectors and replaces earlier ones. A memory that has ended in the meantime gets none. */
  async store(tx: Tx, embedder: string, vectors: readonly StoredVector[]): Promise<void> {
    const ids = vectors.map(({ memoryId }) => memoryId);
    const hashes = vectors.map(({ textSha256 }) => textSha256);
    const bytes = vectors.map(({ vector }) => Buffer.from(toBytes(vector)).toString('base64'));
    await tx.$executeRaw`
      INSERT INTO "memory_vector" ("memory_id", "embedder", "text_sha256", "vector")
        SELECT m."id", ${embedder}, v."sha", decode(v."bytes", 'base64')
          FROM unnest(${ids}::uuid[], ${hashes}::text[], ${bytes}::text[]) AS v("id", "sha", "bytes")
          JOIN "memory" m ON m."id" = v."id" AND m."superseded_at" IS NULL
        ON CONFLICT ("memory_id", "embedder") DO UPDATE SET "text_sha256" = excluded."text_sha256",
          "vector" = excluded."vector"`;
  }

  /**
   * Deletes the vectors of ended memories, since a vector reveals something about its text, and those of embedders that
   * are neither among these nor kept as a checkpoint.
   */
  async forgetEnded(tx: Tx, embedders: readonly string[]): Promise<void> {
    await tx.$executeRaw`
      DELETE FROM "memory_vector" v WHERE NOT EXISTS
        (SELECT FROM "memory" m WHERE m."id" = v."memory_id" AND m."superseded_at" IS NULL)
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
