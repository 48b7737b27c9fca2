import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/database.js';
import { insertRows, type SqlClient } from '../platform/database/sql-client.js';
import { Prisma } from '../platform/generated/prisma/client.js';
import type { Webhook, WebhookDelivery, WebhookFormat } from './webhooks.schema.js';

export interface WebhookTarget {
  readonly endpointId: string;
  readonly url: string;
  readonly secret: string;
  readonly format: WebhookFormat;
}

/** What a message says about a proposal. */
export interface AnnouncedProposal {
  readonly id: string;
  readonly kind: string;
  readonly risk: string;
  readonly skillName: string;
  readonly version: number;
  readonly title: string;
  readonly cycleId: string | null;
  readonly evidence: Readonly<Record<string, number>>;
}

/** A delivery that this caller holds until its lease ends. */
export interface ClaimedDelivery extends WebhookTarget {
  readonly id: string;
  readonly body: string;
  /** Includes this attempt. It also fences off a late result: a delivery that was claimed again has another number. */
  readonly attempts: number;
  /** The span that the message belongs to; null: the one in which it is sent. */
  readonly traceparent: string | null;
}

interface NewDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly event: string;
  readonly body: string;
  readonly createdAt: Date;
  readonly nextAttemptAt: Date;
  readonly attempts?: number;
  readonly traceparent?: string | undefined;
}

interface AttemptResult {
  readonly state: WebhookDelivery['state'];
  readonly status: number | null;
  /** Redacted, then clipped. */
  readonly answer: string;
  readonly at: Date;
  readonly nextAttemptAt: Date;
}

/** Deliveries that did not end, those that wait for another attempt included. */
export const PENDING_DELIVERIES = (): Prisma.Sql => Prisma.sql`
  SELECT count(*)::int AS "length", min("created_at") AS "oldest" FROM "webhook_delivery" WHERE "state" = 'pending'`;

type Row = Awaited<ReturnType<Tx['webhookDelivery']['findUniqueOrThrow']>>;

const toDelivery = (row: Row): WebhookDelivery => ({
  id: row.id,
  event: row.event,
  state: row.state,
  attempts: row.attempts,
  createdAt: row.createdAt.toISOString(),
  nextAttemptAt: row.state === 'pending' ? row.nextAttemptAt.toISOString() : null,
  endedAt: row.endedAt?.toISOString() ?? null,
  lastStatus: row.lastStatus,
  lastAnswer: row.lastAnswer,
});

@Injectable()
export class WebhookRepository {
  async create(
    tx: Tx,
    endpoint: WebhookTarget & { events: readonly string[]; createdBy: string; createdAt: Date },
  ): Promise<void> {
    const { endpointId, events, ...rest } = endpoint;
    await tx.webhookEndpoint.create({ data: { id: endpointId, events: [...events], ...rest } });
  }

  async list(tx: Tx): Promise<Webhook[]> {
    const rows = await tx.webhookEndpoint.findMany({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
    const pending = await tx.webhookDelivery.groupBy({
      by: ['endpointId'],
      where: { state: 'pending' },
      _count: true,
    });
    return rows.map(({ secret: _secret, createdAt, disabledAt, ...row }) => ({
      ...row,
      createdAt: createdAt.toISOString(),
      disabledAt: disabledAt?.toISOString() ?? null,
      pending: pending.find(({ endpointId }) => endpointId === row.id)?._count ?? 0,
    }));
  }

  count(tx: Tx): Promise<number> {
    return tx.webhookEndpoint.count();
  }

  async target(tx: Tx, id: string): Promise<WebhookTarget | undefined> {
    const row = await tx.webhookEndpoint.findUnique({ where: { id } });
    return row ? { endpointId: row.id, url: row.url, secret: row.secret, format: row.format } : undefined;
  }

  /** Deletes the webhook and its deliveries. Returns false if it was deleted before. */
  async remove(tx: Tx, id: string): Promise<boolean> {
    const { count } = await tx.webhookEndpoint.deleteMany({ where: { id } });
    await tx.webhookDelivery.deleteMany({ where: { endpointId: id } });
    return count === 1;
  }

  /** Compare-and-set: returns true for the caller that disabled it. Pending deliveries fail. */
  async disable(tx: Tx, id: string, at: Date): Promise<boolean> {
    const { count } = await tx.webhookEndpoint.updateMany({
      where: { id, disabledAt: null },
      data: { disabledAt: at },
    });
    await tx.webhookDelivery.updateMany({
      where: { endpointId: id, state: 'pending' },
      data: { state: 'failed', endedAt: at },
    });
    return count === 1;
  }

  subscribers(tx: SqlClient, events: readonly string[]): Promise<{ id: string; events: string[] }[]> {
    return tx.$queryRaw`
      SELECT "id"::text AS "id", "events" FROM "webhook_endpoint"
      WHERE "disabled_at" IS NULL AND "events" && ${[...events]}::text[]`;
  }

  /** The proposals with these ids, by id. Their texts were redacted when they were stored. */
  async proposals(tx: SqlClient, ids: readonly string[]): Promise<Map<string, AnnouncedProposal>> {
    if (ids.length === 0) return new Map();
    const rows = await tx.$queryRaw<AnnouncedProposal[]>`
      SELECT "id"::text AS "id", "kind"::text AS "kind", "risk"::text AS "risk", "skill_name" AS "skillName", "version",
             "title", "cycle_id"::text AS "cycleId",
             (SELECT jsonb_object_agg(e.key, e.value) FROM jsonb_each("evidence") e
               WHERE e.key IN ('agents', 'owners', 'origins', 'executions', 'failures')) AS "evidence"
        FROM "proposal" WHERE "id" = ANY(${[...new Set(ids)]}::uuid[])`;
    return new Map(rows.map((row) => [row.id, row]));
  }

  async add(tx: SqlClient, deliveries: readonly NewDelivery[]): Promise<void> {
    const rows = deliveries.map((row) => ({ attempts: 0, ...row, state: 'pending' }));
    await insertRows(tx, 'webhook_delivery', rows);
  }

  /**
   * Claims the next due delivery of each webhook and leases it until `until`. One per webhook, so that a slow receiver
   * delays no other.
   */
  claim(tx: Tx, now: Date, until: Date): Promise<ClaimedDelivery[]> {
    return tx.$queryRaw`
      UPDATE "webhook_delivery" c SET "attempts" = c."attempts" + 1, "next_attempt_at" = ${until}
        FROM "webhook_endpoint" e CROSS JOIN LATERAL (
          SELECT "id" FROM "webhook_delivery"
           WHERE "endpoint_id" = e."id" AND "state" = 'pending' AND "next_attempt_at" <= ${now}
           ORDER BY "next_attempt_at", "created_at", "id" LIMIT 1 FOR UPDATE SKIP LOCKED) d
       WHERE e."disabled_at" IS NULL AND c."id" = d."id"
      RETURNING c."id", c."body", c."attempts", c."traceparent", e."id" AS "endpointId", e."url", e."secret",
                e."format"::text AS "format"`;
  }

  /** Records the result of an attempt, unless the lease was lost meanwhile. */
  async recordAttempt(tx: Tx, { id, attempts }: ClaimedDelivery, attempt: AttemptResult): Promise<void> {
    const { state, status, answer, at, nextAttemptAt } = attempt;
    await tx.webhookDelivery.updateMany({
      where: { id, attempts, state: 'pending' },
      data: {
        state,
        lastStatus: status,
        lastAnswer: answer,
        nextAttemptAt,
        endedAt: state === 'pending' ? null : at,
      },
    });
  }

  async deliveries(tx: Tx, endpointId: string, limit: number): Promise<WebhookDelivery[]> {
    const rows = await tx.webhookDelivery.findMany({
      where: { endpointId },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: limit,
    });
    return rows.map(toDelivery);
  }

  async delivery(tx: Tx, id: string): Promise<WebhookDelivery | undefined> {
    const row = await tx.webhookDelivery.findUnique({ where: { id } });
    return row ? toDelivery(row) : undefined;
  }

  /** Deletes deliveries that ended before that time, and those of deleted webhooks. Returns their number. */
  async purge(tx: Tx, before: Date): Promise<number> {
    return tx.$executeRaw`
      DELETE FROM "webhook_delivery" d WHERE d."ended_at" < ${before}
         OR NOT EXISTS (SELECT 1 FROM "webhook_endpoint" e WHERE e."id" = d."endpoint_id")`;
  }
}
