import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { SkillUse } from './skill-use.schema.js';

export interface StoredUse {
  readonly skillName: string;
  readonly version: number;
  readonly agentId: string;
  readonly executionId: string;
  readonly event: SkillUse['event'];
  readonly outcome: SkillUse['outcome'];
  readonly at: Date;
}

/** Uses of one agent with the same event and outcome. */
export interface UseCount extends Omit<StoredUse, 'executionId' | 'at'> {
  readonly uses: number;
}

export interface AppliedPerInterval {
  readonly skillName: string;
  readonly part: number;
  readonly uses: number;
}

export interface UsesPerInterval {
  readonly event: SkillUse['event'];
  readonly part: number;
  readonly uses: number;
}

@Injectable()
export class SkillUseRepository {
  /** Returns false if this use was reported before; then nothing changes. */
  async insert(tx: Tx, use: StoredUse & { id: string; receivedAt: Date }): Promise<boolean> {
    const { count } = await tx.skillUse.createMany({ data: use, skipDuplicates: true });
    return count === 1;
  }

  async find(tx: Tx, use: Pick<StoredUse, 'skillName' | 'agentId' | 'executionId' | 'event'>): Promise<StoredUse> {
    const { skillName, agentId, executionId, event } = use;
    return tx.skillUse.findUniqueOrThrow({
      where: { skillName_agentId_executionId_event: { skillName, agentId, executionId, event } },
    });
  }

  /** The same event in another session of the owner that has some of the calls: one of them repeats the other. */
  async findCopied(tx: Tx, { skillName, agentId, executionId, event, at }: StoredUse): Promise<StoredUse | undefined> {
    const [found] = await tx.$queryRaw<StoredUse[]>`
      SELECT u."skill_name" AS "skillName", u."version", u."agent_id"::text AS "agentId",
        u."execution_id" AS "executionId", u."event"::text AS "event", u."outcome"::text AS "outcome", u."at"
      FROM "execution" o
        JOIN "execution" e ON e."call_keys" && o."call_keys" AND e."session_id" <> o."session_id"
          AND (e."agent_id" = o."agent_id" OR e."reporter_id" = o."reporter_id" OR e."owner" = o."owner")
        JOIN "skill_use" u ON u."agent_id" = e."agent_id" AND u."execution_id" = e."execution_id"
      WHERE o."agent_id" = ${agentId}::uuid AND o."execution_id" = ${executionId} AND u."skill_name" = ${skillName}
        AND u."event"::text = ${event} AND u."at" = ${at}::timestamptz
      LIMIT 1`;
    return found;
  }

  /**
   * Uses by skill, version, agent, event and outcome, of one skill if it is named. The report of the execution
   * overrules the reported outcome if it has a verification that is not by the agent itself, or a failure.
   */
  async counts(tx: Tx, skillName?: string): Promise<UseCount[]> {
    const rows = await tx.$queryRaw<RawCount<UseCount>[]>`
      SELECT u."skill_name" AS "skillName", u."version", u."agent_id" AS "agentId", u."event"::text AS "event",
        CASE WHEN e."report" -> 'verification' ->> 'outcome' = 'succeeded'
            AND e."report" -> 'verification' ->> 'source' <> 'self' THEN 'success'
          WHEN e."report" -> 'verification' ->> 'outcome' = 'failed' OR e."status" = 'failed' THEN 'failure'
          ELSE u."outcome"::text END AS "outcome",
        count(*) AS "uses"
      FROM "skill_use" u LEFT JOIN "execution" e
        ON e."agent_id" = u."agent_id" AND e."execution_id" = u."execution_id"
      ${skillName === undefined ? Prisma.empty : Prisma.sql`WHERE u."skill_name" = ${skillName}`}
      GROUP BY 1, 2, 3, 4, 5`;
    return rows.map(({ uses, ...row }) => ({ ...row, uses: Number(uses) }));
  }

  /**
   * Uses of a skill by event and interval, where [from, until) is divided into `parts` equal intervals, counted from 0.
   */
  async countsPerInterval(
    tx: Tx,
    skillName: string,
    from: Date,
    until: Date,
    parts: number,
  ): Promise<UsesPerInterval[]> {
    const [begin, end] = [from.getTime() / 1_000, until.getTime() / 1_000];
    const rows = await tx.$queryRaw<RawCount<UsesPerInterval>[]>`
      SELECT "event"::text AS "event",
        width_bucket(extract(epoch FROM "at")::float8, ${begin}::float8, ${end}::float8, ${parts}::int) - 1 AS "part",
        count(*) AS "uses"
      FROM "skill_use" WHERE "skill_name" = ${skillName} AND "at" >= ${from} AND "at" < ${until} GROUP BY 1, 2`;
    return rows.map(({ uses, ...row }) => ({ ...row, uses: Number(uses) }));
  }

  /**
   * How often each of these skills was applied per interval, where [from, until) is divided into `parts` equal
   * intervals, counted from 0.
   */
  async appliedPerInterval(
    tx: Tx,
    skillNames: readonly string[],
    from: Date,
    until: Date,
    parts: number,
  ): Promise<AppliedPerInterval[]> {
    const [begin, end] = [from.getTime() / 1_000, until.getTime() / 1_000];
    const rows = await tx.$queryRaw<RawCount<AppliedPerInterval>[]>`
      SELECT "skill_name" AS "skillName",
        width_bucket(extract(epoch FROM "at")::float8, ${begin}::float8, ${end}::float8, ${parts}::int) - 1 AS "part",
        count(*) AS "uses"
      FROM "skill_use"
      WHERE "skill_name" = ANY (${[...skillNames]}::text[]) AND "event" = 'applied' AND "at" >= ${from} AND "at" < ${until}
      GROUP BY 1, 2`;
    return rows.map(({ uses, ...row }) => ({ ...row, uses: Number(uses) }));
  }

  /** The agents that loaded or applied a version in [from, until). */
  async activeAgents(tx: Tx, skillName: string, version: number, from: Date, until: Date | null): Promise<string[]> {
    const rows = await tx.skillUse.findMany({
      where: { skillName, version, event: { not: 'offered' }, at: { gte: from, ...(until ? { lt: until } : {}) } },
      select: { agentId: true },
      distinct: ['agentId'],
    });
    return rows.map(({ agentId }) => agentId);
  }
}

/** The database returns counts as bigint. */
type RawCount<T extends { readonly uses: number }> = Omit<T, 'uses'> & { readonly uses: bigint };
