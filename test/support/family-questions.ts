import type { FamilyQuestion } from '../../src/evidence/answers/family-question.js';
import type { AnsweredPredicate, AnsweredTest, LessonAnswer } from '../../src/evidence/answers/lesson-answer.schema.js';
import type { Dossier } from '../../src/evidence/dossier/dossier.schema.js';
import { ANSWERS } from './messages-api.js';

const shell = (call: string) => ({ tool: 'shell', call });
const worked = (call: string) => ({ call: shell(call), ok: true, error: null });
const failed = (call: string, error: string) => ({ call: shell(call), ok: false, error });
const SYNTAX_ERROR = 'SyntaxError: invalid syntax';

/** Scripts of several agents that fail under an old interpreter. */
export const DOSSIER: Dossier = {
  kind: 'failure',
  signature: SYNTAX_ERROR,
  value: null,
  failures: 31,
  executions: 22,
  examined: 60,
  agents: 5,
  origins: 22,
  harnesses: [{ name: 'claude-code', n: 22 }],
  tools: [{ name: 'shell', n: 31 }],
  actions: [{ name: 'python script', n: 31 }],
  position: 0.31,
  repeats: 1.4,
  identicalNext: 2,
  sameActionWorked: 48,
  inFailed: [{ word: 'python', here: 1, there: 0.23 }],
  inWorked: [{ word: 'python3', here: 0.71, there: 0 }],
  keys: [],
  recovered: 19,
  next: [
    { action: 'python script', n: 14, worked: 11 },
    { action: 'python --version', n: 5, worked: 5 },
  ],
  afterRecovered: [{ word: 'python3', here: 0.84, there: 0.25 }],
  afterOthers: [],
  outcome: { with: { worked: 15, n: 22 }, without: { worked: 30, n: 38 } },
  examples: [
    {
      recovered: true,
      before: worked('ls reports'),
      failed: failed('python reports/close.py', SYNTAX_ERROR),
      later: [worked('python --version'), worked('python3 reports/close.py')],
    },
    {
      recovered: false,
      before: null,
      failed: failed('python <path>/import.py --dry-run', SYNTAX_ERROR),
      later: [failed('python <path>/import.py', SYNTAX_ERROR), worked('ls <path>')],
    },
  ],
  environment: [
    { name: 'python', value: '2.7.18' },
    { name: 'python3', value: '3.11.4' },
  ],
};

/** The fingerprint of a family, by a digit. */
export const familyPrint = (digit: string): string => `sha256:${digit.repeat(64)}`;

export const familyQuestion = (change: Partial<FamilyQuestion> = {}): FamilyQuestion => ({
  family: familyPrint('1'),
  executions: 22,
  dossier: DOSSIER,
  learnedFrom: 'a',
  ...change,
});

const tests = (all: Partial<Record<AnsweredTest, string>>): AnsweredPredicate['when'] => [
  { tests: Object.entries(all).map(([test, value]) => ({ test: test as AnsweredTest, value })) },
];

export const PREDICATE: AnsweredPredicate = {
  when: tests({ tool: 'shell', args: '\\bpython ', error: 'SyntaxError' }),
  follow: tests({ args: '\\bpython3 ', same_action: 'yes' }),
  attempt: [],
  against: tests({ args: '\\bpython ', same_action: 'yes' }),
  within: 0,
  start: { action: [], form: [], prior: [] },
  execution: { first: [], before: [], after: [], did: [] },
  covers: [],
};

export const FAMILY_LESSON: NonNullable<LessonAnswer['lesson']> = {
  title: 'Run scripts with python3 instead of python',
  condition: '`python` fails with "SyntaxError: invalid syntax" on a script.',
  cause: '`python` is 2.7.18 here, and `python3` is 3.11.4.',
  steps: ['Run `python3 reports/close.py`.'],
  gotchas: ['The same call without its flag failed again.'],
  example: { number: 1, worked: 2 },
  binding: { harness: '', project: '', environment: 'python 2.7.18', tools: ['shell'] },
  predicate: PREDICATE,
  quotes: ['python3 71%/0%', SYNTAX_ERROR],
  confidence: 'high',
};

export const familyLesson = (change: Partial<typeof FAMILY_LESSON> = {}): LessonAnswer => ({
  decision: 'lesson',
  refusal: null,
  lesson: { ...FAMILY_LESSON, ...change },
});

export const DECLINED: LessonAnswer = {
  decision: 'no_lesson',
  lesson: null,
  refusal: { kind: 'unsolvable', reason: 'No execution overcame it.' },
};

/** The response of a model with this answer. */
export const saysOfFamily = (answer: unknown) => ANSWERS.message(JSON.stringify(answer));
