import { Injectable } from '@nestjs/common';
import { nextInTurn, type SharedQueue } from '../../platform/background/next-in-turn.js';
import { readRow, readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';
import { AnalysisPayload } from './payload.schema.js';

export interface PendingPayload {
  readonly id: string;
  readonly executionId: string;
  readonly agentId: string;
  readonly sessionId: string | null;
  readonly attempts: number;
  readonly createdAt: Date;
  /** The lesson that the rules wrote in place of the model's, because the model was unavailable. */
  readonly placeholderId: string | null;
  readonly body: AnalysisPayload;
}

export interface NewPayload {
  readonly id: string;
  readonly executionId: string;
  readonly agentId: string;
  readonly body: Sanitized<AnalysisPayload>;
  readonly createdAt: Date;
}

type Leased = Omit<PendingPayload, 'body'> & { readonly body: unknown };

/** Payloads that have no answer, those that a batch or a pause holds included. */
export const PENDING_PAYLOADS = (): Prisma.Sql => Prisma.sql`
  SELECT count(*)::int AS "length", min("created_at") AS "oldest" FROM "analysis_payload" WHERE "state" = 'pending'`;

/** Another process may lease the next payloads in the same moment. */
const LEASE_TRIES = 10;

const dueAt = (now: Date): SharedQueue => ({
  table: Prisma.sql`"analysis_payload"`,
  due: Prisma.sql`"state" = 'pending' AND ("lease_until" IS NULL OR "lease_until" <= ${now})`,
  age: Prisma.sql`"created_at"`,
});

const WITH_SESSION = { execution: { select: { sessionId: true } } } as const;

type Row = Awaited<ReturnType<Tx['analysisPayload']['findUniqueOrThrow']>> & {
  readonly execution: { readonly sessionId: string | null };
};

function toPending(row: Row): PendingPayload {
  return {
    id: row.id,
    executionId: row.executionId,
    agentId: row.agentId,
    sessionId: row.execution.sessionId,
    attempts: row.attempts,
    createdAt: row.createdAt,
    placeholderId: row.placeholderId,
    body: AnalysisPayload.parse(row.body),
  };
}

@Injectable()
export class PayloadRepository {
  /** Removes the payloads of executions that are captured again, unless the proposer has begun with them. */
  async withdraw(tx: Tx, executionIds: readonly string[]): Promise<void> {
    await tx.analysisPayload.deleteMany({
      where: { executionId: { in: [...executionIds] }, state: 'pending', leaseToken: null, attempts: 0 },
    });
  }

  /** One that the proposer has begun with, or finished, stays as it is. */
  async create(tx: Tx, payloads: readonly NewPayload[]): Promise<void> {
    await tx.analysisPayload.createMany({
      data: payloads.map(({ body, ...rest }) => ({
        ...rest,
        body: { ...body },
        kind: body.kind,
        state: 'pending' as const,
      })),
      skipDuplicates: true,
    });
  }

  /**
   * Leases the oldest pending payload of the agent after `last`, or of the next one that has any, until `until`. The
   * token fences late completions: a holder that lost the lease cannot complete the payload.
   */
  async lease(tx: Tx, token: string, last: string, now: Date, until: Date): Promise<PendingPayload | undefined> {
    const next = (await nextInTurn(tx, dueAt(now), last, LEASE_TRIES)).map(({ id }) => id);
    const [leased] = await tx.$queryRaw<Leased[]>`
      UPDATE "analysis_payload" p SET "lease_token" = ${token}::uuid, "lease_until" = ${until}, "attempts" = "attempts" + 1
      FROM "execution" e
      WHERE p."id" = (SELECT "id" FROM "analysis_payload" WHERE "id" = ANY(${next}::uuid[]) AND ${dueAt(now).due}
                      ORDER BY array_position(${next}::uuid[], "id") LIMIT 1 FOR UPDATE SKIP LOCKED)
        AND e."id" = p."execution_id"
      RETURNING p."id", p."execution_id" AS "executionId", p."agent_id" AS "agentId", e."session_id" AS "sessionId",
        p."attempts", p."created_at" AS "createdAt", p."placeholder_id" AS "placeholderId", p."body"`;
    return readRow('analysis_payload', leased, (row) => ({ ...row, body: AnalysisPayload.parse(row.body) }));
  }

  /** Leases up to `limit` payloads under one token, of each agent in turn. Returns how many. */
  async leaseMany(tx: Tx, token: string, limit: number, now: Date, until: Date): Promise<number> {
    const { due } = dueAt(now);
    return tx.$executeRaw`
      UPDATE "analysis_payload" SET "lease_token" = ${token}::uuid, "lease_until" = ${until}, "attempts" = "attempts" + 1
      WHERE "id" IN (
        SELECT "id" FROM "analysis_payload" WHERE ${due} AND "id" IN (
          SELECT "id" FROM "analysis_payload" WHERE ${due}
          ORDER BY row_number() OVER (PARTITION BY "agent_id" ORDER BY "created_at", "id"), "created_at", "id" LIMIT ${limit})
        FOR UPDATE SKIP LOCKED)`;
  }

  async findLeased(tx: Tx, token: string, now: Date): Promise<PendingPayload[]> {
    const rows = await tx.analysisPayload.findMany({
      where: { state: 'pending', leaseToken: token, leaseUntil: { gt: now } },
      include: WITH_SESSION,
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    return readRows('analysis_payload', rows, toPending);
  }

  countDue(tx: Tx, now: Date): Promise<number> {
    return tx.analysisPayload.count({
      where: { state: 'pending', OR: [{ leaseUntil: null }, { leaseUntil: { lte: now } }] },
    });
  }

  /** Completes a payload. True only for the holder of the lease. `outcome` says what the payload produced. */
  async complete(
    tx: Tx,
    id: string,
    token: string,
    outcome: { stored: boolean; text: string },
    at: Date,
  ): Promise<boolean> {
    const { count } = await tx.analysisPayload.updateMany({
      where: { id, leaseToken: token, state: 'pending' },
      data: { state: outcome.stored ? 'done' : 'discarded', outcome: outcome.text, doneAt: at, leaseUntil: null },
    });
    return count === 1;
  }

  /**
   * Releases the payload, to be leased again from `at` on, optionally with a placeholder lesson. True only for the
   * holder of the lease.
   */
  async release(
    tx: Tx,
    id: string,
    token: string,
    { outcome, at, placeholderId }: { outcome: string; at: Date; placeholderId?: string },
  ): Promise<boolean> {
    const { count } = await tx.analysisPayload.updateMany({
      where: { id, leaseToken: token, state: 'pending' },
      data: { leaseUntil: at, outcome, ...(placeholderId ? { placeholderId } : {}) },
    });
    return count === 1;
  }

  /** Pending payloads that have no placeholder lesson yet. */
  countPending(tx: Tx): Promise<number> {
    return tx.analysisPayload.count({ where: { state: 'pending', placeholderId: null } });
  }

  countWithPlaceholder(tx: Tx): Promise<number> {
    return tx.analysisPayload.count({ where: { state: 'pending', placeholderId: { not: null } } });
  }

  /** Returns whether an execution of the session completed after this one, and no check of its result failed. */
  async succeededLater(tx: Tx, agentId: string, sessionId: string, executionId: string): Promise<boolean> {
    const rows = await tx.$queryRaw<unknown[]>`
      SELECT 1 FROM "execution" e JOIN "execution" l ON l."agent_id" = e."agent_id" AND l."session_id" = e."session_id"
       WHERE e."id" = ${executionId}::uuid AND e."agent_id" = ${agentId}::uuid AND e."session_id" = ${sessionId}
         AND l."finished_at" > e."finished_at" AND l."status" = 'completed'
         AND l."report" #>> '{verification,outcome}' <> 'failed' LIMIT 1`;
    return rows.length > 0;
  }
}
