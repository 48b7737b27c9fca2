import { describe, expect, it } from '@jest/globals';
import { run, type WorkKind } from '../../../test/support/observed-work.js';
import {
  lessonAnswer,
  matcher,
  predicateWith,
  storedAnswer,
  writerSample,
} from '../../../test/support/writer-sample.js';
import type { ToolCall } from '../../capture/report/execution-report.schema.js';
import type { AnsweredPredicate } from '../../evidence/answers/lesson-answer.schema.js';
import { wordsOfPattern } from '../../evidence/predicate/pattern-text.js';
import { modelWriter } from './model-writer.js';

function call(name: string, args: Readonly<Record<string, string>>, errorMessage?: string): ToolCall {
  const entries = Object.entries(args).map(([key, value]) => ({ key, type: 'text' as const, value }));
  const base = { name, action: JSON.stringify(args), arguments: entries };
  return errorMessage === undefined ? { ...base, ok: true } : { ...base, ok: false, errorMessage };
}

/** Some get past the failure with the later calls, and some repeat it. */
const fleet = (failed: ToolCall, ...later: ToolCall[]): WorkKind[] => [
  { of: 24, calls: [failed, ...later] },
  { of: 12, calls: [failed, failed] },
];

const NO_FIELD = 'validation error: user_id field required';
const NO_FOLDER = 'bash: line 1: cd: app: No such file or directory';
const NO_FILE = 'File does not exist: src/a.py';

/** What the steps have to say: what `follow` asks for. */
const wordsIn = ({ follow = [] }: Partial<AnsweredPredicate>): string[] =>
  follow
    .flatMap(({ tests }) => tests.filter(({ value }) => value !== 'yes' && value !== 'no'))
    .flatMap(({ value }) => wordsOfPattern(value));

const namesOf = (work: readonly WorkKind[], predicate: Partial<AnsweredPredicate>, worked: number) => {
  const sample = writerSample(work);
  const change = { predicate: predicateWith(predicate), example: { number: 1, worked } };
  const plain = {
    title: 'A title',
    condition: 'It fails.',
    cause: '',
    steps: [`Look first: ${wordsIn(predicate).join(' ')}.`],
    gotchas: [],
    quotes: [],
  };
  const answer = storedAnswer(sample, lessonAnswer({ ...plain, ...change }));
  const [model] = modelWriter('m').write(sample, answer).candidates;
  return model && [model.key, model.how, model.action, model.label];
};

describe('what a model teaches', () => {
  it.each<[string, WorkKind[], Partial<AnsweredPredicate>, number, string[]]>([
    [
      'a look for the place',
      fleet(
        call('Read', { file_path: 'src/a.py' }, NO_FILE),
        call('Glob', { pattern: '**/a.py' }),
        call('Read', { file_path: 'lib/a.py' }),
      ),
      {
        when: [matcher({ tool: 'Read', error: 'does not exist' })],
        follow: [matcher({ tool: 'Glob' })],
        attempt: [matcher({ same_action: 'yes' })],
      },
      2,
      ['["step",["glob"],[],"read"]', 'prepare', 'glob', 'glob first'],
    ],
    [
      'a look at the table',
      ['shops', 'towns', 'users', 'bills', 'roads', 'ships'].flatMap((table, at) =>
        fleet(
          call('sql', { query: `SELECT c${at} FROM ${table}` }, `Unknown column 'c${at}' in 'field list'`),
          call('sql', { query: `DESCRIBE ${table}` }),
          call('sql', { query: `SELECT d${at} FROM ${table}` }),
        ),
      ),
      {
        when: [matcher({ tool: 'sql', error: 'Unknown column' })],
        follow: [matcher({ tool: 'sql', args: 'describe|show' })],
        attempt: [matcher({ tool: 'sql', args: 'select' })],
      },
      2,
      ['["step",["sql desc"],[],"sql select"]', 'prepare', 'sql desc', 'sql desc first'],
    ],
    [
      'a step that is left out',
      fleet(run('cd app && npm test', NO_FOLDER), run('npm test')),
      {
        when: [matcher({ tool: 'Bash', error: 'No such file' })],
        follow: [matcher({ same_action: 'yes', not_args: 'cd app' })],
      },
      1,
      ['["form",[],["cd"],""]', 'relocate', 'shell', 'without cd'],
    ],
    [
      'another argument',
      fleet(call('book', { id: 'a1', city: 'x' }, NO_FIELD), call('book', { user_id: 'a1', city: 'x' })),
      { when: [matcher({ tool: 'book', error: 'user_id' })], follow: [matcher({ tool: 'book', args: '"user_id"' })] },
      1,
      ['["form",["user_id"],["id"],"book"]', 'replace', 'user_id', 'user_id instead of id'],
    ],
  ])('has its key and its names from the calls that show it: %s', (_what, work, predicate, worked, names) => {
    expect(namesOf(work, predicate, worked)).toEqual(names);
  });

  it('has another key for another remedy that nothing names, and the title for its label', () => {
    const work = fleet(call('pay', { amount: '7' }, 'error: the price is 9'), call('pay', { amount: '9' }));
    const when = [matcher({ tool: 'pay', error: 'price is' })];
    const value = (test: 'error_value_in_args' | 'sum_amounts_equals_error') =>
      namesOf(work, { when, follow: [matcher({ same_tool: 'yes', [test]: 'price is (\\d+)' })] }, 0);
    const [one, other] = [value('error_value_in_args'), value('sum_amounts_equals_error')];
    expect(one?.[3]).toBe('A title');
    expect(one?.[0]).not.toBe(other?.[0]);
  });
});
