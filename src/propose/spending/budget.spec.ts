import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addSpent, type BudgetStatus, budgetRefusal, charged, type Spent, spanAt } from './budget.js';

const NOW = new Date('2026-03-01T10:47:11.123Z');
const spent: fc.Arbitrary<Spent> = fc.record({ tokens: fc.nat(10_000), nano: fc.nat(10_000_000_000) });
const limits = fc.record({ tokens: fc.nat(10_000), usd: fc.nat(10) });

function status(span: BudgetStatus['span'], change: Partial<BudgetStatus> = {}): BudgetStatus {
  return {
    span,
    ...spanAt(span, NOW, 60),
    limits: { tokens: 1_000, usd: 1 },
    spent: { tokens: 0, nano: 0 },
    spentBy: new Map(),
    ...change,
  };
}

describe('a budget', () => {
  it("of a day covers a day in UTC, independent of the server's time zone", () => {
    expect(spanAt('day', NOW, 60)).toEqual({
      since: new Date('2026-03-01T00:00:00Z'),
      resets: new Date('2026-03-02T00:00:00Z'),
    });
  });

  it('of a cycle covers the same span in every process', () => {
    expect(spanAt('cycle', NOW, 60)).toEqual({
      since: new Date('2026-03-01T10:00:00Z'),
      resets: new Date('2026-03-01T11:00:00Z'),
    });
  });

  it('can be spent to its last token and no further', () => {
    const full = status('day', { spent: { tokens: 900, nano: 0 } });
    expect(budgetRefusal([full], { tokens: 100, nano: 0 })).toBeUndefined();
    expect(budgetRefusal([full], { tokens: 101, nano: 0 })).toEqual({ reason: 'day_tokens', until: full.resets });
  });

  it('in dollars refuses independently of tokens', () => {
    const poor = status('cycle', { spent: { tokens: 0, nano: 999_999_999 } });
    expect(budgetRefusal([poor], { tokens: 1, nano: 1 })).toBeUndefined();
    expect(budgetRefusal([poor], { tokens: 1, nano: 2 })).toEqual({ reason: 'cycle_usd', until: poor.resets });
  });

  it('of zero allows nothing', () => {
    expect(budgetRefusal([status('day', { limits: { tokens: 0, usd: 0 } })], { tokens: 1, nano: 0 })?.reason).toBe(
      'day_tokens',
    );
  });

  it('that lasts longest is the one that is named', () => {
    const both = [status('cycle', { limits: { tokens: 0, usd: 0 } }), status('day', { limits: { tokens: 0, usd: 1 } })];
    expect(budgetRefusal(both, { tokens: 1, nano: 1 })?.reason).toBe('day_tokens');
  });

  it('leaves a share for the next owner, after any calls of the others', () => {
    const call: Spent = { tokens: 10, nano: 0 };
    fc.assert(
      fc.property(fc.array(fc.constantFrom('ann', 'bob', 'cy'), { maxLength: 300 }), (owners) => {
        let statuses = [status('day')];
        for (const owner of owners)
          if (!budgetRefusal(statuses, call, owner)) statuses = charged(statuses, call, owner);
        expect(budgetRefusal(statuses, call, 'dora')).toBeUndefined();
      }),
    );
  });

  it('of one owner alone is not shared', () => {
    let statuses = [status('day')];
    for (let calls = 0; calls < 10; calls += 1) statuses = charged(statuses, { tokens: 90, nano: 0 });
    expect(budgetRefusal(statuses, { tokens: 100, nano: 0 })).toBeUndefined();
  });

  it('does not count a model that costs nothing', () => {
    const free = charged([status('day', { limits: { tokens: 1_000, usd: 0 } })], { tokens: 1, nano: 0 }, 'ann');
    expect(budgetRefusal(free, { tokens: 1, nano: 0 }, 'ann')).toBeUndefined();
  });

  it('is never exceeded, in any order of calls', () => {
    fc.assert(
      fc.property(limits, limits, fc.array(spent, { maxLength: 40 }), (day, cycle, calls) => {
        let used: Spent = { tokens: 0, nano: 0 };
        for (const most of calls) {
          const standings = [
            status('day', { limits: day, spent: used }),
            status('cycle', { limits: cycle, spent: used }),
          ];
          if (!budgetRefusal(standings, most)) used = addSpent(used, most);
        }
        expect(used.tokens).toBeLessThanOrEqual(Math.min(day.tokens, cycle.tokens));
        expect(used.nano).toBeLessThanOrEqual(Math.min(day.usd, cycle.usd) * 1e9);
      }),
    );
  });
});
