import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import { type EmbedderCheckpoint, TuningKind } from '../checkpoints/tuning.schema.js';

export interface StoredCheckpoint extends Omit<EmbedderCheckpoint, 'active' | 'bytes' | 'createdAt' | 'deletedAt'> {
  readonly bytes: number | null;
  readonly createdAt: Date;
  readonly deletedAt: Date | null;
}

export interface NewCheckpoint extends Omit<StoredCheckpoint, 'bytes' | 'deletedAt'> {
  readonly model: Uint8Array;
}

export interface ActiveRow {
  readonly checkpointId: string | null;
  readonly previousCheckpointId: string | null;
  readonly switchedAt: Date | null;
}

interface CheckpointRow extends Omit<StoredCheckpoint, 'kind' | 'measures'> {
  readonly kind: string;
  readonly measures: unknown;
}

const Measures = z.record(z.string(), z.number());
const NOTHING: ActiveRow = { checkpointId: null, previousCheckpointId: null, switchedAt: null };

const toCheckpoint = (row: CheckpointRow): StoredCheckpoint => ({
  ...row,
  kind: TuningKind.parse(row.kind),
  measures: Measures.parse(row.measures),
});

@Injectable()
export class CheckpointRepository {
  async insert(tx: Tx, { model, measures, ...checkpoint }: NewCheckpoint): Promise<void> {
    await tx.embedderCheckpoint.createMany({
      data: [{ ...checkpoint, measures: { ...measures }, model: new Uint8Array(model) }],
    });
  }

  /** All of them, newest first, or the one with this id. Deleted ones are tombstones. */
  async list(tx: Tx, id: string | null = null): Promise<StoredCheckpoint[]> {
    const rows = await tx.$queryRaw<CheckpointRow[]>`
      SELECT "id"::text AS "id", "run_id"::text AS "runId", "kind", "name", "base_name" AS "baseName", "dimensions",
             octet_length("model") AS "bytes", "model_sha256" AS "modelSha256", "weight",
             "min_similarity" AS "minSimilarity", "measures", "documents", "created_at" AS "createdAt",
             "deleted_at" AS "deletedAt"
        FROM "embedder_checkpoint" WHERE ${id}::uuid IS NULL OR "id" = ${id}::uuid
       ORDER BY "created_at" DESC, "id" DESC`;
    return readRows('embedder_checkpoint', rows, toCheckpoint);
  }

  async find(tx: Tx, id: string): Promise<StoredCheckpoint | undefined> {
    return (await this.list(tx, id))[0];
  }

  /** The bytes of its model; undefined for one that is deleted or unknown. */
  async model(tx: Tx, id: string): Promise<Uint8Array | undefined> {
    const row = await tx.embedderCheckpoint.findUnique({ where: { id }, select: { model: true } });
    return row?.model ?? undefined;
  }

  /** The tombstone of a checkpoint keeps its numbers. The vectors of a base go with the last model of its name. */
  async delete(tx: Tx, { id, kind, name }: StoredCheckpoint, deletedAt: Date): Promise<boolean> {
    const { count } = await tx.embedderCheckpoint.updateMany({
      where: { id, deletedAt: null },
      data: { model: null, deletedAt },
    });
    if (count === 1 && kind === 'base')
      await tx.$executeRaw`
        DELETE FROM "memory_vector" WHERE "embedder" = ${name} AND NOT EXISTS
          (SELECT FROM "embedder_checkpoint" c WHERE c."base_name" = ${name} AND c."deleted_at" IS NULL)`;
    return count === 1;
  }

  async active(tx: Tx): Promise<ActiveRow> {
    return (await tx.activeEmbedder.findUnique({ where: { id: 1 } })) ?? NOTHING;
  }

  /** The same, and no other transaction switches until this one ends. */
  async lockActive(tx: Tx, now: Date): Promise<ActiveRow> {
    await tx.$executeRaw`
      INSERT INTO "active_embedder" ("id", "switched_at") VALUES (1, ${now}) ON CONFLICT ("id") DO NOTHING`;
    const [row] = await tx.$queryRaw<ActiveRow[]>`
      SELECT "checkpoint_id"::text AS "checkpointId", "previous_checkpoint_id"::text AS "previousCheckpointId",
             "switched_at" AS "switchedAt" FROM "active_embedder" WHERE "id" = 1 FOR UPDATE`;
    return row ?? NOTHING;
  }

  async switchTo(tx: Tx, checkpointId: string | null, previousCheckpointId: string | null, now: Date): Promise<void> {
    await tx.activeEmbedder.updateMany({
      where: { id: 1 },
      data: { checkpointId, previousCheckpointId, switchedAt: now },
    });
  }
}
