import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../platform/base/clock.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import type { BatchAnswer, BatchQuestion, ModelBatches } from '../model/proposer.js';
import { type OpenBatch, ProposerBatchRepository } from './proposer-batch.repository.js';
import { ProposerBudgets } from './proposer-budgets.service.js';

/** The provider accepts larger batches; this many requests are a few megabytes. */
export const MAX_BATCH = 1_000;
/** The provider has 24 hours to answer a batch; two hours are added as a margin. */
export const ABANDON_AFTER_MS = 26 * 60 * MINUTE_MS;
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

/** What a batch asks, and what becomes of its answers. */
export interface BatchContent {
  readonly batches: ModelBatches;
  /**
   * Stores the answers, and releases the questions without one. A second pass skips what is stored. If it throws, the
   * next round reads all answers again.
   */
  store(id: string, answers: AsyncIterable<BatchAnswer>): Promise<void>;
  /** Releases the questions of a lost batch. Its calls are settled. */
  release(id: string): Promise<void>;
}

/**
 * Follows a prepared batch until it has ended or is lost. The database holds its state, so that any process can resume
 * it after a restart; the caller sees to it that only one process does at a time.
 */
@Injectable()
export class BatchTracker {
  private readonly logger = new Logger(BatchTracker.name);

  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly budgets: ProposerBudgets,
    private readonly batches: ProposerBatchRepository,
  ) {}

  /** Sends a prepared batch. `unclear`: the provider may have received it, and the next round looks it up. */
  async send(
    id: string,
    questions: readonly BatchQuestion[],
    content: Pick<BatchContent, 'batches' | 'release'>,
  ): Promise<'sent' | 'unclear' | 'lost'> {
    const sent = await content.batches.submit(questions);
    if (sent.outcome === 'submitted') {
      await this.batches.markSubmitted(this.database.client, id, sent.id, this.clock.now());
      this.logger.log(`sent a batch of ${questions.length} questions to the model`);
      return 'sent';
    }
    const { reason, mayBeCharged = false } = sent;
    this.logger.warn(`sending a batch failed (${reason}); its questions are asked one by one`);
    if (mayBeCharged) return 'unclear';
    await this.abandon(id, content, reason, false);
    return 'lost';
  }

  /** Asks the provider about an open batch, and stores what it answered. */
  async resume(batch: OpenBatch, content: BatchContent): Promise<'open' | 'ended' | 'lost'> {
    if (batch.providerId === null) return this.adopt(batch, content);
    const reason = await this.poll(batch.id, batch.providerId, content);
    if (reason === undefined) return 'ended';
    const age = this.clock.now().getTime() - batch.createdAt.getTime();
    if (age <= ABANDON_AFTER_MS) return 'open';
    await this.abandon(batch.id, content, reason, true);
    return 'lost';
  }

  /** Takes over a batch whose process died while sending: adopts it if the provider has it, abandons it if not. */
  private async adopt({ id, createdAt }: OpenBatch, content: BatchContent): Promise<'open' | 'lost'> {
    const { client } = this.database;
    const at = createdAt.getTime();
    const from = new Date(at - CLOCK_SKEW_MS);
    const found = await content.batches.find({
      requests: (await this.budgets.openCalls(id)).size,
      from,
      to: new Date(at + SENT_WITHIN_MS + CLOCK_SKEW_MS),
      knownIds: await this.batches.providerIds(client, from),
    });
    if (found.outcome === 'found') {
      await this.batches.markSubmitted(client, id, found.id, this.clock.now());
      this.logger.log('found an interrupted batch at the provider and resumed it');
      return 'open';
    }
    const age = this.clock.now().getTime() - at;
    if (found.outcome === 'unavailable' && age < LOOKUP_LIMIT_MS) return 'open';
    await this.abandon(id, content, 'the process ended while it sent the batch', true);
    return 'lost';
  }

  /** Returns undefined when all answers are stored, else why not yet. The next round reads all answers again. */
  private async poll(id: string, providerId: string, content: BatchContent): Promise<string | undefined> {
    const polled = await content.batches.poll(providerId);
    if (polled.outcome === 'in_progress') return 'the batch did not end in time';
    if (polled.outcome === 'unavailable') return polled.reason;
    try {
      await content.store(id, polled.answers);
      await this.batches.end(this.database.client, id, 'ended', 'all answers are stored', this.clock.now());
      return undefined;
    } catch (error) {
      const reason = error instanceof Error ? error.constructor.name : 'error';
      this.logger.warn(`reading the answers of a batch failed (${reason}); retrying from the first answer`);
      return reason;
    }
  }

  private async abandon(
    id: string,
    content: { release(id: string): Promise<void> },
    note: string,
    mayBeCharged: boolean,
  ): Promise<void> {
    for (const call of (await this.budgets.openCalls(id)).values())
      await this.budgets.settleUnanswered(call, mayBeCharged);
    await content.release(id);
    await this.batches.end(this.database.client, id, 'lost', note, this.clock.now());
  }
}
