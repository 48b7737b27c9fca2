import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/database.js';
import { releaseLease, takeLease } from '../platform/database/lease.js';
import type { RetentionRun } from './retention.schema.js';

const LEASE = 'retention';

/** What one batch removed. */
export type Removed = Pick<RetentionRun, 'reports' | 'cited' | 'deliveries' | 'retrievals'>;

export interface OldReport {
  readonly id: string;
  readonly receivedAt: Date;
  readonly isCited: boolean;
}

export interface ReportCursor {
  readonly receivedAt: Date;
  readonly id: string;
}

@Injectable()
export class RetentionRepository {
  lease(tx: Tx, holder: string, now: Date, ms: number): Promise<boolean> {
    return takeLease(tx, LEASE, holder, now, ms);
  }

  release(tx: Tx, holder: string): Promise<void> {
    return releaseLease(tx, LEASE, holder);
  }

  /**
   * The next reports received before `before`, after the cursor, and which of them something cites: a lesson (live or a
   * tombstone) as its source, a witness, evidence for or against a memory, a child, whose root it determines; or work
   * that has not read them yet. Proposals and skills hold the text of their evidence themselves.
   */
  oldReports(tx: Tx, before: Date, { receivedAt, id }: ReportCursor, limit: number): Promise<OldReport[]> {
    return tx.$queryRaw<OldReport[]>`
      SELECT e."id"::text AS "id", e."received_at" AS "receivedAt",
        (e."capture_state" = 'pending'
          OR EXISTS (SELECT 1 FROM "analysis_payload" p WHERE p."execution_id" = e."id" AND p."state" = 'pending')
          OR EXISTS (SELECT 1 FROM "memory" m WHERE m."source_execution_id" = e."id")
          OR EXISTS (SELECT 1 FROM "memory_witness" w WHERE w."execution_id" = e."id")
          OR EXISTS (SELECT 1 FROM "memory_evidence" v WHERE v."execution_id" = e."id")
          OR EXISTS (SELECT 1 FROM "execution" c WHERE c."parent_execution_id" = e."execution_id" AND c."id" <> e."id")
        ) AS "isCited"
      FROM "execution" e
      WHERE e."received_at" < ${before} AND (e."received_at", e."id") > (${receivedAt}::timestamptz, ${id}::uuid)
      ORDER BY e."received_at", e."id" LIMIT ${limit}`;
  }

  /**
   * Removes reports with what is derived from them: also the evolver's saved counts, if their window may hold one of
   * these. Those of the last day are of later reports.
   */
  async removeReports(tx: Tx, ids: readonly string[]): Promise<number> {
    if (ids.length === 0) return 0;
    const all = [...ids];
    await tx.$executeRaw`
      DELETE FROM "mining_state" WHERE "window_from" <=
        (SELECT max("received_at") FROM "execution" WHERE "id" = ANY (${all}::uuid[]))`;
    await tx.$executeRaw`DELETE FROM "analysis_payload" WHERE "execution_id" = ANY (${all}::uuid[])`;
    await tx.$executeRaw`DELETE FROM "observation" WHERE "execution_id" = ANY (${all}::uuid[])`;
    return tx.$executeRaw`DELETE FROM "execution" WHERE "id" = ANY (${all}::uuid[])`;
  }

  removeDeliveries(tx: Tx, before: Date, limit: number): Promise<number> {
    return tx.$executeRaw`
      DELETE FROM "delivery" WHERE "id" IN (
        SELECT "id" FROM "delivery" WHERE "at" < ${before} ORDER BY "at", "id" LIMIT ${limit})`;
  }

  removeRetrievals(tx: Tx, before: Date, limit: number): Promise<number> {
    return tx.$executeRaw`
      DELETE FROM "memory_retrieval" WHERE ("memory_id", "agent_id", "session_id") IN (
        SELECT "memory_id", "agent_id", "session_id" FROM "memory_retrieval" WHERE "at" < ${before}
         ORDER BY "at" LIMIT ${limit})`;
  }

  /** How many a run would remove. */
  async countDeliveries(tx: Tx, before: Date): Promise<Pick<Removed, 'deliveries' | 'retrievals'>> {
    const where = { at: { lt: before } };
    return {
      deliveries: await tx.delivery.count({ where }),
      retrievals: await tx.memoryRetrieval.count({ where }),
    };
  }
}
