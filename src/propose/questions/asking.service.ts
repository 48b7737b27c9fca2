import { Inject, Injectable, Logger } from '@nestjs/common';
import type { LeasedPayload } from '../../capture/analysis/payloads.service.js';
import { Clock } from '../../platform/base/clock.js';
import type { LessonProposer, Proposed, Unavailable } from '../model/proposer.js';
import type { Refusal } from '../spending/budget.js';
import { lessonOf, type OpenCall, Spending, type WantedCall } from '../spending/spending.service.js';

export const PROPOSER = Symbol('PROPOSER');

const FIRST_REST_MS = 30_000;
const LONGEST_REST_MS = 900_000;

type Answered = Exclude<Proposed, Unavailable> & { readonly call?: OpenCall };

export type NotAsked =
  /** Nobody was asked, or nobody answered; worth another try from `until` on. */
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly until: Date }
  /** Our own rate limit: what was to be asked waits as it is. */
  | { readonly outcome: 'too_fast'; readonly until: Date };

export type Asked = Answered | NotAsked;

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
    const { model, name } = this.proposer;
    if (!model) return this.unpaid(payload);
    const wanted = { about: lessonOf(payload), proposer: name, model: model.name, most: model.most(payload.body) };
    const asked = await this.within(wanted, () => this.proposer.propose(payload.body));
    return asked.outcome === 'asked' ? { ...asked.answer, call: asked.call } : asked;
  }

  /**
   * One call of the model, whatever it is made for: within the budgets and the rate, and not while it rests. Who gets an
   * answer settles the call.
   */
  async within<A extends object>(
    wanted: WantedCall,
    ask: () => Promise<A | Unavailable>,
  ): Promise<{ readonly outcome: 'asked'; readonly answer: A; readonly call: OpenCall } | NotAsked> {
    const resting = this.resting();
    if (resting) return { outcome: 'unavailable', ...resting };
    const reservation = await this.spending.reserve(wanted);
    if (!reservation.granted) {
      const { why, until } = reservation;
      if (why === 'calls_per_minute') return { outcome: 'too_fast', until };
      if (!this.overBudget()) this.logger.warn(`over budget (${why}) until ${until.toISOString()}: the rules write`);
      this.over = { why, until };
      return { outcome: 'unavailable', reason: `over budget: ${why}`, until };
    }
    this.over = undefined;
    const { call } = reservation;
    const answer = await this.charged(call, ask);
    if (!isUnavailable(answer)) {
      this.answered();
      return { outcome: 'asked', answer, call };
    }
    await this.spending.settleUnanswered(call, answer.mayBeCharged ?? false);
    return this.unanswerable(answer);
  }

  /** A proposer that throws may have been charged for. */
  private async charged<A>(call: OpenCall, ask: () => Promise<A>): Promise<A> {
    try {
      return await ask();
    } catch (error) {
      await this.spending.settle(call, { outcome: 'failed' });
      throw error;
    }
  }

  private async unpaid({ body }: LeasedPayload): Promise<Asked> {
    const resting = this.resting();
    if (resting) return { outcome: 'unavailable', ...resting };
    const answer = await this.proposer.propose(body);
    if (answer.outcome === 'unavailable') return this.unanswerable(answer);
    this.answered();
    return answer;
  }

  private answered(): void {
    this.unanswered = 0;
    this.rest = undefined;
  }

  private unanswerable(answer: Unavailable): NotAsked {
    this.rest = { reason: answer.reason, until: new Date(this.clock.now().getTime() + this.restMs(answer)) };
    this.logger.warn(`the proposer model cannot be asked (${answer.reason}); the rules write for now`);
    return { outcome: 'unavailable', ...this.rest };
  }

  /** Twice as long each time, or as long as the provider asks for; never longer than a quarter of an hour. */
  private restMs({ retryAfterMs }: Unavailable): number {
    const own = FIRST_REST_MS * 2 ** Math.min(this.unanswered, 10);
    this.unanswered += 1;
    return Math.min(Math.max(retryAfterMs ?? 0, own), LONGEST_REST_MS);
  }
}

const isUnavailable = <A extends object>(answer: A | Unavailable): answer is Unavailable =>
  'outcome' in answer && answer.outcome === 'unavailable';
