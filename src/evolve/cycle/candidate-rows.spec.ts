import { describe, expect, it } from '@jest/globals';
import type { Check, Verdict } from '../../evidence/predicate/check.schema.js';
import type { CheckedCandidate } from '../evidence/candidate.js';
import { dropReasonOf } from '../examination/drop-reason.js';
import { PatternEvidence } from '../support/pattern-evidence.js';
import type { CandidateOutcome, FamilySummary } from './candidate-outcome.js';
import { candidateRows, storedFamilies, verdictCounts } from './candidate-rows.js';
import { CandidateRow } from './candidates.schema.js';

function check(verdict: Verdict, change: Partial<Check> = {}): Check {
  const comparison = {
    kind: 'after' as const,
    with: { worked: 9, n: 10 },
    without: { worked: 1, n: 8 },
    difference: null,
    p: null,
    withinAgents: null,
    pairs: null,
    permutation: null,
    verdict,
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

function outcome(key: string, verdict: Verdict, change: Partial<CandidateOutcome> = {}): CandidateOutcome {
  const family: FamilySummary = {
    fingerprint: `family of ${key}`,
    signature: `cannot open <path> for ${key}`,
    fingerprints: ['f'],
    counts: new PatternEvidence().counts(),
    tools: ['shell'],
    actions: ['python'],
    errorClasses: ['SyntaxError'],
  };
  const candidate: CheckedCandidate = {
    key,
    how: 'replace',
    action: 'python3',
    label: 'python3',
    taught: [],
    avoided: [],
    binding: {},
    predicate: { when: { action: 'python' }, follow: { action: 'python3' } },
    check: check(verdict),
  };
  const because = dropReasonOf(candidate.check, []);
  return { family, candidate, examined: 20, because, findings: [], ...change };
}

describe('the candidates of a cycle', () => {
  it('that became no draft come first, the strongest verdict at the top', () => {
    const outcomes = (['confirmed', 'refuted', 'undecided'] as const).map((verdict) => outcome(verdict, verdict));
    const rows = candidateRows(outcomes);
    expect(rows.map(({ verdict, because }) => [verdict, because])).toEqual([
      ['undecided', 'no_clear_difference'],
      ['refuted', 'refuted'],
      ['confirmed', null],
    ]);
    expect(candidateRows([...outcomes].reverse())).toEqual(rows);
    expect(verdictCounts(outcomes)).toEqual({ confirmed: 1, observed: 0, undecided: 1, refuted: 1 });
  });

  it('carry their predicate, the pair that decides and the number of executions', () => {
    const [row] = candidateRows([outcome('a', 'refuted')]);
    expect(row).toMatchObject({
      with: { worked: 9, n: 10 },
      without: { worked: 1, n: 8 },
      examined: 20,
      predicate: { when: { action: 'python' }, follow: { action: 'python3' } },
      family: { signature: 'cannot open <path> for a', tools: ['shell'], agents: 0 },
    });
    expect(CandidateRow.parse(row)).toEqual(row);
  });

  it('have one id for one lesson about one family, in every cycle', () => {
    const ids = [outcome('a', 'refuted'), outcome('a', 'undecided'), outcome('b', 'refuted')].map(
      (one) => candidateRows([one])[0]?.id,
    );
    expect(ids[0]).toBe(ids[1]);
    expect(ids[0]).not.toBe(ids[2]);
  });

  it('show the counts of all executions if no comparison was made', () => {
    const one = outcome('a', 'undecided');
    const candidate = { ...one.candidate, check: check('undecided', { by: null, comparisons: [] }) };
    expect(candidateRows([{ ...one, candidate }])[0]).toMatchObject({ with: { worked: 12, n: 14 } });
  });

  it('hide a path of a home directory in a signature', () => {
    const one = outcome('a', 'refuted');
    const family = { ...one.family, signature: 'cannot open /home/ada/books.csv' };
    expect(candidateRows([{ ...one, family }])[0]?.family.signature).not.toContain('ada');
  });

  it('are bounded, and so are the families that are stored', () => {
    const many = Array.from({ length: 300 }, (_, n) => outcome(`key ${n}`, 'refuted'));
    expect(candidateRows(many)).toHaveLength(200);
    const dossier = {} as Parameters<typeof storedFamilies>[0][number]['dossier'];
    expect(storedFamilies(many.map(({ family }) => ({ family, dossier })))).toHaveLength(200);
  });
});
