import { clip } from '../../untrusted/text/clip.js';
import { patternProblem } from '../predicate/pattern.js';
import { type Matcher, Predicate } from '../predicate/predicate.schema.js';
import {
  ANSWERED_TESTS,
  type AnsweredMatcher,
  type AnsweredPredicate,
  type AnsweredTest,
} from './lesson-answer.schema.js';

/** The names of the tests in a predicate. */
const NAMES: Readonly<Record<AnsweredTest, keyof Matcher>> = {
  tool: 'tool',
  not_tool: 'notTool',
  action: 'action',
  not_action: 'notAction',
  args: 'args',
  not_args: 'notArgs',
  error: 'error',
  drops: 'drops',
  adds: 'adds',
  error_value_in_args: 'errorValueInArgs',
  error_value_not_in_args: 'errorValueNotInArgs',
  sum_amounts_equals_error: 'sumAmountsEqualsError',
  ok: 'ok',
  same_action: 'sameAction',
  same_tool: 'sameTool',
  same_args: 'sameArgs',
};
const YES_OR_NO: Readonly<Record<string, boolean>> = { yes: true, true: true, no: false, false: false };

/** More tests in all parts together say nothing that a reviewer could follow, and cost time for every call. */
const MOST_TESTS = 60;

/** Thrown and caught in this file alone. */
class Problem extends Error {}

/**
 * Reads the predicate of an answer. `problem`: what is wrong with it, in a sentence for the model that wrote it. A part
 * that is empty is absent; `within` 0 is the usual one. Never throws.
 */
export function predicateOfAnswer(answered: AnsweredPredicate): { predicate: Predicate } | { problem: string } {
  try {
    return { predicate: predicateOf(answered) };
  } catch (error) {
    if (error instanceof Problem) return { problem: error.message };
    throw error;
  }
}

function predicateOf({ within, start, execution, ...calls }: AnsweredPredicate): Predicate {
  const { when, follow, attempt, against, covers } = calls;
  const parts = [...Object.values(calls), ...Object.values(start), ...Object.values(execution)];
  const tests = parts.flat().reduce((sum, one) => sum + one.tests.length, 0);
  if (tests > MOST_TESTS) throw new Problem(`The predicate has ${tests} tests; at most ${MOST_TESTS} are allowed.`);
  if (within < 0 || within > 20) throw new Problem('`within` must be from 1 to 20, or 0 for the usual 8.');
  const read = {
    ...part('when', when),
    ...part('follow', follow),
    ...part('attempt', attempt),
    ...part('against', against),
    ...(within === 0 ? {} : { within }),
    ...group('start', start),
    ...group('execution', execution),
    ...part('covers', covers),
  };
  if (!('when' in read) && !('start' in read) && !('execution' in read))
    throw new Problem('The predicate is empty: give `when` with `follow`, `start`, or `execution`.');
  if ('follow' in read && !('when' in read))
    throw new Problem('`follow` needs `when`, the failed call that the lesson is about.');
  if ('when' in read && !('follow' in read) && !('start' in read) && !('execution' in read))
    throw new Problem('`when` needs `follow`, the call that does what the lesson says.');
  if (start.action.length === 0 && (start.form.length > 0 || start.prior.length > 0))
    throw new Problem('`start` needs `action`, the call whose first use is compared.');
  if (start.action.length > 0 && start.form.length === 0 && start.prior.length === 0)
    throw new Problem('`start` needs `form` or `prior`, what the lesson says about the action.');
  if (
    'execution' in read &&
    execution.did.length === 0 &&
    (execution.first.length === 0 || execution.before.length === 0)
  )
    throw new Problem('`execution` needs `did`, or `first` with `before`.');
  const predicate = Predicate.safeParse(read);
  if (predicate.success) return predicate.data;
  const [issue] = predicate.error.issues;
  throw new Problem(clip(`${issue?.path.join('.') ?? 'The predicate'}: ${issue?.message ?? 'cannot be read'}`, 300));
}

const part = (name: string, matchers: readonly AnsweredMatcher[]): Record<string, Matcher[]> =>
  matchers.length === 0 ? {} : { [name]: matchers.map((one) => matcherOf(name, one)) };

function group(name: string, parts: Readonly<Record<string, readonly AnsweredMatcher[]>>): Record<string, object> {
  const read = Object.entries(parts).map(([key, matchers]) => part(key, matchers));
  const merged = Object.assign({}, ...read) as Record<string, Matcher[]>;
  return Object.keys(merged).length === 0 ? {} : { [name]: merged };
}

function matcherOf(name: string, { tests }: AnsweredMatcher): Matcher {
  if (tests.length === 0)
    throw new Problem(`A matcher of \`${name}\` has no test, so that it would hold for every call.`);
  const read = new Map<keyof Matcher, string | boolean>();
  for (const { test, value } of tests) {
    if (read.has(NAMES[test]))
      throw new Problem(`A matcher of \`${name}\` has two tests \`${test}\`; join them in one.`);
    const problem = ANSWERED_TESTS[test] === 'pattern' ? patternProblem(value) : undefined;
    if (problem !== undefined) throw new Problem(`The pattern of \`${test}\` in \`${name}\` ${problem}.`);
    read.set(NAMES[test], ANSWERED_TESTS[test] === 'yes or no' ? yesOrNo(test, value) : value);
  }
  return Object.fromEntries(read);
}

function yesOrNo(test: AnsweredTest, value: string): boolean {
  const word = value.trim().toLowerCase();
  const known = Object.hasOwn(YES_OR_NO, word) ? YES_OR_NO[word] : undefined;
  if (known === undefined) throw new Problem(`\`${test}\` takes yes or no, not "${clip(value, 40)}".`);
  return known;
}
