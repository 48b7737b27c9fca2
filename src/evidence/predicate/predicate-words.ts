import { whenOf } from '../../learning/lessons/words.js';
import { patternLine } from '../../learning/patterns/matching.js';
import type { LearnedClaim, Pattern } from '../../learning/patterns/pattern.schema.js';
import { plainPattern } from './pattern-text.js';
import { type Matcher, type Matchers, matcherList, type Predicate } from './predicate.schema.js';

/**
 * Returns what a predicate says in English sentences, for the reviewer: which failure, which call follows the lesson,
 * and what it is compared with. Words stand in code spans; a pattern that stands for no plain text is shown between
 * slashes. Nothing is escaped. A renderer must do that.
 */
export function predicateInWords(predicate: Predicate): string[] {
  const { learned, when, follow, attempt, against, within = DEFAULT_WITHIN, start, execution, covers } = predicate;
  const other = against ? callsOf(against, 'another') : 'another call of the same action';
  return [
    ...(learned ? learnedInWords(learned) : []),
    ...(when ? [`When there was ${callsOf(when, 'a failed')}.`] : []),
    ...(follow ? [`It counts as followed by ${callsOf(follow, 'a later')}.`] : []),
    ...(attempt ? [`The result that counts is that of ${callsOf(attempt, 'the next')}.`] : []),
    ...(follow || against ? [`Compared with ${other}, within ${within} ${within === 1 ? 'call' : 'calls'}.`] : []),
    ...(start ? startInWords(start) : []),
    ...(execution ? executionInWords(execution) : []),
    ...(covers ? [`It is meant to prevent ${callsOf(covers, 'a failed')}.`] : []),
  ];
}

/** How many calls after the failure were examined, if the predicate does not say. */
const DEFAULT_WITHIN = 8;

/** What the patterns match: `<name>` stands for any value. */
function learnedInWords({ conditions }: LearnedClaim): string[] {
  const line = (pattern: Pattern): string => patternLine(pattern).replaceAll('`', "'");
  const tries = conditions.map(
    ({ remedy, step }) => `${code(line(remedy))}${step === undefined ? '' : ` after ${code(line(step))}`}`,
  );
  return [
    `When ${conditions.map((one) => whenOf(one, line(one.call), line(one.error))).join(', or ')}.`,
    `It counts as followed by a later call like ${either(tries)}.`,
    'Compared with another try for the same goal.',
  ];
}

function startInWords({ action, form, prior }: NonNullable<Predicate['start']>): string[] {
  return [
    `From the start of an execution: ${callsOf(action, 'the first')}.`,
    ...(form ? [`It counts as followed if it is ${callsOf(form)}.`] : []),
    ...(prior ? [`It counts as followed after ${callsOf(prior)}.`] : []),
  ];
}

function executionInWords({ where, first, before, after, did }: NonNullable<Predicate['execution']>): string[] {
  const compared = where ? `executions with ${callsOf(where)} and ` : 'whole executions ';
  const done = [
    ...(first ? [`with ${callsOf(first)}${before ? ` before ${callsOf(before, 'the first')}` : ''}`] : []),
    ...(did ? [`with ${callsOf(did)}${after ? ` after ${callsOf(after, 'the first')}` : ''}`] : []),
  ];
  return [`By their outcome, ${compared}${done.join(' and ')} are compared with the others.`];
}

const SAME = [
  ['sameAction', 'action'],
  ['sameTool', 'tool'],
  ['sameArgs', 'text'],
] as const;
const NAMED = [
  ['action', 'of the action'],
  ['notAction', 'without the action'],
] as const;
const PATTERNS = [
  ['tool', 'of the tool'],
  ['notTool', 'of another tool than'],
  ['args', 'with'],
  ['notArgs', 'without'],
  ['adds', 'that adds'],
  ['drops', 'that leaves out'],
  ['error', 'with the error'],
  ['errorValueInArgs', 'with the value in the error that is found by'],
  ['errorValueNotInArgs', 'without the value in the error that is found by'],
  ['sumAmountsEqualsError', 'whose amounts add up to the value in the error that is found by'],
] as const;

/** The matchers of earlier versions: "a later call of the same action with `python3`". */
function callsOf(matchers: Matchers, which = 'a'): string {
  return matcherList(matchers)
    .map((one) => [`${which} call`, ...partsOf(one)].join(' '))
    .join(', or ');
}

function* partsOf(matcher: Matcher): Generator<string> {
  for (const [part, words] of SAME) {
    const is = matcher[part];
    if (is !== undefined) yield `of ${is ? 'the same' : 'another'} ${words}`;
  }
  for (const [part, words] of NAMED) {
    const name = matcher[part];
    if (name !== undefined) yield `${words} ${code(name)}`;
  }
  for (const [part, words] of PATTERNS) {
    const pattern = matcher[part];
    if (pattern !== undefined) yield `${words} ${code(plainPattern(pattern) ?? `/${pattern}/`)}`;
  }
  if (matcher.ok !== undefined) yield matcher.ok ? 'that works' : 'that fails';
}

const either = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

/** A code span; a text with a backtick stands in quotes instead. */
const code = (text: string): string => (text.includes('`') ? `"${text}"` : `\`${text}\``);
