import { describe, expect, it } from '@jest/globals';
import { ReportedReader, readFromMemory } from '../../../test/support/cycles.js';
import { observedWork, run, type WorkKind } from '../../../test/support/observed-work.js';
import type { Pattern } from '../../learning/patterns/pattern.schema.js';
import { TableCache } from '../cases/table-cache.js';
import { recordedExecution } from '../evidence/recorded-execution.js';
import { examineFamily } from './family-examination.js';
import { type Lesson, type LessonMember, lessonsOf } from './lesson.js';
import { wholeLessons } from './lesson-check.js';

const python = (error: string, of = 24): WorkKind => {
  const failed = run('python a.py', error);
  return { of, calls: [failed, failed, run('python3 a.py')] };
};
const [syntax, value] = [python('SyntaxError: invalid syntax'), python('ValueError: unsupported pickle protocol')];
/** A failure of the same program that the other one does not overcome. */
const missing: WorkKind = {
  of: 90,
  calls: [run('python b.py', 'KeyError: region'), run('python b.py', 'KeyError: region')],
};

/** The lesson of all families with one remedy, and what becomes of it when it is checked as a whole. */
function checked(kinds: readonly WorkKind[], change: (lesson: Lesson) => Lesson = (lesson) => lesson) {
  const reader = new ReportedReader();
  const stored = observedWork(kinds);
  for (const one of stored) reader.add(one);
  const executions = stored.flatMap(({ id }) => {
    const reported = reader.reportOf(id);
    return reported ? [recordedExecution(reported)] : [];
  });
  const { index } = reader;
  const findings = index.families().map((family) => {
    const prints = new Set(family.fingerprints);
    const own = executions.filter(({ calls }) => calls.some(({ failure }) => prints.has(failure?.fingerprint ?? '')));
    return examineFamily(family, executions.length > 100 ? executions : own, {});
  });
  const [lesson] = lessonsOf(findings, 1);
  if (!lesson) throw new Error('no lesson');
  const whole = readFromMemory(wholeLessons(change(lesson), new TableCache()), (id) => reader.reportOf(id));
  return { lesson, whole };
}

type Candidate = Lesson['main'];

const withCandidates = (lesson: Lesson, change: (candidate: Candidate, at: number) => Candidate): Lesson => ({
  ...lesson,
  members: lesson.members.map((one, at) => ({ ...one, candidate: change(one.candidate, at) })),
});

/** The candidate for failures with another error. */
function withError(candidate: Candidate, error: Pattern): Candidate {
  const { ofHalves: _halves, predicate, ...others } = candidate;
  if (!predicate.learned) throw new Error('not learned');
  const conditions = predicate.learned.conditions.map((one) => ({ ...one, error: [...error], said: [] }));
  return { ...others, predicate: { learned: { ...predicate.learned, conditions } } };
}

const aboutAnyError = (lesson: Lesson): Lesson =>
  withCandidates(lesson, (candidate) => withError(candidate, [{ any: 'error' }]));

describe('a lesson of several families', () => {
  it('is about the errors of each, whatever else fails in the program', () => {
    const { lesson, whole } = checked([syntax, value, missing]);
    expect(lesson.families).toHaveLength(2);
    expect(whole).toHaveLength(1);
    const [{ predicate, check } = lesson] = whole;
    const errors = predicate.learned?.conditions.map(({ error }) => error[0]);
    expect([...(errors ?? [])].sort()).toEqual(['SyntaxError', 'ValueError']);
    expect(check).toMatchObject({ verdict: 'confirmed', scope: { share: 1 } });
  });

  it('stands although most of what it claims is in no family, if those failures say the same', () => {
    const other = python('ImportError: bad magic number', 90);
    const isOther = ({ findings }: LessonMember): boolean => findings.family.signature.startsWith('ImportError');
    const whole = checked([syntax, value, other], (lesson) =>
      aboutAnyError({ ...lesson, members: lesson.members.filter((one) => !isOther(one)) }),
    ).whole;
    expect(whole.map(({ families }) => families.length)).toEqual([2]);
    expect(whole[0]?.check.scope?.share).toBeLessThan(0.5);
  });

  it('is one lesson for each family, if nothing says the same of most of what it claims', () => {
    const others = run('python a.py', 'KeyError: region');
    const { whole } = checked([syntax, value, { of: 90, calls: [others, others] }], aboutAnyError);
    expect(whole.map(({ families }) => families.length)).toEqual([1, 1]);
  });

  it('is one lesson for each family, if it was not learned from one half of the origins', () => {
    const { lesson, whole } = checked([syntax, value], (one) =>
      withCandidates(one, ({ heldOut: _half, ...candidate }) => candidate),
    );
    expect(whole.map(({ families }) => families.length)).toEqual([1, 1]);
    expect(whole.flatMap(({ families }) => families.map(({ fingerprint }) => fingerprint)).sort()).toEqual(
      lesson.families.map(({ fingerprint }) => fingerprint).sort(),
    );
  });

  it('leaves a family in which no execution tried it to a lesson of its own', () => {
    const { whole } = checked([syntax, value, missing], (lesson) =>
      withCandidates(lesson, (candidate, at) => (at === 0 ? candidate : withError(candidate, ['KeyError', 'region']))),
    );
    expect(whole.map(({ families }) => families.length)).toEqual([1, 1]);
  });

  it('stays what it is with a single family', () => {
    const { lesson, whole } = checked([syntax]);
    expect(whole).toEqual([lesson]);
  });
});
