import type { FamilyAnswer } from '../../src/evidence/answers/family-question.js';
import type { AnsweredLesson, AnsweredMatcher, LessonAnswer } from '../../src/evidence/answers/lesson-answer.schema.js';
import { dossierText } from '../../src/evidence/dossier/dossier-text.js';
import { dossierOf } from '../../src/evolve/dossiers/dossier-builder.js';
import { halvesOf } from '../../src/evolve/evidence/halves.js';
import { type RecordedExecution, recordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import { CycleReader } from '../../src/evolve/window/cycle-reader.js';
import type { WriterSample } from '../../src/evolve/writers/lesson-writer.js';
import { observedWork, run, type WorkKind } from './observed-work.js';

export const SYNTAX = 'SyntaxError: invalid syntax';
export const TYPE = 'TypeError: value is no function';

/** A fleet in which `python` is the wrong interpreter, and another error that a repetition gets past. */
export const PYTHON_FLEET: readonly WorkKind[] = [
  { of: 24, calls: [run('ls'), run('python a.py', SYNTAX), run('python --version'), run('python3 a.py')] },
  { of: 12, calls: [run('ls'), run('python a.py', SYNTAX), run('python a.py', SYNTAX)] },
  { of: 60, calls: [run('ls'), run('node b.js', TYPE), run('node b.js')] },
];

/** All executions of a fleet as a predicate reads them. */
export function recordedFleet(work: readonly WorkKind[]): { executions: RecordedExecution[]; reader: CycleReader } {
  const reader = new CycleReader();
  const all = observedWork(work);
  for (const one of all) reader.add(one);
  const executions = all.flatMap(({ id }) => {
    const reported = reader.reportOf(id);
    return reported ? [recordedExecution(reported)] : [];
  });
  return { executions, reader };
}

/** What a writer reads of the family with {@link SYNTAX}, or else of the most frequent one of a fleet: one half of its executions, and the dossier of this half. */
export function writerSample(
  work: readonly WorkKind[] = PYTHON_FLEET,
  order = (all: readonly RecordedExecution[]): readonly RecordedExecution[] => all,
): WriterSample {
  const { executions: all, reader } = recordedFleet(work);
  const families = reader.index.families();
  const family = families.find(({ signature }) => signature.includes('SyntaxError')) ?? families[0];
  if (!family) throw new Error('the fleet has no failures');
  const prints = new Set(family.fingerprints);
  const isMember: WriterSample['isMember'] = ({ failure }) => failure !== undefined && prints.has(failure.fingerprint);
  const executions = order(halvesOf(all, { by: 'origin' }).a);
  return { family, isMember, executions, learnedFrom: 'a', dossier: dossierOf({ family, isMember, executions }) };
}

/** A matcher in the form of an answer: `{ action: 'python3' }`. */
export const matcher = (tests: Readonly<Record<string, string>>): AnsweredMatcher =>
  ({ tests: Object.entries(tests).map(([test, value]) => ({ test, value })) }) as AnsweredMatcher;

const NO_PREDICATE: AnsweredLesson['predicate'] = {
  when: [],
  follow: [],
  attempt: [],
  against: [],
  within: 0,
  covers: [],
  start: { action: [], form: [], prior: [] },
  execution: { first: [], before: [], after: [], did: [] },
};

/** A predicate of an answer with these parts. */
export const predicateWith = (parts: Partial<AnsweredLesson['predicate']>): AnsweredLesson['predicate'] => ({
  ...NO_PREDICATE,
  ...parts,
});

/** A good lesson about {@link PYTHON_FLEET}. */
export const PYTHON_LESSON: AnsweredLesson = {
  title: 'Run scripts with python3',
  condition: 'A script that is run with `python` fails with "SyntaxError: invalid syntax".',
  cause: '`python` and `python3` are two interpreters, and the script worked with the second one.',
  steps: ['Run the same script with `python3`.', 'In doubt, print `python --version` once.'],
  gotchas: ['Repeating `python a.py` fails again.'],
  example: { number: 1, worked: 2 },
  binding: { harness: '', project: '', environment: '', tools: [] },
  predicate: predicateWith({
    when: [matcher({ tool: 'shell', action: 'python', error: 'SyntaxError' })],
    follow: [matcher({ args: '(^|\\s)python3\\s', same_action: 'yes' })],
    against: [matcher({ args: '(^|\\s)python\\s', same_action: 'yes' })],
  }),
  quotes: [SYNTAX],
  confidence: 'high',
};

/** An answer with the lesson, with some parts changed. */
export const lessonAnswer = (change: Partial<AnsweredLesson> = {}): LessonAnswer => ({
  decision: 'lesson',
  lesson: { ...PYTHON_LESSON, ...change },
  refusal: null,
});

/** The answer as it is stored for the sample. */
export const storedAnswer = ({ family, dossier, learnedFrom }: WriterSample, answer: LessonAnswer): FamilyAnswer => ({
  family: family.fingerprint,
  executions: dossier.executions,
  dossier,
  shown: dossierText(dossier),
  learnedFrom,
  answer,
  by: 'anthropic/model/families-1',
  hash: 'sha256:answer',
  rewritten: false,
});
