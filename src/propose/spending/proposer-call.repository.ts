import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import type { Usage } from '../model/proposer.js';
import type { Spent } from './budget.js';

/** Arbitrary, but different from every other advisory lock of this program. */
const LOCK = 4_747_005;

/** The purpose of a call. */
export type CallSubject =
  | {
      readonly purpose: 'lesson';
      readonly payloadId: string;
      readonly executionId: string;
      readonly agentId: string;
    }
  /** `pattern`: the first digits of the hash of the summary by rules that it is to replace. */
  | { readonly purpose: 'summary'; readonly agentId: string; readonly pattern: string }
  /** `pattern`: the pattern key, as executions store it. */
  | { readonly purpose: 'wording'; readonly cycleId: string; readonly pattern: string };

export interface NewCall {
  readonly id: string;
  readonly subject: CallSubject;
  readonly proposer: string;
  readonly model: string;
  readonly reservedAt: Date;
  readonly maxUsage: Usage;
  readonly costNano: number;
  readonly batchId?: string;
}

export interface SettledCall {
  readonly outcome: string;
  /** Left out if the usage is unknown: the call then counts at its maximum. */
  readonly used?: { readonly usage: Usage; readonly costNano: number };
  readonly memoryId?: string;
}

/** The ledger of calls to models. */
@Injectable()
export class ProposerCallRepository {
  /**
   * Serialises reservations of all processes until the transaction ends. Advisory locks exclude no caller on the
   * embedded database, which runs one transaction at a time anyway.
   */
  async lock(tx: Tx): Promise<void> {
    await tx.$queryRaw`SELECT pg_advisory_xact_lock(${LOCK}::bigint)::text`;
  }

  /** What was spent since, by owner: an agent without one is its own, and what is asked for a cycle has none. */
  async spentByOwner(tx: Tx, since: Date): Promise<(Spent & { readonly owner: string | null })[]> {
    const rows = await tx.$queryRaw<{ owner: string | null; tokens: bigint; nano: bigint }[]>`
      SELECT coalesce(p."owner", p."id"::text) AS "owner", sum("cost_nano")::bigint AS "nano",
             sum("input_tokens" + "cache_write_tokens" + "cache_read_tokens" + "output_tokens")::bigint AS "tokens"
      FROM "proposer_call" c LEFT JOIN "principal" p ON p."id" = c."agent_id"
      WHERE c."reserved_at" >= ${since} GROUP BY 1`;
    return rows.map(({ owner, tokens, nano }) => ({ owner, tokens: Number(tokens), nano: Number(nano) }));
  }

  /** The owner of the agent; undefined if no agent of another owner shares a budget with it. */
  async sharingOwner(tx: Tx, agentId: string): Promise<string | undefined> {
    const [row] = await tx.$queryRaw<{ owner: string }[]>`
      SELECT coalesce(a."owner", a."id"::text) AS "owner" FROM "principal" a
      WHERE a."id" = ${agentId}::uuid AND EXISTS (SELECT 1 FROM "principal" o WHERE o."kind" = 'agent'
        AND o."disabled_at" IS NULL AND coalesce(o."owner", o."id"::text) <> coalesce(a."owner", a."id"::text))`;
    return row?.owner;
  }

  /** Returns when the `n`-th last call was made; undefined if there were fewer. */
  async nthLastCallAt(tx: Tx, n: number): Promise<Date | undefined> {
    const [row] = await tx.proposerCall.findMany({
      where: { batchId: null },
      select: { reservedAt: true },
      orderBy: { reservedAt: 'desc' },
      skip: n - 1,
      take: 1,
    });
    return row?.reservedAt;
  }

  /** Returns what a cycle has used so far. */
  async spentInCycle(tx: Tx, cycleId: string): Promise<Spent> {
    const [row] = await tx.$queryRaw<{ tokens: bigint; nano: bigint }[]>`
      SELECT coalesce(sum("input_tokens" + "cache_write_tokens" + "cache_read_tokens" + "output_tokens"), 0)::bigint AS "tokens",
             coalesce(sum("cost_nano"), 0)::bigint AS "nano"
      FROM "proposer_call" WHERE "cycle_id" = ${cycleId}::uuid`;
    return { tokens: Number(row?.tokens ?? 0), nano: Number(row?.nano ?? 0) };
  }

  async create(tx: Tx, { maxUsage: most, costNano, subject: about, ...call }: NewCall): Promise<void> {
    await tx.proposerCall.create({ data: { ...call, ...about, ...most, costNano: BigInt(costNano) } });
  }

  openInBatch(tx: Tx, batchId: string): Promise<{ id: string; payloadId: string | null }[]> {
    return tx.proposerCall.findMany({ where: { batchId, settledAt: null }, select: { id: true, payloadId: true } });
  }

  /** Returns whether the call was open until now. */
  async settle(tx: Tx, id: string, settledAt: Date, { outcome, used, memoryId }: SettledCall): Promise<boolean> {
    const { count } = await tx.proposerCall.updateMany({
      where: { id, settledAt: null },
      data: {
        settledAt,
        outcome,
        ...(used ? { ...used.usage, costNano: BigInt(used.costNano) } : {}),
        ...(memoryId ? { memoryId } : {}),
      },
    });
    return count > 0;
  }
}
