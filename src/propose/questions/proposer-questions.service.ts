import { Inject, Injectable, Logger } from '@nestjs/common';
import type { LeasedPayload } from '../../capture/analysis/analysis-queue.service.js';
import { Clock } from '../../platform/base/clock.js';
import type { Fenced } from '../model/fenced.js';
import type { ModelAnswer, ModelQuestion } from '../model/model-question.js';
import type { LessonProposer, ProposerResult, Unavailable } from '../model/proposer.js';
import type { Refusal } from '../spending/budget.js';
import {
  type CallRequest,
  lessonSubject,
  type OpenCall,
  ProposerBudgets,
} from '../spending/proposer-budgets.service.js';
import type { CallSubject } from '../spending/proposer-call.repository.js';

export const PROPOSER = Symbol('PROPOSER');

const FIRST_BACKOFF_MS = 30_000;
const MAX_BACKOFF_MS = 900_000;

type AnsweredCall = Exclude<ProposerResult, Unavailable> & { readonly call?: OpenCall };

export type NoReply =
  /** The call was refused, or was not answered; retry from `until` on. */
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly until: Date }
  /** Our own rate limit; the payload waits unchanged. */
  | { readonly outcome: 'rate_limited'; readonly until: Date };

export type ProposerReply = AnsweredCall | NoReply;

type Answered<T> = Exclude<ModelAnswer<T>, Unavailable>;

/** A text that a model writes in the place of one by rules, if nothing is wrong with it. */
export interface TextRequest<T, R extends string> {
  readonly subject: CallSubject;
  /** The model with the version of its instructions. */
  readonly by: string;
  readonly model: string;
  /** The prompt: our words around fenced data. */
  readonly content: Fenced;
  /** The outcome of a call whose text is used. */
  readonly outcome: string;
  /** Returns the text as it is used. */
  readonly clean: (written: T) => T;
  /** Returns why the text cannot be used. */
  readonly problem: (cleaned: T) => R | undefined;
}

type NotRead = Extract<Answered<unknown>, { outcome: 'none' }>['reason'];

export type TextReply<T, R extends string> =
  | { readonly outcome: 'written'; readonly by: string; readonly text: T }
  /** The model answered, and its answer cannot be used: the text of the rules stays. */
  | { readonly outcome: 'rules'; readonly reason: R | NotRead }
  | NoReply;

export interface Backoff {
  readonly until: Date;
  readonly reason: string;
}

/** Calls the proposer within its budgets, and backs off from a model that does not answer. */
@Injectable()
export class ProposerQuestions {
  private readonly logger = new Logger(ProposerQuestions.name);
  private consecutiveFailures = 0;
  private currentBackoff: Backoff | undefined;
  private lastRefusal: Refusal | undefined;

  constructor(
    @Inject(PROPOSER) readonly proposer: LessonProposer,
    private readonly clock: Clock,
    private readonly budgets: ProposerBudgets,
  ) {}

  /** Returns the current backoff, if the model did not answer. */
  backoff(): Backoff | undefined {
    return this.currentBackoff && this.currentBackoff.until > this.clock.now() ? this.currentBackoff : undefined;
  }

  /** Returns the budget that refused the last call, until it resets. */
  overBudget(): Refusal | undefined {
    return this.lastRefusal && this.lastRefusal.until > this.clock.now() ? this.lastRefusal : undefined;
  }

  async ask(payload: LeasedPayload): Promise<ProposerReply> {
    const { model, name } = this.proposer;
    if (!model) return this.askUnpriced(payload);
    const request = {
      subject: lessonSubject(payload),
      proposer: name,
      model: model.name,
      maxUsage: model.maxUsage(payload.body),
    };
    const reply = await this.callWithinBudget(request, () => this.proposer.propose(payload.body));
    return reply.outcome === 'answered' ? { ...reply.answer, call: reply.call } : reply;
  }

  /** Asks for a text and settles the call. Never call it inside a transaction: it waits for a server. */
  async askForText<T, R extends string>(
    question: ModelQuestion<T>,
    { subject, by, model, content, outcome, clean, problem }: TextRequest<T, R>,
  ): Promise<TextReply<T, R>> {
    const request = { subject, proposer: by, model, maxUsage: question.maxUsage(content) };
    const reply = await this.callWithinBudget<Answered<T>>(request, () => question.ask(content));
    if (reply.outcome !== 'answered') return reply;
    const { answer, call } = reply;
    const text = answer.outcome === 'answer' ? clean(answer.value) : undefined;
    const reason = answer.outcome === 'none' ? answer.reason : text && problem(text);
    await this.budgets.settle(call, { outcome: reason ?? outcome, usage: answer.usage });
    if (text !== undefined && reason === undefined) return { outcome: 'written', by, text };
    this.logger.log(
      `rejected a text of the model for the purpose ${subject.purpose} (${reason}); that of the rules stays`,
    );
    return { outcome: 'rules', reason: reason ?? 'malformed' };
  }

  /**
   * Makes one call of the model for any purpose: within the budgets and the rate limit, and not during a backoff. The
   * caller settles the call if it gets an answer.
   */
  async callWithinBudget<A extends object>(
    request: CallRequest,
    ask: () => Promise<A | Unavailable>,
  ): Promise<{ readonly outcome: 'answered'; readonly answer: A; readonly call: OpenCall } | NoReply> {
    const backoff = this.backoff();
    if (backoff) return { outcome: 'unavailable', ...backoff };
    const reservation = await this.budgets.reserve(request);
    if (!reservation.granted) {
      const { reason, until } = reservation;
      if (reason === 'calls_per_minute') return { outcome: 'rate_limited', until };
      if (!this.overBudget())
        this.logger.warn(`over budget (${reason}) until ${until.toISOString()}; rules write the lessons`);
      // The share of one owner says nothing about the next call.
      if (reason !== 'owner_share') this.lastRefusal = { reason, until };
      return { outcome: 'unavailable', reason: `over budget: ${reason}`, until };
    }
    this.lastRefusal = undefined;
    const { call } = reservation;
    const answer = await this.callAndSettle(call, ask);
    if (!isUnavailable(answer)) {
      this.endBackoff();
      return { outcome: 'answered', answer, call };
    }
    await this.budgets.settleUnanswered(call, answer.mayBeCharged ?? false);
    return this.startBackoff(answer);
  }

  /** A proposer that throws may have been charged. */
  private async callAndSettle<A>(call: OpenCall, ask: () => Promise<A>): Promise<A> {
    try {
      return await ask();
    } catch (error) {
      await this.budgets.settle(call, { outcome: 'failed' });
      throw error;
    }
  }

  private async askUnpriced({ body }: LeasedPayload): Promise<ProposerReply> {
    const backoff = this.backoff();
    if (backoff) return { outcome: 'unavailable', ...backoff };
    const answer = await this.proposer.propose(body);
    if (answer.outcome === 'unavailable') return this.startBackoff(answer);
    this.endBackoff();
    return answer;
  }

  private endBackoff(): void {
    this.consecutiveFailures = 0;
    this.currentBackoff = undefined;
  }

  private startBackoff(answer: Unavailable): NoReply {
    this.currentBackoff = {
      reason: answer.reason,
      until: new Date(this.clock.now().getTime() + this.backoffMs(answer)),
    };
    this.logger.warn(`the proposer model is unavailable (${answer.reason}); rules write the lessons`);
    return { outcome: 'unavailable', ...this.currentBackoff };
  }

  /** Doubles each time, is at least what the provider asks for, and at most a quarter of an hour. */
  private backoffMs({ retryAfterMs }: Unavailable): number {
    const own = FIRST_BACKOFF_MS * 2 ** Math.min(this.consecutiveFailures, 10);
    this.consecutiveFailures += 1;
    return Math.min(Math.max(retryAfterMs ?? 0, own), MAX_BACKOFF_MS);
  }
}

const isUnavailable = <A extends object>(answer: A | Unavailable): answer is Unavailable =>
  'outcome' in answer && answer.outcome === 'unavailable';
