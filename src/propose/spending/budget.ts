import { hasShare } from '../../platform/background/round-robin.js';
import { MINUTE_MS } from '../../platform/base/durations.js';

export interface Spent {
  readonly tokens: number;
  readonly nano: number;
}

export interface Limits {
  readonly tokens: number;
  readonly usd: number;
}

const NOTHING: Spent = { tokens: 0, nano: 0 };

export type BudgetSpan = 'day' | 'cycle';

/** The limits of a span and what was spent of them. A call that is not settled counts at its maximum. */
export interface BudgetStatus {
  readonly span: BudgetSpan;
  readonly since: Date;
  readonly resets: Date;
  readonly limits: Limits;
  readonly spent: Spent;
  /** What was spent for the agents of each owner. */
  readonly spentBy: ReadonlyMap<string, Spent>;
}

export const OVER_BUDGET = ['day_tokens', 'day_usd', 'cycle_tokens', 'cycle_usd', 'owner_share'] as const;
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
 * Returns why one more call is refused: its maximum exceeds what is left, or its owner holds its share already. Of
 * several reasons, the one that lasts longest. `owner`: left out if the agents of all calls have one owner.
 */
export function budgetRefusal(statuses: readonly BudgetStatus[], most: Spent, owner?: string): Refusal | undefined {
  return statuses
    .flatMap(({ span, resets, limits, spent, spentBy }): Refusal[] => {
      const own = owner === undefined ? undefined : spentBy.get(owner);
      return [
        ...(spent.tokens + most.tokens > limits.tokens ? [{ reason: `${span}_tokens` as const, until: resets }] : []),
        ...(spent.nano + most.nano > limits.usd * 1e9 ? [{ reason: `${span}_usd` as const, until: resets }] : []),
        ...(own && holdsItsShare(own, spent, limits) ? [{ reason: 'owner_share' as const, until: resets }] : []),
      ];
    })
    .sort((a, b) => b.until.getTime() - a.until.getTime())[0];
}

/** A first call is within each share, and so is every call of a model that costs nothing. */
const holdsItsShare = (own: Spent, spent: Spent, limits: Limits): boolean =>
  (own.tokens > 0 && !hasShare(own.tokens, spent.tokens, limits.tokens)) ||
  (own.nano > 0 && !hasShare(own.nano, spent.nano, limits.usd * 1e9));

export const addSpent = (a: Spent, b: Spent): Spent => ({ tokens: a.tokens + b.tokens, nano: a.nano + b.nano });

/** The statuses after a call for the agents of this owner. */
export const charged = (statuses: readonly BudgetStatus[], cost: Spent, owner?: string): BudgetStatus[] =>
  statuses.map((status) => ({
    ...status,
    spent: addSpent(status.spent, cost),
    spentBy:
      owner === undefined
        ? status.spentBy
        : new Map(status.spentBy).set(owner, addSpent(status.spentBy.get(owner) ?? NOTHING, cost)),
  }));
