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

/** The limits of a span and what was spent of them. A call that is not settled counts at its maximum. */
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
  readonly reason: OverBudget;
  /** When the refusing budget resets. */
  readonly until: Date;
}

const DAY_MINUTES = 1_440;

/** Returns the span that contains `now`: a day in UTC, or a cycle. Cycles have equal length and start at the epoch. */
export function spanAt(span: BudgetSpan, now: Date, cycleMinutes: number): { since: Date; resets: Date } {
  const length = (span === 'day' ? DAY_MINUTES : cycleMinutes) * MINUTE_MS;
  const since = Math.floor(now.getTime() / length) * length;
  return { since: new Date(since), resets: new Date(since + length) };
}

/**
 * Returns why one more call is refused: its maximum exceeds what is left. Of several reasons, the one that lasts
 * longest.
 */
export function budgetRefusal(statuses: readonly BudgetStatus[], most: Spent): Refusal | undefined {
  return statuses
    .flatMap(({ span, resets, limits, spent }): Refusal[] => [
      ...(spent.tokens + most.tokens > limits.tokens ? [{ reason: `${span}_tokens` as const, until: resets }] : []),
      ...(spent.nano + most.nano > limits.usd * 1e9 ? [{ reason: `${span}_usd` as const, until: resets }] : []),
    ])
    .sort((a, b) => b.until.getTime() - a.until.getTime())[0];
}

export const addSpent = (a: Spent, b: Spent): Spent => ({ tokens: a.tokens + b.tokens, nano: a.nano + b.nano });
