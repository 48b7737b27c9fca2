import { Inject, Injectable, Logger } from '@nestjs/common';
import type { LeasedPayload } from '../capture/payloads.service.js';
import { Clock } from '../platform/clock.js';
import type { Refusal } from './budget.js';
import type { LessonProposer, Proposed, Unavailable } from './proposer.js';
import { type OpenCall, Spending } from './spending.service.js';

export const PROPOSER = Symbol('PROPOSER');

const FIRST_REST_MS = 30_000;
const LONGEST_REST_MS = 900_000;

type Answered = Exclude<Proposed, Unavailable> & { readonly call?: OpenCall };

export type Asked =
  | Answered
  /** Nobody was asked, or nobody answered; worth another try from `until` on. */
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly until: Date }
  /** Our own rate limit: the payload waits as it is. */
  | { readonly outcome: 'too_fast'; readonly until: Date };

export interface Rest {
  readonly until: Date;
  readonly reason: string;
}

/** Asks the proposer within its budgets, and lets a model rest that does not answer. */
@Injectable()
export class Asking {
  private readonly logger = new Logger(Asking.name);
  private unanswered = 0;
  private rest: Rest | undefined;
  private over: Refusal | undefined;

  constructor(
    @Inject(PROPOSER) readonly proposer: LessonProposer,
    private readonly clock: Clock,
    private readonly spending: Spending,
  ) {}

  /** Until when the model is not asked, because it did not answer. */
  resting(): Rest | undefined {
    return this.rest && this.rest.until > this.clock.now() ? this.rest : undefined;
  }

  /** The budget that refused the last call, while it lasts. */
  overBudget(): Refusal | undefined {
    return this.over && this.over.until > this.clock.now() ? this.over : undefined;
  }

  async ask(payload: LeasedPayload): Promise<Asked> {
    const { model } = this.proposer;
    const resting = this.resting();
    if (resting) return { outcome: 'unavailable', ...resting };
    if (!model) return this.settled(await this.proposer.propose(payload.body));
    const reservation = await this.spending.reserve(this.proposer, model, payload);
    if (!reservation.granted) {
      const { why, until } = reservation;
      if (why === 'calls_per_minute') return { outcome: 'too_fast', until };
      if (!this.overBudget()) this.logger.warn(`over budget (${why}) until ${until.toISOString()}: the rules write`);
      this.over = { why, until };
      return { outcome: 'unavailable', reason: `over budget: ${why}`, until };
    }
    this.over = undefined;
    return this.settled(await this.answerTo(payload, reservation.call), reservation.call);
  }

  /** A proposer that throws may have been charged for. */
  private async answerTo({ body }: LeasedPayload, call: OpenCall): Promise<Proposed> {
    try {
      return await this.proposer.propose(body);
    } catch (error) {
      await this.spending.settle(call, { outcome: 'failed' });
      throw error;
    }
  }

  private async settled(answer: Proposed, call?: OpenCall): Promise<Asked> {
    if (answer.outcome !== 'unavailable') {
      this.unanswered = 0;
      this.rest = undefined;
      return call ? { ...answer, call } : answer;
    }
    if (call) await this.spending.settleUnanswered(call, answer.mayBeCharged ?? false);
    this.rest = { reason: answer.reason, until: new Date(this.clock.now().getTime() + this.restMs(answer)) };
    this.logger.warn(`the proposer model cannot be asked (${answer.reason}); the rules write the lessons for now`);
    return { outcome: 'unavailable', ...this.rest };
  }

  /** Twice as long each time, or as long as the provider asks for; never longer than a quarter of an hour. */
  private restMs({ retryAfterMs }: Unavailable): number {
    const own = FIRST_REST_MS * 2 ** Math.min(this.unanswered, 10);
    this.unanswered += 1;
    return Math.min(Math.max(retryAfterMs ?? 0, own), LONGEST_REST_MS);
  }
}
