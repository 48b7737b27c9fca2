import { describe, expect, it } from '@jest/globals';
import { learnedClaim } from '../../../test/support/learned-claims.js';
import type { Check, Verdict } from '../../evidence/predicate/check.schema.js';
import type { Family } from '../evidence/candidate.js';
import type { ExaminedCandidate, FamilyFindings } from '../examination/family-examination.js';
import { NO_OUTCOMES } from '../examination/family-outcomes.js';
import { type Lesson, lessonOf } from '../examination/lesson.js';
import { PatternEvidence } from '../support/pattern-evidence.js';
import { CandidateRow } from './candidates.schema.js';
import { examinationOf } from './cycle-examination.js';

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

function findings(key: string, verdict: Verdict, change: Partial<Check> = {}): FamilyFindings {
  const family: Family = {
    fingerprint: `family of ${key}`,
    signature: `cannot open <path> for ${key}`,
    templates: new Set(),
    fingerprints: ['f'],
    evidence: new PatternEvidence(),
    tools: ['shell'],
    actions: ['python'],
    errorClasses: ['SyntaxError'],
  };
  const candidate: ExaminedCandidate = {
    key,
    how: 'replace',
    action: `python3 ${key}`,
    label: 'python3',
    taught: [],
    avoided: [],
    binding: {},
    predicate: { learned: learnedClaim({ call: 'python', error: 'SyntaxError', remedy: 'python3' }) },
    check: check(verdict, change),
    workedFor: { parties: 2, agents: 2, owners: 2 },
    dangers: [],
    treated: new Set(),
  };
  return {
    family,
    // the rows of candidates hold no dossier
    dossier: {} as FamilyFindings['dossier'],
    candidates: [candidate],
    outcomes: NO_OUTCOMES,
    examined: 20,
    isMember: () => false,
    read: [],
    split: 'origin',
  };
}

const examined = (all: readonly FamilyFindings[], lessons: readonly Lesson[] = []) =>
  examinationOf([], all, lessons, new Map());
/** The lesson of a family with one candidate. */
function lessonOfOne(one: FamilyFindings): Lesson {
  const [candidate] = one.candidates;
  if (!candidate) throw new Error('no candidate');
  return lessonOf([{ candidate, findings: one }]);
}

describe('the candidates of a cycle', () => {
  it('that became no draft come first, the strongest verdict at the top', () => {
    const all = (['confirmed', 'refuted', 'undecided'] as const).map((verdict) => findings(verdict, verdict));
    const [confirmed] = all;
    const lessons = confirmed ? [lessonOfOne(confirmed)] : [];
    const { rows, candidates } = examined(all, lessons);
    expect(rows.map(({ verdict, because }) => [verdict, because])).toEqual([
      ['undecided', 'no_clear_difference'],
      ['refuted', 'refuted'],
      ['confirmed', null],
    ]);
    expect(examined([...all].reverse(), lessons).rows).toEqual(rows);
    expect(candidates).toEqual({ confirmed: 1, observed: 0, undecided: 1, refuted: 1 });
  });

  it('carry their predicate, the pair that decides and the number of executions', () => {
    const [row] = examined([findings('a', 'refuted')]).rows;
    expect(row).toMatchObject({
      with: { worked: 9, n: 10 },
      without: { worked: 1, n: 8 },
      examined: 20,
      predicate: { learned: { key: '+python3' } },
      family: { signature: 'cannot open <path> for a', tools: ['shell'], agents: 0 },
    });
    expect(CandidateRow.parse(row)).toEqual(row);
  });

  it('have one id for one lesson about one family, in every cycle', () => {
    const ids = [findings('a', 'refuted'), findings('a', 'undecided'), findings('b', 'refuted')].map(
      (one) => examined([one]).rows[0]?.id,
    );
    expect(ids[0]).toBe(ids[1]);
    expect(ids[0]).not.toBe(ids[2]);
  });

  it('show the counts of all executions if no comparison was made', () => {
    const { rows } = examined([findings('a', 'undecided', { by: null, comparisons: [] })]);
    expect(rows[0]).toMatchObject({ with: { worked: 12, n: 14 } });
  });

  it('hide a path of a home directory in a signature', () => {
    const one = findings('a', 'refuted');
    const family = { ...one.family, signature: 'cannot open /home/ada/books.csv' };
    expect(examined([{ ...one, family }]).rows[0]?.family.signature).not.toContain('ada');
  });

  it('are bounded, and so are the families that are stored', () => {
    const all = examined(Array.from({ length: 300 }, (_, n) => findings(`key ${n}`, 'refuted')));
    expect([all.rows.length, all.stored.length, all.examined, all.candidates.refuted]).toEqual([200, 200, 300, 300]);
  });

  it('are refuted with their action, unless another form of it holds', () => {
    const one = findings('a', 'refuted');
    const [refuted] = one.candidates;
    if (!refuted) throw new Error('no candidate');
    const other = { ...refuted, key: 'other', check: check('observed') };
    expect([...examined([one]).refutations.values()]).toEqual([refuted.check]);
    expect(examined([{ ...one, candidates: [refuted, other] }]).refutations.size).toBe(0);
  });
});
