import { Injectable } from '@nestjs/common';
import type { FamilyAnswer, FamilyQuestion } from '../../evidence/answers/family-question.js';
import type { LessonAnswer } from '../../evidence/answers/lesson-answer.schema.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';
import type { ModelAnswer } from '../model/model-question.js';
import type { BatchAnswer, ModelBatches, Unavailable } from '../model/proposer.js';
import { type BatchContent, BatchTracker, MAX_BATCH } from '../spending/batch-tracker.service.js';
import { ProposerBatchRepository } from '../spending/proposer-batch.repository.js';
import { type CallRequest, type OpenCall, ProposerBudgets } from '../spending/proposer-budgets.service.js';
import { FamilyQuestionRepository, type SentQuestion } from './family-question.repository.js';

export type AnsweredFamily = Exclude<ModelAnswer<LessonAnswer>, Unavailable>;
type Batches = ModelBatches<string, ModelAnswer<LessonAnswer>>;
type Content = BatchContent<string, ModelAnswer<LessonAnswer>>;

/** Stores an answer and settles its call in one transaction. */
export type TakeAnswer = (sent: SentQuestion, answered: AnsweredFamily, call: OpenCall) => Promise<FamilyAnswer>;

export interface PricedQuestion extends Omit<SentQuestion, 'id'> {
  readonly question: Sanitized<FamilyQuestion>;
  readonly request: CallRequest;
  /** What the model is sent. */
  readonly user: string;
}

export interface BatchRound {
  /** Answers that this round has stored. */
  readonly answers: readonly FamilyAnswer[];
  /** The families that open batches ask about, and the hashes of their prompts. */
  readonly open: ReadonlySet<string>;
  /** True if a batch was given up: its questions are asked one by one. */
  readonly isLost: boolean;
}

/**
 * Sends many questions about families to the model as one batch, for half the price. A batch and its questions are rows
 * before it is sent, so that a later cycle of any process can resume it. The lease of the cycle sees to it that only one
 * process does.
 */
@Injectable()
export class FamilyBatches {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly budgets: ProposerBudgets,
    private readonly tracker: BatchTracker,
    private readonly batches: ProposerBatchRepository,
    private readonly sent: FamilyQuestionRepository,
  ) {}

  /** Asks the provider about open batches, and stores what they answered. */
  async resume(batches: Batches, take: TakeAnswer, extendLease: () => Promise<unknown>): Promise<BatchRound> {
    const { client } = this.database;
    const answers: FamilyAnswer[] = [];
    const content: Content = {
      batches,
      store: (id, lines) => this.store(id, lines, async (...answered) => answers.push(await take(...answered))),
      release: (id) => this.sent.deleteBatch(client, id),
    };
    let isLost = false;
    for (const batch of await this.batches.listOpen(client, 'family')) {
      await extendLease();
      if ((await this.tracker.resume(batch, content)) === 'lost') isLost = true;
    }
    return { answers, open: await this.sent.openNames(client), isLost };
  }

  /**
   * Sends the first questions, as many as the budgets allow, each prompt once. Returns why the questions wait; undefined
   * if the batch was not sent.
   */
  async send(batches: Batches, questions: readonly PricedQuestion[]): Promise<'batch' | 'over_budget' | undefined> {
    const id = this.ids.uuid();
    const wanted = [...new Map(questions.map((one) => [one.prompt.hash, one])).values()].slice(0, MAX_BATCH);
    const granted = await this.database.transaction(async (tx) => {
      const requests = wanted.map(({ request }) => request);
      const calls = await this.budgets.reserveBatch(tx, id, requests);
      const reserved = wanted.slice(0, calls.length).map((one, n) => ({ ...one, id: calls[n]?.id ?? '' }));
      if (reserved.length === 0) return reserved;
      const createdAt = this.clock.now();
      await this.batches.prepare(tx, { id, purpose: 'family', payloads: reserved.length, createdAt });
      await this.sent.store(tx, id, reserved);
      return reserved;
    });
    if (granted.length === 0) return undefined;
    const bodies = granted.map(({ id: questionId, user }) => ({ id: questionId, payload: user }));
    const release = (): Promise<void> => this.sent.deleteBatch(this.database.client, id);
    if ((await this.tracker.send(id, bodies, { batches, release })) === 'lost') return undefined;
    return granted.length < wanted.length ? 'over_budget' : 'batch';
  }

  /** Stores each answer in its own transaction. The calls of those stored before a restart are settled. */
  private async store(
    batchId: string,
    answers: AsyncIterable<BatchAnswer<ModelAnswer<LessonAnswer>>>,
    take: (...answered: Parameters<TakeAnswer>) => Promise<unknown>,
  ): Promise<void> {
    const open = await this.budgets.openCalls(batchId);
    const questions = await this.sent.inBatch(this.database.client, batchId);
    for await (const { id, answer } of answers) {
      const call = open.get(id);
      if (!call || answer.outcome === 'unavailable') continue;
      open.delete(id);
      const question = questions.get(id);
      if (question) await take(question, answer, call);
      // Its row is damaged, and the call is paid for.
      else await this.budgets.settle(call, { outcome: 'failed', usage: answer.usage });
    }
    // A question without an answer is not charged, and asked again.
    for (const call of open.values()) await this.budgets.settleUnanswered(call, false);
    await this.sent.deleteBatch(this.database.client, batchId);
  }
}
