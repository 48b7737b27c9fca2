import { describe, expect, it } from '@jest/globals';
import type { Check, Comparison, Verdict } from '../../evidence/predicate/check.schema.js';
import { dropReasonOf } from './drop-reason.js';

function check(verdict: Verdict, change: Partial<Check> = {}): Check {
  const comparison: Comparison = {
    kind: 'after',
    with: { worked: 9, n: 10 },
    without: { worked: 1, n: 8 },
    verdict,
    difference: null,
    p: null,
    withinAgents: null,
    pairs: null,
    permutation: null,
  };
  return {
    verdict,
    split: 'origin',
    by: 'after',
    comparisons: [comparison],
    scope: null,
    seen: { with: { worked: 12, n: 14 }, without: { worked: 2, n: 9 } },
    withoutOneAgent: null,
    withoutOneHarness: null,
    ...change,
  };
}

describe('the reason why a candidate becomes no draft', () => {
  it.each([
    ['a refutation, before everything else', check('refuted', { scope: { share: 0.1, n: 20 } }), ['x'], 'refuted'],
    ['a finding of the gates, whatever the figures', check('confirmed'), ['skips a check'], 'gate'],
    [
      'a condition that matches mostly other failures',
      check('confirmed', { scope: { share: 0.4, n: 9 } }),
      [],
      'scope',
    ],
    ['too few tries', check('undecided', { comparisons: [] }), [], 'too_few_tries'],
    ['no difference beyond chance', check('undecided'), [], 'no_clear_difference'],
  ] as const)('is %s', (_name, checked, findings, reason) => {
    expect(dropReasonOf(checked, findings)).toBe(reason);
  });

  it('is missing for confirmed and for observed candidates', () => {
    expect(dropReasonOf(check('confirmed', { scope: { share: 0.5, n: 9 } }), [])).toBeNull();
    expect(dropReasonOf(check('observed'), [])).toBeNull();
  });
});
