import { describe, expect, it } from '@jest/globals';
import type { CandidateRow } from '../../evolve/cycle/candidates.schema.js';
import { candidateLists, failureList } from './cycle-pages.js';

const problems = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    action: `make target-${n}`,
    errorClass: 'exit-2',
    agents: 3,
    executions: 4,
    failures: 5,
  }));

describe('the failures of a cycle', () => {
  it('are all on the page: twenty at once, the others below a line that counts them', () => {
    const { rows, more, opens, lead } = failureList('unsolved', problems(33));
    expect([rows.length, more.length, opens]).toEqual([20, 13, '13 more']);
    expect(lead).toContain('33 problems');
    expect([...rows, ...more].join('\n')).toContain('make target-32: exit-2, 5 failures of 3 agents');
  });

  it('have nothing to open when all are shown', () => {
    expect(failureList('unsolved', problems(20)).more).toEqual([]);
  });

  it('that were overcome without a lesson say how, with the number of executions', () => {
    const ways = [
      { calls: ['make setup', 'make all'], because: null, executions: 3 },
      { calls: ['sudo make all'], because: 'takes more rights', executions: 1 },
    ];
    const [row] = problems(1).map((one) => ({ ...one, because: 'no_proven_remedy' as const, ways }));
    const { title, rows } = failureList('overcome', row ? [row] : []);
    expect(title).toBe('Overcome, without a lesson');
    expect(rows).toEqual([
      'make target-0: exit-2, 5 failures of 3 agents; overcome, but no way is proven to help; ' +
        '`make setup`, then `make all` (3); `sudo make all` (1, takes more rights)',
    ]);
  });

  it('that wait for more evidence say what was counted, and how much of it they have', () => {
    const rare = problems(1).map((one) => ({ ...one, agents: 1, supported: 2 }));
    const { title, lead, rows } = failureList('few', rare, { unit: 'sessions', needed: 3 });
    expect(title).toBe('Waiting for more evidence');
    expect(lead).toBe('1 problem seen in fewer than 3 tasks, the most frequent ones first.');
    expect(rows).toEqual(['make target-0: exit-2, 5 failures of 1 agent; in 2 of 3 tasks']);
  });

  it('that were only overcome by skipping a check have a list of their own', () => {
    const { title, lead, rows } = failureList('skipped', problems(1));
    expect(title).toBe('Only overcome by skipping a check');
    expect(lead).toContain('1 problem that');
    expect(rows).toEqual(['make target-0: exit-2, 5 failures of 3 agents']);
  });
});

const candidates = (count: number, change: Partial<CandidateRow>): CandidateRow[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `id ${n}`,
    by: 'rules',
    title: null,
    other: null,
    how: 'replace',
    action: `tool-${n}`,
    predicate: {},
    words: ['After `a`, call `b`'],
    verdict: 'refuted',
    because: 'refuted',
    findings: [],
    examined: 40,
    binding: {},
    with: { worked: 3, n: 9 },
    without: { worked: 1, n: 1 },
    family: {
      fingerprint: 'f',
      signature: 'cannot open <path>',
      tools: [],
      actions: [],
      agents: 3,
      executions: 40,
      failures: 50,
    },
    check: {
      verdict: 'refuted',
      split: 'origin',
      by: null,
      comparisons: [],
      scope: null,
      seen: { with: { worked: 3, n: 9 }, without: { worked: 1, n: 1 } },
      withoutOneAgent: null,
      withoutOneHarness: null,
    },
    ...change,
  }));

describe('the candidates of a cycle that became no draft', () => {
  it('are listed by verdict, with the predicate in words, the pair and the reason', () => {
    const [undecided, refuted, ...others] = candidateLists([
      ...candidates(22, {}),
      ...candidates(1, { verdict: 'undecided', because: 'too_few_tries' }),
      ...candidates(1, { verdict: 'confirmed', because: null }),
    ]);
    expect(others).toEqual([]);
    expect(undecided).toMatchObject({ title: 'Undecided candidates', more: [] });
    expect(refuted).toMatchObject({ title: 'Refuted candidates', opens: '2 more' });
    expect(refuted?.rows).toHaveLength(20);
    expect(refuted?.rows[0]).toEqual({
      action: 'tool-0',
      signature: 'cannot open <path>',
      words: ['After `a`, call `b`'],
      findings: [],
      pair: 'With it 3 of 9 tries worked, without it 1 of 1 try.',
      why: 'It works no better than something else.',
      examined: 'Examined with 40 executions, and again when the evidence about these failures grows.',
    });
  });
});
