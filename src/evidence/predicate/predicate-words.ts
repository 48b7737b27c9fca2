import { whenOf } from '../../learning/lessons/words.js';
import { patternLine } from '../../learning/patterns/matching.js';
import type { LearnedClaim, Pattern } from '../../learning/patterns/pattern.schema.js';
import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import { alternativesOf, plainPattern } from './pattern-text.js';
import type { Matcher, Matchers, Predicate } from './predicate.schema.js';

/**
 * Returns what a predicate says in English sentences, for the reviewer: which failure, which call follows the lesson,
 * and what it is compared with. Words stand in code spans and errors in quotes; a pattern that stands for no plain text is
 * shown between slashes. Nothing is escaped. A renderer must do that.
 */
export function predicateInWords(predicate: Predicate): string[] {
  const { learned, when, follow, attempt, against, within, start, execution, covers } = predicate;
  return [
    ...(learned ? learnedInWords(learned) : []),
    ...(when ? [`When ${clauseOf(when)}.`] : []),
    ...(follow ? [`It counts as followed by ${callsOf(follow, 'a later')}.`] : []),
    ...(attempt ? [`The result that counts is that of ${callsOf(attempt, 'the next')}.`] : []),
    ...(follow || against ? [comparedWith(against, within)] : []),
    ...(start ? startInWords(start) : []),
    ...(execution ? executionInWords(execution) : []),
    ...(covers ? [`It is meant to prevent that ${clauseOf(covers)}.`] : []),
  ];
}

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

/** How many calls after the failure were examined, if the predicate does not say. */
const DEFAULT_WITHIN = 8;

function comparedWith(against: Matchers | undefined, within = DEFAULT_WITHIN): string {
  const other = against ? callsOf(against, 'another try by a') : 'another try of the same action';
  return `Compared with ${other}, within ${within} ${within === 1 ? 'call' : 'calls'}.`;
}

function startInWords({ action, form, prior }: NonNullable<Predicate['start']>): string[] {
  const taught = [
    ...(form ? [`if it is ${callsOf(form)}`] : []),
    ...(prior ? [`if ${callsOf(prior)} is made before it`] : []),
  ];
  return [
    `From the start of an execution: ${callsOf(action, 'the first')}.`,
    ...(taught.length > 0 ? [`It counts as followed ${taught.join(', and ')}.`] : []),
  ];
}

function executionInWords({ where, first, before, after, did }: NonNullable<Predicate['execution']>): string[] {
  const compared = where ? `executions with ${callsOf(where)}` : 'whole executions';
  const done = [
    ...(first ? [`with ${callsOf(first)}${before ? ` before ${callsOf(before, 'the first')}` : ''}`] : []),
    ...(did ? [`with ${callsOf(did)}${after ? ` after ${callsOf(after, 'the first')}` : ''}`] : []),
  ];
  return [`By their outcome, ${compared}${where ? ' and ' : ' '}${done.join(' and ')} are compared with the others.`];
}

const listOf = (matchers: Matchers): readonly Matcher[] =>
  // Array.isArray does not narrow a readonly array
  Array.isArray(matchers) ? (matchers as readonly Matcher[]) : [matchers as Matcher];

/** "a shell call with `python` fails with an error like "SyntaxError"". Only failed calls are counted here. */
function clauseOf(matchers: Matchers): string {
  return listOf(matchers)
    .map(
      (matcher) =>
        `${callOf({ ...matcher, ok: undefined, error: undefined }, 'a')} ${resultOf({ ...matcher, ok: matcher.ok ?? false })}`,
    )
    .join(', or ');
}

function resultOf({ ok, error }: Loose<Matcher>): string {
  if (error !== undefined) return `fails with an error ${likeOf(error)}`;
  return ok ? 'works' : 'fails';
}

const callsOf = (matchers: Matchers, which = 'a'): string =>
  listOf(matchers)
    .map((matcher) => callOf(matcher, which))
    .join(', or ');

/** "a later shell call of the same action with `python3` that works". */
function callOf(matcher: Loose<Matcher>, which: string): string {
  const verbs = [...verbsOf(matcher)];
  const that = verbs.length > 1 ? `${verbs.slice(0, -1).join(', ')} and ${verbs.at(-1)}` : verbs.join('');
  const named = `${which} ${nameOf(matcher.tool, matcher.notTool)}`;
  return [named, ...featuresOf(matcher), ...(that === '' ? [] : [`that ${that}`])].join(' ');
}

type Loose<T> = { readonly [K in keyof T]?: T[K] | undefined };

function nameOf(tool: string | undefined, notTool: string | undefined): string {
  const other = notTool === undefined ? '' : ` other than ${toolsOf(notTool)}`;
  if (tool === undefined) return other === '' ? 'call' : `call of a tool${other}`;
  return (tool.split('|').every(isShellTool) ? 'shell call' : `call of ${toolsOf(tool)}`) + other;
}

function toolsOf(pattern: string): string {
  const names = [...new Map(pattern.split('|').map((name) => [name.toLowerCase(), name])).values()];
  if (names.every((name) => /^[\w-]+$/.test(name))) return either(names.map(code));
  return `a tool like ${expression(pattern)}`;
}

function* featuresOf(matcher: Loose<Matcher>): Generator<string> {
  const { sameAction, sameTool, sameArgs, args, notArgs, errorValueInArgs, errorValueNotInArgs } = matcher;
  if (sameAction !== undefined) yield `of ${sameAction ? 'the same action' : 'another action'}`;
  if (sameTool !== undefined) yield `of ${sameTool ? 'the same tool' : 'another tool'}`;
  if (sameArgs !== undefined) yield `with ${sameArgs ? 'the same arguments' : 'other arguments'}`;
  if (args !== undefined) yield `with ${shown(args)}`;
  if (errorValueInArgs !== undefined) yield `with the value that the error names (${expression(errorValueInArgs)})`;
  if (notArgs !== undefined) yield `without ${shown(notArgs)}`;
  if (errorValueNotInArgs !== undefined)
    yield `without the value that the error names (${expression(errorValueNotInArgs)})`;
}

function* verbsOf(matcher: Loose<Matcher>): Generator<string> {
  const { action, notAction, adds, drops, sumAmountsEqualsError, error, ok } = matcher;
  if (action !== undefined) yield `runs ${code(action)}`;
  if (notAction !== undefined) yield `does not run ${code(notAction)}`;
  if (adds !== undefined) yield `adds ${shown(adds)}`;
  if (drops !== undefined) yield `leaves out ${shown(drops)}`;
  if (sumAmountsEqualsError !== undefined)
    yield `has amounts that add up to the number in the error (${expression(sumAmountsEqualsError)})`;
  if (error !== undefined || ok !== undefined) yield resultOf({ ok, error });
}

/** The texts that a pattern stands for, or the pattern itself. */
function shown(pattern: string): string {
  const plain = textsOf(pattern);
  return plain ? either(plain.map(code)) : `text like ${expression(pattern)}`;
}

function likeOf(pattern: string): string {
  const plain = textsOf(pattern);
  return `like ${plain ? either(plain.map((text) => `"${text}"`)) : expression(pattern)}`;
}

function textsOf(pattern: string): string[] | undefined {
  const whole = plainPattern(pattern);
  if (whole) return [whole.text];
  const parts = alternativesOf(pattern)?.map((part) => plainPattern(part)?.text) ?? [];
  return parts.length > 0 && parts.every((part) => part !== undefined) ? parts : undefined;
}

const either = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

/** A code span; a text with a backtick stands in quotes instead. */
const code = (text: string): string => (text.includes('`') ? `"${text}"` : `\`${text}\``);

const expression = (pattern: string): string => code(`/${pattern}/`);
