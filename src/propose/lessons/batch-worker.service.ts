import { Inject, Injectable, Logger } from '@nestjs/common';
import { AnalysisQueue, type LeasedPayload } from '../../capture/analysis/analysis-queue.service.js';
import { defineWorker } from '../../platform/background/worker.js';
import { Clock } from '../../platform/base/clock.js';
import { MINUTE_MS, SECOND_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { releaseLease, takeLease } from '../../platform/database/lease.js';
import { CONFIG } from '../../platform/platform.module.js';
import type { BatchAnswer, BatchQuestion, LessonProposer, ModelBatches, PricedModel } from '../model/proposer.js';
import { ProposerQuestions } from '../questions/proposer-questions.service.js';
import { type OpenBatch, ProposerBatchRepository } from '../spending/proposer-batch.repository.js';
import { lessonSubject, type OpenCall, ProposerBudgets } from '../spending/proposer-budgets.service.js';
import { LessonResultHandler } from './lesson-result-handler.service.js';

const LEASE = 'proposer-batch';
/** The provider accepts larger batches; this many requests are a few megabytes. */
const MAX_BATCH = 1_000;
/** The provider has 24 hours to answer a batch; two hours are added as a margin. */
const ABANDON_AFTER_MS = 26 * 60 * MINUTE_MS;
/**
 * A batch may reach the provider this long after its row was written. The provider's clock may differ from ours by
 * CLOCK_SKEW_MS.
 */
const SENT_WITHIN_MS = 10 * MINUTE_MS;
const CLOCK_SKEW_MS = 5 * MINUTE_MS;
/**
 * If the provider is unavailable, a batch that it may have received is looked up for this long before it is abandoned.
 */
const LOOKUP_LIMIT_MS = 60 * MINUTE_MS;
/** After a batch could not be sent, no batch is tried for this long; the payloads are proposed one by one. */
const PAUSE_MS = 15 * MINUTE_MS;
type BatchProposer = LessonProposer & { readonly batches: ModelBatches; readonly model: PricedModel };

/**
 * Sends a backlog of payloads to the model as one batch, for half the price. The database holds the state: the batch
 * row is written before the batch is sent, and its payloads are leased to it, so that any process can resume it after a
 * restart.
 */
@Injectable()
export class BatchWorker extends defineWorker({ every: 30 * SECOND_MS }) {
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

  /** Only one process runs this at a time. The lease holder knows that no other process is sending a prepared batch. */
  protected async step(): Promise<boolean> {
    const { proposer } = this.questions;
    if (!isBatchProposer(proposer)) return false;
    const holder = this.ids.uuid();
    const now = this.clock.now();
    const ms = 4 * this.config.proposerTimeoutSeconds * 1_000 + MINUTE_MS;
    const { client } = this.database;
    if (!(await takeLease(client, LEASE, holder, now, ms))) return false;
    try {
      for (const batch of await this.batches.listOpen(client)) await this.resume(batch, proposer.batches);
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

  /** Writes the batch row first. If the process dies later, the next round finds the row and looks the batch up. */
  private async start(proposer: BatchProposer): Promise<void> {
    const id = this.ids.uuid();
    const { client } = this.database;
    await this.database.transaction(async (tx) => {
      const payloads = await this.payloads.leaseForBatch(tx, id, MAX_BATCH, ABANDON_AFTER_MS + PAUSE_MS);
      await this.batches.prepare(tx, { id, payloads, createdAt: this.clock.now() });
    });
    const open: LeasedPayload[] = [];
    for (const payload of await this.payloads.findLeasedInBatch(id))
      if ((await this.resultHandler.isStillOpen(payload)) && !(await this.resultHandler.addToKnownLesson(payload)))
        open.push(payload);
    const { name, model } = proposer;
    const requests = open.map((payload) => ({
      subject: lessonSubject(payload),
      proposer: name,
      model: model.name,
      maxUsage: model.maxUsage(payload.body),
    }));
    const granted = await this.database.transaction((tx) => this.budgets.reserveBatch(tx, id, requests));
    const reserved = open.filter((_, n) => granted[n]);
    for (const payload of open.filter((_, n) => !granted[n]))
      await this.releasePayload(payload, 'not part of the batch: over budget');
    if (reserved.length === 0)
      return this.batches.end(client, id, 'ended', 'no request within the budget', this.clock.now());
    const questions = reserved.map(({ id: payloadId, body }) => ({ id: payloadId, payload: body }));
    if (!(await this.send(id, questions, proposer.batches)))
      this.pausedUntil = new Date(this.clock.now().getTime() + PAUSE_MS);
  }

  /** Sends a prepared batch. If the provider may have received it all the same, the next round looks it up. */
  private async send(id: string, questions: readonly BatchQuestion[], model: ModelBatches): Promise<boolean> {
    const sent = await model.submit(questions);
    if (sent.outcome === 'submitted') {
      await this.batches.markSubmitted(this.database.client, id, sent.id, this.clock.now());
      this.logger.log(`sent a batch of ${questions.length} questions to the model`);
      return true;
    }
    const { reason, mayBeCharged = false } = sent;
    this.logger.warn(`sending a batch failed (${reason}); its questions are asked one by one`);
    if (!mayBeCharged) await this.abandon(id, reason, false);
    return false;
  }

  /** Asks the provider about an open batch, and stores what it answered. */
  private async resume(batch: OpenBatch, model: ModelBatches): Promise<void> {
    if (batch.providerId === null) return this.adopt(batch, model);
    const reason = await this.poll(batch.id, batch.providerId, model);
    const age = this.clock.now().getTime() - batch.createdAt.getTime();
    if (reason !== undefined && age > ABANDON_AFTER_MS) await this.abandon(batch.id, reason, true);
  }

  /** Takes over a batch whose process died while sending: adopts it if the provider has it, abandons it if not. */
  private async adopt({ id, createdAt }: OpenBatch, model: ModelBatches): Promise<void> {
    const { client } = this.database;
    const at = createdAt.getTime();
    const from = new Date(at - CLOCK_SKEW_MS);
    const found = await model.find({
      requests: (await this.budgets.openCalls(id)).size,
      from,
      to: new Date(at + SENT_WITHIN_MS + CLOCK_SKEW_MS),
      knownIds: await this.batches.providerIds(client, from),
    });
    if (found.outcome === 'found') {
      await this.batches.markSubmitted(client, id, found.id, this.clock.now());
      this.logger.log('found an interrupted batch at the provider and resumed it');
      return;
    }
    const age = this.clock.now().getTime() - at;
    if (found.outcome === 'unavailable' && age < LOOKUP_LIMIT_MS) return;
    await this.abandon(id, 'the process ended while it sent the batch', true);
  }

  /** Returns undefined when all answers are stored, else why not yet. The next round reads all answers again. */
  private async poll(id: string, providerId: string, model: ModelBatches): Promise<string | undefined> {
    const polled = await model.poll(providerId);
    if (polled.outcome === 'in_progress') return 'the batch did not end in time';
    if (polled.outcome === 'unavailable') return polled.reason;
    try {
      await this.storeAnswers(id, polled.answers);
      await this.batches.end(this.database.client, id, 'ended', 'all answers are stored', this.clock.now());
      return undefined;
    } catch (error) {
      const reason = error instanceof Error ? error.constructor.name : 'error';
      this.logger.warn(`reading the answers of a batch failed (${reason}); retrying from the first answer`);
      return reason;
    }
  }

  /** Gives a batch up: its payloads are proposed singly. */
  private async abandon(id: string, note: string, mayBeCharged: boolean): Promise<void> {
    for (const call of (await this.budgets.openCalls(id)).values())
      await this.budgets.settleUnanswered(call, mayBeCharged);
    for (const payload of await this.payloads.findLeasedInBatch(id))
      await this.releasePayload(payload, 'the batch was lost');
    await this.batches.end(this.database.client, id, 'lost', note, this.clock.now());
  }

  /**
   * Stores each answer in its own transaction. Payloads stored before a restart are no longer leased to the batch, so a
   * second pass skips them.
   */
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
  }

  /** A request without an answer is not charged; its payload is proposed singly. */
  private async releaseUnanswered(payload: LeasedPayload, call: OpenCall | undefined): Promise<void> {
    if (call) await this.budgets.settleUnanswered(call, false);
    await this.releasePayload(payload, 'the batch has no answer for it');
  }

  private releasePayload(payload: LeasedPayload, outcome: string): Promise<void> {
    return this.payloads.release(payload, outcome, this.clock.now());
  }
}

function isBatchProposer(proposer: LessonProposer): proposer is BatchProposer {
  return proposer.batches !== undefined && proposer.model !== undefined;
}
