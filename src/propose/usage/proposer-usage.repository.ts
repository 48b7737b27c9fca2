import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { usd } from '../model/price.js';

const MAX_LESSONS = 50;
const MAX_SKILLS = 1_000;

interface AmountRow {
  readonly calls: bigint;
  readonly input: bigint;
  readonly write: bigint;
  readonly read: bigint;
  readonly output: bigint;
  readonly nano: bigint;
}

export interface Amount {
  readonly calls: number;
  readonly inputTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
}

/** Sums over the ledger of calls. */
@Injectable()
export class ProposerUsageRepository {
  async byDay(tx: Tx, since: Date): Promise<(Amount & { day: string })[]> {
    const rows = await tx.$queryRaw<(AmountRow & { day: string })[]>`
      SELECT to_char("reserved_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS "day", count(*) AS "calls",
             sum("input_tokens") AS "input", sum("cache_write_tokens") AS "write", sum("cache_read_tokens") AS "read",
             sum("output_tokens") AS "output", sum("cost_nano") AS "nano"
      FROM "proposer_call" WHERE "reserved_at" >= ${since} GROUP BY 1 ORDER BY 1 DESC`;
    return rows.map((row) => ({ day: row.day, ...toAmount(row) }));
  }

  async byOutcome(tx: Tx, since: Date): Promise<(Amount & { outcome: string })[]> {
    const rows = await tx.$queryRaw<(AmountRow & { outcome: string })[]>`
      SELECT coalesce("outcome", 'under_way') AS "outcome", count(*) AS "calls",
             sum("input_tokens") AS "input", sum("cache_write_tokens") AS "write", sum("cache_read_tokens") AS "read",
             sum("output_tokens") AS "output", sum("cost_nano") AS "nano"
      FROM "proposer_call" WHERE "reserved_at" >= ${since} GROUP BY 1 ORDER BY 2 DESC, 1`;
    return rows.map((row) => ({ outcome: row.outcome, ...toAmount(row) }));
  }

  async byPurpose(tx: Tx, since: Date): Promise<(Amount & { purpose: string })[]> {
    const rows = await tx.$queryRaw<(AmountRow & { purpose: string })[]>`
      SELECT "purpose", count(*) AS "calls",
             sum("input_tokens") AS "input", sum("cache_write_tokens") AS "write", sum("cache_read_tokens") AS "read",
             sum("output_tokens") AS "output", sum("cost_nano") AS "nano"
      FROM "proposer_call" WHERE "reserved_at" >= ${since} GROUP BY 1 ORDER BY 1`;
    return rows.map((row) => ({ purpose: row.purpose, ...toAmount(row) }));
  }

  /** Includes earlier calls for the same execution that gave no lesson: the execution is paid for as a whole. */
  async byLesson(
    tx: Tx,
    since: Date,
  ): Promise<(Amount & { id: string; agent: string; proposer: string; live: boolean })[]> {
    const rows = await tx.$queryRaw<(AmountRow & { id: string; agent: string; proposer: string; live: boolean })[]>`
      SELECT m."id"::text AS "id", p."name" AS "agent", m."proposer" AS "proposer", m."superseded_at" IS NULL AS "live",
             count(*) AS "calls",
             sum(c."input_tokens") AS "input", sum(c."cache_write_tokens") AS "write",
             sum(c."cache_read_tokens") AS "read", sum(c."output_tokens") AS "output", sum(c."cost_nano") AS "nano"
      FROM "memory" m
        JOIN "proposer_call" l ON l."memory_id" = m."id" AND l."reserved_at" >= ${since}
        JOIN "proposer_call" c ON c."execution_id" = l."execution_id"
        JOIN "principal" p ON p."id" = m."agent_id"
      GROUP BY m."id", p."name", m."proposer", m."superseded_at"
      ORDER BY sum(c."cost_nano") DESC, m."id" LIMIT ${MAX_LESSONS}`;
    return rows.map((row) => {
      const { id, agent, proposer, live } = row;
      return { id, agent, proposer, live, ...toAmount(row) };
    });
  }

  /**
   * Includes the calls of cycles that worded the proposals of a skill. Executions and these calls store the first 16 digits of a fingerprint; the proposal of a skill has all digits.
   */
  async bySkill(tx: Tx): Promise<(Amount & { name: string; version: number; lessons: number })[]> {
    const rows = await tx.$queryRaw<(AmountRow & { name: string; version: number; lessons: bigint })[]>`
      WITH skill AS (
        SELECT m."skill_name" AS "name", m."version", substring(f FROM 8 FOR 16) AS "pattern"
        FROM "memory" m JOIN "proposal" i ON i."id" = m."proposal_id" LEFT JOIN unnest(i."fingerprints") f ON true
        WHERE m."scope" = 'org' AND m."superseded_at" IS NULL),
      call AS (
        SELECT c."id", met AS "pattern" FROM "proposer_call" c JOIN "execution" e ON e."id" = c."execution_id", unnest(e."patterns") met
        UNION ALL SELECT c."id", c."pattern" FROM "proposer_call" c WHERE c."pattern" IS NOT NULL),
      paid AS (SELECT DISTINCT s."name", s."version", c."id" FROM skill s LEFT JOIN call c ON c.pattern = s."pattern")
      SELECT p."name", p."version", count(c."memory_id") AS "lessons", count(c."id") AS "calls",
             coalesce(sum(c."input_tokens"), 0) AS "input", coalesce(sum(c."cache_write_tokens"), 0) AS "write",
             coalesce(sum(c."cache_read_tokens"), 0) AS "read", coalesce(sum(c."output_tokens"), 0) AS "output",
             coalesce(sum(c."cost_nano"), 0) AS "nano"
      FROM paid p LEFT JOIN "proposer_call" c ON c."id" = p."id"
      GROUP BY p."name", p."version" ORDER BY 9 DESC, 1 LIMIT ${MAX_SKILLS}`;
    return rows.map((row) => ({
      name: row.name,
      version: row.version,
      lessons: Number(row.lessons),
      ...toAmount(row),
    }));
  }
}

function toAmount({ calls, input, write, read, output, nano }: AmountRow): Amount {
  return {
    calls: Number(calls),
    inputTokens: Number(input),
    cacheWriteTokens: Number(write),
    cacheReadTokens: Number(read),
    outputTokens: Number(output),
    usd: usd(Number(nano)),
  };
}
