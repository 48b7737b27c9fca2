import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { type Tx, WorkerDatabase } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { PayloadRepository, type PendingPayload } from './payload.repository.js';

/** The SDK asks up to three times; a payload of a killed process must not wait much longer than that. */
const MAX_MODEL_REQUESTS = 3;
const SLACK_MS = 30_000;

export interface LeasedPayload extends PendingPayload {
  /** Fences a late completion: it counts only while the lease is held. */
  readonly token: string;
}

/** The queue between capture and proposer. */
@Injectable()
export class AnalysisQueue {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly payloads: PayloadRepository,
  ) {}

  /** The next payload, for this caller alone until a model must have answered; nothing when none waits. */
  async leaseNext(): Promise<LeasedPayload | undefined> {
    const token = this.ids.uuid();
    const now = this.clock.now();
    const leaseMs = MAX_MODEL_REQUESTS * this.config.proposerTimeoutSeconds * 1_000 + SLACK_MS;
    const until = new Date(now.getTime() + leaseMs);
    const leased = await this.payloads.lease(this.database.client, token, now, until);
    return leased ? { ...leased, token } : undefined;
  }

  /** How many may be taken now. */
  countDue(): Promise<number> {
    return this.payloads.countDue(this.database.client, this.clock.now());
  }

  /** The oldest ones, leased to a batch; its id is the token, so that they are found again after a restart. */
  leaseForBatch(tx: Tx, batchId: string, limit: number, leaseMs: number): Promise<number> {
    const now = this.clock.now();
    return this.payloads.leaseMany(tx, batchId, limit, now, new Date(now.getTime() + leaseMs));
  }

  /** Those that are still leased to it. */
  async findLeasedInBatch(batchId: string): Promise<LeasedPayload[]> {
    const leased = await this.payloads.findLeased(this.database.client, batchId, this.clock.now());
    return leased.map((payload) => ({ ...payload, token: batchId }));
  }

  /** Ends a payload in the transaction that stores what came of it; false when the lease was lost. */
  complete(tx: Tx, payload: LeasedPayload, outcome: { stored: boolean; text: string }): Promise<boolean> {
    return this.payloads.complete(tx, payload.id, payload.token, outcome, this.clock.now());
  }

  /** Puts a payload back, to be tried again from `at` on. */
  async release(payload: LeasedPayload, outcome: string, at: Date): Promise<void> {
    await this.payloads.release(this.database.client, payload.id, payload.token, { outcome, at });
  }

  /** The same in the transaction that stores a lesson for the time being; false when the lease was lost. */
  releaseWithPlaceholder(
    tx: Tx,
    payload: LeasedPayload,
    placeholder: { id: string; outcome: string; at: Date },
  ): Promise<boolean> {
    const { id: placeholderId, outcome, at } = placeholder;
    return this.payloads.release(tx, payload.id, payload.token, { outcome, at, placeholderId });
  }

  /** How many wait for a proposer, and how many more for a model in place of the rules. */
  async countWaiting(tx: Tx): Promise<{ payloads: number; placeholders: number }> {
    return {
      payloads: await this.payloads.countPending(tx),
      placeholders: await this.payloads.countWithPlaceholder(tx),
    };
  }
}
