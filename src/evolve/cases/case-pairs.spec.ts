import { describe, expect, it } from '@jest/globals';
import { casePairs } from './case-pairs.js';
import type { ClaimCase } from './claim-cases.js';

const shell = (call: string) => ({ tool: 'shell', call });
const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const caseOf = (n: number, agentId: string, origin: string, more: Partial<ClaimCase> = {}): ClaimCase => ({
  executionId: id(n),
  origin,
  agentId,
  party: agentId,
  owner: 'o',
  environment: {},
  failed: shell('vend pull'),
  failedAt: n,
  error: 'vend: no such stock',
  between: [],
  worked: shell('vend pull --all'),
  at: n + 2,
  changed: [],
  dangers: [],
  ...more,
});

describe('the pairs of a lesson', () => {
  it('are of other tasks and agents before those of the same, one of each execution, at most five', () => {
    const cases = [
      caseOf(1, 'a', 'x'),
      caseOf(2, 'a', 'x'),
      caseOf(2, 'a', 'x', { failedAt: 7 }),
      caseOf(3, 'b', 'y'),
      caseOf(4, 'c', 'z'),
    ];
    const shown = casePairs(cases).map(({ executionId }) => executionId);
    expect(new Set(shown.slice(0, 3)).size).toBe(3);
    expect(shown.slice(0, 3)).toEqual(expect.arrayContaining([id(3), id(4)]));
    expect(shown).toHaveLength(4);
    expect(casePairs([...cases].reverse())).toEqual(casePairs(cases));
    expect(casePairs([1, 2, 3, 4, 5, 6, 7].map((n) => caseOf(n, `${n}`, `${n}`)))).toHaveLength(5);
  });

  it('name the execution and the places of both calls', () => {
    expect(casePairs([caseOf(3, 'b', 'y')])).toEqual([
      {
        executionId: id(3),
        failedAt: 3,
        workedAt: 5,
        failed: shell('vend pull'),
        error: 'vend: no such stock',
        between: [],
        worked: shell('vend pull --all'),
      },
    ]);
  });

  it('leave out cases without a call that worked, and those that show no difference', () => {
    const { worked: _none, ...failedOnly } = caseOf(1, 'a', 'x');
    expect(casePairs([failedOnly, caseOf(2, 'a', 'x', { worked: shell('vend pull') })])).toEqual([]);
  });
});
