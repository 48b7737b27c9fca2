import { Inject, Injectable } from '@nestjs/common';
import { FIRST_TURN } from '../../platform/background/next-in-turn.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { type Tx, WorkerDatabase } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { PayloadRepository, type PendingPayload } from './payload.repository.js';

/**
 * The SDK sends a request up to three times. A payload of a killed process must not stay leased much longer than that
 * takes.
 */
const MAX_MODEL_REQUESTS = 3;
const SLACK_MS = 30_000;

export interface LeasedPayload extends PendingPayload {
  /** Fences a late completion: it is valid only while the lease is held. */
  readonly token: string;
}

/** The queue between capture and the proposer. */
@Injectable()
export class AnalysisQueue {
  /** The agent whose turn was the last. */
  private last = FIRST_TURN;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly payloads: PayloadRepository,
  ) {}

  /** Leases a payload of the agent whose turn is next to this caller until a model must have answered. Undefined if no payload is due. */
  async leaseNext(): Promise<LeasedPayload | undefined> {
    const token = this.ids.uuid();
    const now = this.clock.now();
    const leaseMs = MAX_MODEL_REQUESTS * this.config.proposerTimeoutSeconds * 1_000 + SLACK_MS;
    const until = new Date(now.getTime() + leaseMs);
    const leased = await this.payloads.lease(this.database.client, token, this.last, now, until);
    if (!leased) return undefined;
    this.last = leased.agentId;
    return { ...leased, token };
  }

  /** The number of payloads that can be leased now. */
  countDue(): Promise<number> {
    return this.payloads.countDue(this.database.client, this.clock.now());
  }

  /**
   * Leases payloads of each agent in turn to a batch. The batch's id is the token, so that the payloads can be found again after a
   * restart.
   */
  leaseForBatch(tx: Tx, batchId: string, limit: number, leaseMs: number): Promise<number> {
    const now = this.clock.now();
    return this.payloads.leaseMany(tx, batchId, limit, now, new Date(now.getTime() + leaseMs));
  }

  /** The payloads that the batch still holds. */
  async findLeasedInBatch(batchId: string): Promise<LeasedPayload[]> {
    const leased = await this.payloads.findLeased(this.database.client, batchId, this.clock.now());
    return leased.map((payload) => ({ ...payload, token: batchId }));
  }

  /** Completes a payload in the transaction that stores its outcome. False if the lease was lost. */
  complete(tx: Tx, payload: LeasedPayload, outcome: { stored: boolean; text: string }): Promise<boolean> {
    return this.payloads.complete(tx, payload.id, payload.token, outcome, this.clock.now());
  }

  /** Releases a payload, to be leased again from `at` on. */
  async release(payload: LeasedPayload, outcome: string, at: Date): Promise<void> {
    await this.payloads.release(this.database.client, payload.id, payload.token, { outcome, at });
  }

  /** Releases a payload in the transaction that stores its placeholder lesson. False if the lease was lost. */
  releaseWithPlaceholder(
    tx: Tx,
    payload: LeasedPayload,
    placeholder: { id: string; outcome: string; at: Date },
  ): Promise<boolean> {
    const { id: placeholderId, outcome, at } = placeholder;
    return this.payloads.release(tx, payload.id, payload.token, { outcome, at, placeholderId });
  }

  /** Returns whether a later execution of the payload's session succeeded. */
  succeededLater({ agentId, executionId, sessionId }: LeasedPayload): Promise<boolean> {
    const { client } = this.database;
    return sessionId === null
      ? Promise.resolve(false)
      : this.payloads.succeededLater(client, agentId, sessionId, executionId);
  }

  /** The number of payloads without a lesson, and of payloads with a placeholder that a model should replace. */
  async countWaiting(tx: Tx): Promise<{ payloads: number; placeholders: number }> {
    return {
      payloads: await this.payloads.countPending(tx),
      placeholders: await this.payloads.countWithPlaceholder(tx),
    };
  }
}
