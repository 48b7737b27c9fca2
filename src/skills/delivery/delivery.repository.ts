import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import { ARMS, type DeliveryArm, type DeliveryTally, MOMENTS, type Moment } from './delivery-tally.js';

interface NewDelivery {
  readonly id: string;
  readonly memoryId: string;
  readonly skillName: string | null;
  readonly version: number | null;
  readonly agentId: string;
  readonly session: string;
  readonly harness: string;
  readonly moment: Moment;
  readonly shape: string;
  readonly arm: DeliveryArm;
  readonly at: Date;
}

/** The database returns counts as bigint, and sums as decimals. */
const number = z.coerce.number().int().min(0);
const Tally = z.object({
  agentId: z.string(),
  moment: z.enum(MOMENTS),
  arm: z.enum(ARMS),
  deliveries: number,
  judged: number,
  followed: number,
  overcome: number,
  calls: number,
  seconds: number,
  solved: number,
  again: number,
  later: number,
});

/** A delivery after a failure whose session has been reported. */
export interface ReportedDelivery {
  readonly id: string;
  readonly proposalId: string | null;
  readonly shape: string;
  /** Row of the execution. */
  readonly execution: string;
}

/** What a session did after a delivery. */
export interface JudgedDelivery {
  readonly id: string;
  readonly executionId: string;
  readonly followed: boolean | null;
  readonly overcome: boolean | null;
  readonly calls: number | null;
  readonly seconds: number | null;
  readonly again: number | null;
}

@Injectable()
export class DeliveryRepository {
  /** Returns false if this lesson was delivered in this session at this moment and for this shape before. */
  async insert(tx: SqlClient, delivery: NewDelivery): Promise<boolean> {
    const { id, memoryId, skillName, version, agentId, session, harness, moment, shape, arm, at } = delivery;
    const count = await tx.$executeRaw`
      INSERT INTO "delivery" ("id", "memory_id", "skill_name", "version", "agent_id", "session", "harness", "moment",
        "shape", "arm", "at")
      VALUES (${id}::uuid, ${memoryId}::uuid, ${skillName}, ${version}::int, ${agentId}::uuid, ${session}, ${harness},
        ${moment}, ${shape}, ${arm}, ${at}::timestamptz)
      ON CONFLICT DO NOTHING`;
    return count === 1;
  }

  /** The memories that a session of an agent received, the newest first. */
  async receivedBy(tx: SqlClient, agentId: string, session: string, limit: number): Promise<string[]> {
    const rows = await tx.$queryRaw<{ memoryId: string }[]>`
      SELECT "memory_id"::text AS "memoryId" FROM "delivery"
      WHERE "agent_id" = ${agentId}::uuid AND "session" = ${session} AND "arm" = 'delivered'
      GROUP BY "memory_id" ORDER BY max("at") DESC, "memory_id" LIMIT ${limit}::int`;
    return rows.map(({ memoryId }) => memoryId);
  }

  /** Deliveries after a failure since `since` that are not judged, with the newest report of their session. */
  async reported(tx: Tx, since: Date, limit: number): Promise<ReportedDelivery[]> {
    return tx.$queryRaw`
      SELECT d."id"::text AS "id", m."proposal_id"::text AS "proposalId", d."shape", e."id"::text AS "execution"
      FROM "delivery" d LEFT JOIN "memory" m ON m."id" = d."memory_id"
      JOIN LATERAL (
        SELECT x."id" FROM "execution" x WHERE x."agent_id" = d."agent_id" AND x."session_id" = d."session"
        ORDER BY x."finished_at" DESC, x."id" LIMIT 1) e ON true
      WHERE d."judged_at" IS NULL AND d."moment" = 'failure' AND d."at" >= ${since}
      ORDER BY d."at", d."id" LIMIT ${limit}`;
  }

  async judge(tx: Tx, { id, ...outcome }: JudgedDelivery, at: Date): Promise<void> {
    await tx.delivery.updateMany({ where: { id, judgedAt: null }, data: { ...outcome, judgedAt: at } });
  }

  /** The deliveries of one version of a skill, or of all skills, by agent, moment and arm. */
  async tallies(tx: Tx, skill?: { readonly name: string; readonly version: number }): Promise<DeliveryTally[]> {
    const rows = await tx.$queryRaw<Record<keyof DeliveryTally, unknown>[]>`
      SELECT d."agent_id"::text AS "agentId", d."moment", d."arm", count(*) AS "deliveries",
        count(d."judged_at") AS "judged", count(*) FILTER (WHERE d."followed") AS "followed",
        count(*) FILTER (WHERE d."overcome") AS "overcome", coalesce(sum(d."calls"), 0) AS "calls",
        coalesce(sum(d."seconds"), 0) AS "seconds", count(d."calls") AS "solved",
        count(*) FILTER (WHERE d."again" > 0) AS "again",
        count(*) FILTER (WHERE d."moment" = 'failure' AND EXISTS (
          SELECT FROM "delivery" l WHERE l."agent_id" = d."agent_id" AND l."memory_id" = d."memory_id"
            AND l."moment" = 'failure' AND l."shape" = d."shape" AND l."session" <> d."session" AND l."at" > d."at"))
          AS "later"
      FROM "delivery" d
      ${skill === undefined ? Prisma.empty : Prisma.sql`WHERE d."skill_name" = ${skill.name} AND d."version" = ${skill.version}`}
      GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`;
    return readRows('delivery', rows, (row) => Tally.parse(row));
  }
}
