import { Inject, Injectable } from '@nestjs/common';
import type { LeasedPayload } from '../../capture/analysis/analysis-queue.service.js';
import { Clock } from '../../platform/base/clock.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import { sumBy } from '../../platform/base/sum.js';
import type { Config } from '../../platform/config/config.js';
import { type Tx, WorkerDatabase } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { count } from '../../platform/telemetry/metrics.js';
import { BATCH_PRICE_SHARE, costNano, type Price, priceOf, tokensOf, usd } from '../model/price.js';
import type { Usage } from '../model/proposer.js';
import {
  type BudgetSpan,
  type BudgetStatus,
  budgetRefusal,
  charged,
  type OverBudget,
  type Spent,
  spanAt,
} from './budget.js';
import { type CallSubject, ProposerCallRepository, type SettledCall } from './proposer-call.repository.js';

const NO_USAGE: Usage = { inputTokens: 0, cacheWriteTokens: 0, cacheReadTokens: 0, outputTokens: 0 };

/** A reserved call that is not settled yet. */
export interface OpenCall {
  readonly id: string;
  /** The share of the price that a batch costs. */
  readonly priceShare?: number;
}

/** A call that is to be made, with its maximum usage. */
export interface CallRequest {
  readonly subject: CallSubject;
  /** Recorded with the call: the implementation, its model and the version of the prompt. */
  readonly proposer: string;
  readonly model: string;
  readonly maxUsage: Usage;
}

export type Reservation =
  | { readonly granted: true; readonly call: OpenCall }
  | { readonly granted: false; readonly reason: OverBudget | 'calls_per_minute'; readonly until: Date };

/**
 * Accounts for the cost of models. The maximum usage of a call is reserved before the call, so that concurrent calls
 * cannot exceed a budget, and an owner whose agents share it with others has its share. If the process dies, the reservation stays: budgets fail closed.
 */
@Injectable()
export class ProposerBudgets {
  readonly price: Price & { readonly known: boolean };

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly calls: ProposerCallRepository,
  ) {
    this.price = priceOf(config);
  }

  /** Reserves one call, or returns which budget refuses it and until when. */
  reserve({ maxUsage: most, ...wanted }: CallRequest): Promise<Reservation> {
    const cost = costNano(most, this.price);
    return this.database.transaction(async (tx): Promise<Reservation> => {
      await this.calls.lock(tx);
      const now = this.clock.now();
      const refused =
        budgetRefusal(
          await this.budgetStatuses(tx),
          { tokens: tokensOf(most), nano: cost },
          await this.ownerOf(tx, wanted.subject),
        ) ?? (await this.rateLimitRefusal(tx, now));
      if (refused) return { granted: false, ...refused };
      const call = { id: this.ids.uuid() };
      await this.calls.create(tx, { ...call, ...wanted, reservedAt: now, maxUsage: most, costNano: cost });
      return { granted: true, call };
    });
  }

  /**
   * Reserves a batch in the transaction that writes it: for each request its call, or undefined if a budget refuses it.
   * The limit of calls per minute does not apply to batches.
   */
  async reserveBatch(
    tx: Tx,
    batchId: string,
    requests: readonly CallRequest[],
  ): Promise<readonly (OpenCall | undefined)[]> {
    await this.calls.lock(tx);
    const reservedAt = this.clock.now();
    let statuses = await this.budgetStatuses(tx);
    const granted: (OpenCall | undefined)[] = [];
    for (const { maxUsage: most, ...request } of requests) {
      const reserved = { tokens: tokensOf(most), nano: costNano(most, this.price, BATCH_PRICE_SHARE) };
      const owner = await this.ownerOf(tx, request.subject);
      if (budgetRefusal(statuses, reserved, owner)) {
        granted.push(undefined);
        continue;
      }
      statuses = charged(statuses, reserved, owner);
      const id = this.ids.uuid();
      await this.calls.create(tx, { id, ...request, reservedAt, maxUsage: most, costNano: reserved.nano, batchId });
      granted.push({ id, priceShare: BATCH_PRICE_SHARE });
    }
    return granted;
  }

  /** Returns the open calls of a batch by the ids of their payloads. */
  async openCalls(batchId: string): Promise<Map<string, OpenCall>> {
    const open = await this.calls.openInBatch(this.database.client, batchId);
    return new Map(open.map(({ id, payloadId }) => [payloadId ?? id, { id, priceShare: BATCH_PRICE_SHARE }]));
  }

  async costOfCycle(cycleId: string): Promise<{ readonly tokens: number; readonly usd: number }> {
    const { tokens, nano } = await this.calls.spentInCycle(this.database.client, cycleId);
    return { tokens, usd: usd(nano) };
  }

  usd(usage: Usage, call?: OpenCall): number {
    return usd(costNano(usage, this.price, call?.priceShare));
  }

  /** Records the outcome and the usage of a call. Settling a second time changes nothing. */
  async settle(
    call: OpenCall,
    { usage, ...settled }: Omit<SettledCall, 'used'> & { readonly usage?: Usage | undefined },
    tx: Tx = this.database.client,
  ): Promise<void> {
    const used = usage ? { used: { usage, costNano: costNano(usage, this.price, call.priceShare) } } : {};
    const isNew = await this.calls.settle(tx, call.id, this.clock.now(), { ...settled, ...used });
    // Exact but for a transaction that is repeated after a write conflict, which the lock of reservations makes rare.
    if (isNew && used.used) count('guildbook_model_cost_dollars_total', {}, usd(used.used.costNano));
  }

  /** Settles a call without an answer: at no cost, or at its maximum if it may have been charged. */
  settleUnanswered(call: OpenCall, mayBeCharged: boolean): Promise<void> {
    return this.settle(call, { outcome: 'unavailable', usage: mayBeCharged ? undefined : NO_USAGE });
  }

  async budgetStatuses(tx: Tx = this.database.client): Promise<BudgetStatus[]> {
    const now = this.clock.now();
    const status = async (span: BudgetSpan): Promise<BudgetStatus> => {
      const { proposerDayTokens: tokens, proposerDayUsd: dollars, proposerCycleShare } = this.config;
      const share = span === 'day' ? 1 : proposerCycleShare;
      const limits = { tokens: Math.floor(tokens * share), usd: dollars * share };
      const { since, resets } = spanAt(span, now, this.config.proposerCycleMinutes);
      const rows = await this.calls.spentByOwner(tx, since);
      const spent: Spent = { tokens: sumBy(rows, ({ tokens }) => tokens), nano: sumBy(rows, ({ nano }) => nano) };
      const spentBy = new Map(rows.flatMap(({ owner, ...own }) => (owner === null ? [] : [[owner, own] as const])));
      return { span, since, resets, limits, spent, spentBy };
    };
    return [await status('day'), await status('cycle')];
  }

  private ownerOf(tx: Tx, subject: CallSubject): Promise<string | undefined> {
    return subject.purpose === 'wording' ? Promise.resolve(undefined) : this.calls.sharingOwner(tx, subject.agentId);
  }

  private async rateLimitRefusal(tx: Tx, now: Date): Promise<{ reason: 'calls_per_minute'; until: Date } | undefined> {
    const earlier = await this.calls.nthLastCallAt(tx, this.config.proposerCallsPerMinute);
    const until = new Date((earlier?.getTime() ?? 0) + MINUTE_MS);
    return until > now ? { reason: 'calls_per_minute', until } : undefined;
  }
}

/** Returns the subject of a call that proposes a lesson. */
export const lessonSubject = ({ id: payloadId, executionId, agentId }: LeasedPayload): CallSubject => ({
  purpose: 'lesson',
  payloadId,
  executionId,
  agentId,
});
