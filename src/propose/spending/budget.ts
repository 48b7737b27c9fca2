import { MINUTE_MS } from '../../platform/base/durations.js';

export interface Spent {
  readonly tokens: number;
  readonly nano: number;
}

export interface Limits {
  readonly tokens: number;
  readonly usd: number;
}

export type BudgetSpan = 'day' | 'cycle';

/** What a span's budget allows, and what was spent of it: what is under way counts at the most that it may use. */
export interface BudgetStatus {
  readonly span: BudgetSpan;
  readonly since: Date;
  readonly resets: Date;
  readonly limits: Limits;
  readonly spent: Spent;
}

export const OVER_BUDGET = ['day_tokens', 'day_usd', 'cycle_tokens', 'cycle_usd'] as const;
export type OverBudget = (typeof OVER_BUDGET)[number];

export interface Refusal {
  readonly why: OverBudget;
  /** When the budget that refuses begins anew. */
  readonly until: Date;
}

const DAY_MINUTES = 1_440;

/** The span that `now` lies in: days of UTC, and cycles of equal length that begin with the epoch. */
export function spanAt(span: BudgetSpan, now: Date, cycleMinutes: number): { since: Date; resets: Date } {
  const length = (span === 'day' ? DAY_MINUTES : cycleMinutes) * MINUTE_MS;
  const since = Math.floor(now.getTime() / length) * length;
  return { since: new Date(since), resets: new Date(since + length) };
}

/** Why one more call is not made: it might use more than is left. Of several reasons, the one that lasts longest. */
export function budgetRefusal(statuses: readonly BudgetStatus[], most: Spent): Refusal | undefined {
  return statuses
    .flatMap(({ span, resets, limits, spent }): Refusal[] => [
      ...(spent.tokens + most.tokens > limits.tokens ? [{ why: `${span}_tokens` as const, until: resets }] : []),
      ...(spent.nano + most.nano > limits.usd * 1e9 ? [{ why: `${span}_usd` as const, until: resets }] : []),
    ])
    .sort((a, b) => b.until.getTime() - a.until.getTime())[0];
}

export const addSpent = (a: Spent, b: Spent): Spent => ({ tokens: a.tokens + b.tokens, nano: a.nano + b.nano });
