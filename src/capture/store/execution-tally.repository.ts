import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import { IS_LATEST, isCopy } from './lineage.repository.js';

export interface FailureTally {
  readonly agentId: string;
  readonly executions: number;
  readonly failures: number;
}

/** A period of time, divided into equal parts. */
export interface DividedPeriod {
  readonly from: Date;
  readonly until: Date;
  readonly parts: number;
}

export interface PeriodPartTally extends FailureTally {
  readonly part: number;
}

export interface ModelTally {
  readonly agentId: string;
  readonly model: string;
  readonly executions: number;
}

/** Counts stored executions. Uses columns only and never reads a report. */
@Injectable()
export class ExecutionTallyRepository {
  /** By agent: the executions that started in [from, until), and how many of them had one of the patterns. */
  async countFailures(tx: Tx, patterns: readonly string[], from: Date, until: Date | null): Promise<FailureTally[]> {
    const rows = await tx.$queryRaw<{ agentId: string; executions: bigint; failures: bigint }[]>`
      SELECT e."agent_id" AS "agentId", count(*) AS "executions",
             count(*) FILTER (WHERE e."patterns" && ${[...patterns]}::text[]) AS "failures"
      FROM "execution" e
      WHERE e."started_at" >= ${from} AND (${until}::timestamptz IS NULL OR e."started_at" < ${until})
        AND e."received_at" >= ${from} AND e."capture_state" <> 'pending'
        -- of a session that was reported again after it had grown, only the last state counts
        AND NOT ${isCopy(Prisma.sql`e`)}
        AND ${IS_LATEST}
      GROUP BY e."agent_id"`;
    return rows.map(({ agentId, executions, failures }) => ({
      agentId,
      executions: Number(executions),
      failures: Number(failures),
    }));
  }

  /**
   * By agent and part of [from, until): the executions that started in it, and how many of them had one of the
   * patterns. Parts are counted from 0.
   */
  async countFailuresByPart(
    tx: Tx,
    patterns: readonly string[],
    { from, until, parts }: DividedPeriod,
  ): Promise<PeriodPartTally[]> {
    const [begin, end] = [from.getTime() / 1_000, until.getTime() / 1_000];
    const rows = await tx.$queryRaw<{ agentId: string; part: number; executions: bigint; failures: bigint }[]>`
      SELECT e."agent_id" AS "agentId",
        width_bucket(extract(epoch FROM e."started_at")::float8, ${begin}::float8, ${end}::float8, ${parts}::int) - 1 AS "part",
        count(*) AS "executions", count(*) FILTER (WHERE e."patterns" && ${[...patterns]}::text[]) AS "failures"
      FROM "execution" e
      WHERE e."started_at" >= ${from} AND e."started_at" < ${until} AND e."capture_state" <> 'pending'
      GROUP BY 1, 2`;
    return rows.map((row) => ({ ...row, executions: Number(row.executions), failures: Number(row.failures) }));
  }

  /** The first execution that started in [from, until] and had one of the patterns. */
  async findFirst(tx: Tx, patterns: readonly string[], from: Date, until: Date): Promise<string | undefined> {
    const [row] = await tx.$queryRaw<{ id: string }[]>`
      SELECT "id"::text AS "id" FROM "execution"
      WHERE "started_at" >= ${from} AND "started_at" <= ${until} AND "patterns" && ${[...patterns]}::text[]
      ORDER BY "started_at", "id" LIMIT 1`;
    return row?.id;
  }

  /** By agent and model: the executions that started since `from` and name their model. */
  async countModels(tx: Tx, from: Date): Promise<ModelTally[]> {
    const rows = await tx.$queryRaw<{ agentId: string; model: string; executions: bigint }[]>`
      SELECT "agent_id" AS "agentId", "model", count(*) AS "executions" FROM "execution"
      WHERE "started_at" >= ${from} AND "received_at" >= ${from} AND "model" IS NOT NULL
      GROUP BY "agent_id", "model"`;
    return rows.map((row) => ({ ...row, executions: Number(row.executions) }));
  }
}
