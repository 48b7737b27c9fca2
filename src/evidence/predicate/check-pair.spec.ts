import { describe, expect, it } from '@jest/globals';
import { type Check, type Comparison, pairOf, type Verdict } from './check.schema.js';

const comparison: Comparison = {
  kind: 'after',
  with: { worked: 9, n: 10 },
  without: { worked: 1, n: 8 },
  verdict: 'undecided',
  difference: null,
  p: null,
  withinAgents: null,
  pairs: null,
  permutation: null,
};
const check = (verdict: Verdict, by: Check['by'] = 'after'): Check => ({
  verdict,
  split: 'origin',
  by,
  comparisons: [comparison],
  scope: null,
  seen: { with: { worked: 12, n: 14 }, without: { worked: 2, n: 9 } },
  withoutOneAgent: null,
  withoutOneHarness: null,
});

describe('the pair that a person sees', () => {
  it.each(['confirmed', 'refuted', 'undecided'] as const)(
    'is that of the deciding comparison of a %s lesson',
    (one) => {
      expect(pairOf(check(one))).toEqual({ with: { worked: 9, n: 10 }, without: { worked: 1, n: 8 } });
    },
  );

  it('is that of all executions if the lesson is only observed, or if nothing was compared', () => {
    const all = { with: { worked: 12, n: 14 }, without: { worked: 2, n: 9 } };
    expect(pairOf(check('observed'))).toEqual(all);
    expect(pairOf(check('undecided', null))).toEqual(all);
  });
});
