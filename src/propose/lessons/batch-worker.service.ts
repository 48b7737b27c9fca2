import { Inject, Injectable, Logger } from '@nestjs/common';
import { AnalysisQueue, type LeasedPayload } from '../../capture/analysis/analysis-queue.service.js';
import { BackgroundWorker } from '../../platform/background/worker.js';
import { Clock } from '../../platform/base/clock.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { releaseLease, takeLease } from '../../platform/database/lease.js';
import { CONFIG } from '../../platform/platform.module.js';
import type { BatchAnswer, LessonProposer, ModelBatches, Unavailable } from '../model/proposer.js';
import { ProposerQuestions } from '../questions/proposer-questions.service.js';
import { type OpenCall, ProposerBudgets } from '../spending/proposer-budgets.service.js';
import { LessonResultHandler } from './lesson-result-handler.service.js';
import { type OpenBatch, ProposerBatchRepository } from './proposer-batch.repository.js';

/** The provider takes more; a batch of this size is a few megabytes. */
const MAX_BATCH = 1_000;
const LEASE = 'proposer-batch';
/** The provider gives a batch a day. */
const ABANDON_AFTER_MS = 26 * 60 * MINUTE_MS;
/** After a batch that could not be sent, the backlog is worked off singly for a while. */
const PAUSE_MS = 15 * MINUTE_MS;
/** Between its rows and its arrival; and how far two clocks may be apart. */
const SENT_WITHIN_MS = 10 * MINUTE_MS;
const CLOCK_SKEW_MS = 5 * MINUTE_MS;
/** While the provider cannot be asked, a batch that may be with it is waited for so long. */
const LOOKUP_LIMIT_MS = 60 * MINUTE_MS;

type BatchProposer = LessonProposer & { readonly batches: ModelBatches };

/**
 * Asks about a backlog at once, for half the price (spec L5). What is under way is rows: a batch is written before it is
 * sent, and its payloads are leased to it, so that any process can go on with it after a restart.
 */
@Injectable()
export class BatchWorker extends BackgroundWorker {
  private readonly logger = new Logger(BatchWorker.name);
  private pausedUntil = new Date(0);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly questions: ProposerQuestions,
    private readonly budgets: ProposerBudgets,
    private readonly resultHandler: LessonResultHandler,
    private readonly payloads: AnalysisQueue,
    private readonly batches: ProposerBatchRepository,
  ) {
    super();
  }

  override wake(): void {
    if (this.config.proposerEnabled) super.wake();
  }

  /** One process at a time; whoever holds the lease knows that a batch which was only prepared has nobody any more. */
  protected async step(): Promise<boolean> {
    const { proposer } = this.questions;
    if (!isBatchProposer(proposer)) return false;
    const holder = this.ids.uuid();
    const now = this.clock.now();
    const until = new Date(now.getTime() + 4 * this.config.proposerTimeoutSeconds * 1_000 + MINUTE_MS);
    const { client } = this.database;
    if (!(await takeLease(client, LEASE, holder, now, until))) return false;
    try {
      for (const batch of await this.batches.listOpen(client)) await this.resume(proposer, batch);
      if (await this.shouldStart()) await this.start(proposer);
    } finally {
      await releaseLease(client, LEASE, holder);
    }
    return false;
  }

  private async shouldStart(): Promise<boolean> {
    const { proposerBatchMinPending: from } = this.config;
    if (from === 0 || this.questions.backoff() || this.pausedUntil > this.clock.now()) return false;
    const open = await this.batches.listOpen(this.database.client);
    return open.length === 0 && (await this.payloads.countDue()) >= from;
  }

  /** Written first, so that whatever dies from here on leaves a batch that the next round looks for. */
  private async start(proposer: BatchProposer): Promise<void> {
    const id = this.ids.uuid();
    const { client } = this.database;
    await this.database.transaction(async (tx) => {
      const payloads = await this.payloads.leaseForBatch(tx, id, MAX_BATCH, ABANDON_AFTER_MS + PAUSE_MS);
      await this.batches.prepare(tx, { id, payloads, createdAt: this.clock.now() });
    });
    const open: LeasedPayload[] = [];
    for (const payload of await this.payloads.findLeasedInBatch(id))
      if (await this.resultHandler.isStillOpen(payload)) open.push(payload);
    const asked = await this.database.transaction((tx) => this.budgets.reserveBatch(tx, proposer, id, open));
    for (const payload of open.slice(asked.length)) await this.releasePayload(payload, 'not in the batch: over budget');
    if (asked.length === 0) return this.batches.end(client, id, 'ended', 'nothing to ask', this.clock.now());
    const questions = asked.map(({ id: payloadId, body }) => ({ id: payloadId, payload: body }));
    const sent = await proposer.batches.submit(questions);
    if (sent.outcome === 'unavailable') return this.handleSubmitFailure(id, sent);
    await this.batches.markSubmitted(client, id, sent.id, this.clock.now());
    this.logger.log(`a batch of ${asked.length} executions is with the model`);
  }

  private async handleSubmitFailure(id: string, { reason, mayBeCharged = false }: Unavailable): Promise<void> {
    this.pausedUntil = new Date(this.clock.now().getTime() + PAUSE_MS);
    this.logger.warn(`a batch could not be sent (${reason}); the backlog is worked off singly`);
    // It may have arrived all the same: the next round looks for it at the provider.
    if (!mayBeCharged) await this.abandon(id, reason, false);
  }

  private async resume(proposer: BatchProposer, batch: OpenBatch): Promise<void> {
    if (batch.providerId === null) return this.adopt(proposer, batch);
    const reason = await this.poll(proposer, batch.id, batch.providerId);
    const age = this.clock.now().getTime() - batch.createdAt.getTime();
    if (reason !== undefined && age > ABANDON_AFTER_MS) await this.abandon(batch.id, reason, true);
  }

  /** A batch that was written and perhaps sent: it is taken over if it is with the provider, and lost if it is not. */
  private async adopt(proposer: BatchProposer, { id, createdAt }: OpenBatch): Promise<void> {
    const { client } = this.database;
    const at = createdAt.getTime();
    const from = new Date(at - CLOCK_SKEW_MS);
    const found = await proposer.batches.find({
      requests: (await this.budgets.openCalls(id)).size,
      from,
      to: new Date(at + SENT_WITHIN_MS + CLOCK_SKEW_MS),
      knownIds: await this.batches.providerIds(client, from),
    });
    if (found.outcome === 'found') {
      await this.batches.markSubmitted(client, id, found.id, this.clock.now());
      this.logger.log('a batch whose sending was interrupted is with the model');
      return;
    }
    const age = this.clock.now().getTime() - at;
    if (found.outcome === 'unavailable' && age < LOOKUP_LIMIT_MS) return;
    await this.abandon(id, 'the process ended while it was sent', true);
  }

  /** Nothing when all answers are taken in, else why not yet; they are read again from the first one then. */
  private async poll(proposer: BatchProposer, id: string, providerId: string): Promise<string | undefined> {
    const polled = await proposer.batches.poll(providerId);
    if (polled.outcome === 'in_progress') return 'it did not end';
    if (polled.outcome === 'unavailable') return polled.reason;
    try {
      await this.storeAnswers(id, polled.answers);
      return undefined;
    } catch (error) {
      const reason = error instanceof Error ? error.constructor.name : 'error';
      this.logger.warn(`the answers of a batch could not be read to their end (${reason}); they are read again`);
      return reason;
    }
  }

  /** Each answer in a transaction of its own; what was taken in before a restart is no longer leased to the batch. */
  private async storeAnswers(id: string, answers: AsyncIterable<BatchAnswer>): Promise<void> {
    const calls = await this.budgets.openCalls(id);
    const unansweredPayloads = new Map(
      (await this.payloads.findLeasedInBatch(id)).map((payload) => [payload.id, payload]),
    );
    for await (const { id: payloadId, answer } of answers) {
      const payload = unansweredPayloads.get(payloadId);
      const call = calls.get(payloadId);
      if (!payload || !call || answer.outcome === 'unavailable') continue;
      unansweredPayloads.delete(payloadId);
      await this.resultHandler.handleAnswer(payload, { ...answer, call });
    }
    for (const payload of unansweredPayloads.values()) await this.releaseUnanswered(payload, calls.get(payload.id));
    await this.batches.end(this.database.client, id, 'ended', 'all answers are taken in', this.clock.now());
  }

  /** What the batch did not answer is not charged, and is asked singly. */
  private async releaseUnanswered(payload: LeasedPayload, call: OpenCall | undefined): Promise<void> {
    if (call) await this.budgets.settleUnanswered(call, false);
    await this.releasePayload(payload, 'the batch has no answer for it');
  }

  private async abandon(id: string, why: string, mayBeCharged: boolean): Promise<void> {
    for (const call of (await this.budgets.openCalls(id)).values())
      await this.budgets.settleUnanswered(call, mayBeCharged);
    for (const payload of await this.payloads.findLeasedInBatch(id))
      await this.releasePayload(payload, 'the batch was lost');
    await this.batches.end(this.database.client, id, 'lost', why, this.clock.now());
  }

  private releasePayload(payload: LeasedPayload, outcome: string): Promise<void> {
    return this.payloads.release(payload, outcome, this.clock.now());
  }
}

function isBatchProposer(proposer: LessonProposer): proposer is BatchProposer {
  return proposer.batches !== undefined && proposer.model !== undefined;
}
