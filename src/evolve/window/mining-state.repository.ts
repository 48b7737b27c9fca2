import { Injectable } from '@nestjs/common';
import { readRow } from '../../platform/database/damaged-rows.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import type { CountRecord } from '../support/count-records.schema.js';
import { unpackPart } from './state-parts.js';

/** The counts of [from, to], without the counts themselves. */
export interface SavedState {
  readonly id: string;
  readonly format: string;
  readonly from: Date;
  readonly to: Date;
  readonly executions: number;
  readonly parts: number;
}

@Injectable()
export class MiningStateRepository {
  async find(tx: SqlClient): Promise<SavedState | undefined> {
    const [row] = await tx.$queryRaw<SavedState[]>`
      SELECT "id"::text AS "id", "format", "window_from" AS "from", "window_to" AS "to", "executions", "parts"
        FROM "mining_state"`;
    return row;
  }

  /** Undefined if the part is missing or damaged. */
  async readPart(tx: SqlClient, stateId: string, part: number): Promise<CountRecord[] | undefined> {
    const [row] = await tx.$queryRaw<{ id: string; body: Uint8Array }[]>`
      SELECT "state_id"::text AS "id", "body" FROM "mining_state_part"
       WHERE "state_id" = ${stateId}::uuid AND "part" = ${part}`;
    return readRow('mining_state_part', row, ({ body }) => unpackPart(body));
  }

  /**
   * Saves a state in the place of the one with the id `replaced`; undefined: in the place of none. Returns false, and
   * the caller must undo the transaction, if another one has been saved or removed since.
   */
  async replace(
    tx: SqlClient,
    replaced: string | undefined,
    { id, format, from, to, executions, parts }: SavedState,
    savedAt: Date,
  ): Promise<boolean> {
    if (replaced !== undefined) {
      const removed = await tx.$executeRaw`DELETE FROM "mining_state" WHERE "id" = ${replaced}::uuid`;
      if (removed !== 1) return false;
    }
    const added = await tx.$executeRaw`
      INSERT INTO "mining_state" ("id", "format", "window_from", "window_to", "executions", "parts", "saved_at")
      VALUES (${id}::uuid, ${format}, ${from}, ${to}, ${executions}, ${parts}, ${savedAt})
      ON CONFLICT DO NOTHING`;
    return added === 1;
  }

  async addPart(tx: SqlClient, stateId: string, part: number, body: Uint8Array): Promise<void> {
    await tx.$executeRaw`
      INSERT INTO "mining_state_part" ("state_id", "part", "body") VALUES (${stateId}::uuid, ${part}, ${body})`;
  }
}
