import {
  ERRNO,
  EXCEPTION,
  NUMBERED,
  PROGRAM_MESSAGES,
  RAISED,
  type Rule,
  TEST_FAILURE,
  TOOL_MESSAGES,
  TRACEBACK,
} from './error-rules.js';
import { templateOf } from './error-template.js';
import { type ErrorText, readErrorText } from './error-text.js';

/** A stable name for a kind of error, and its most informative line without names and values. */
export interface ErrorClass {
  readonly name: string;
  readonly template: string;
}

/** Classes whose line describes the project's own code and never recurs, so the template is the name. */
const BARE: ReadonlySet<string> = new Set(['lint-findings', 'no-tests', 'collection-error']);

/** Classes whose message only announces its reasons, which the decisive line has as well. */
const HEADED: ReadonlySet<string> = new Set(['InputValidationError']);

/**
 * Classifies an error and makes a template of its most informative line. `category`: the reporter's name for it, used
 * if the text says nothing. Stable over runs, linear in the text, never fails.
 */
export function errorClass(message: string, category?: string): ErrorClass {
  return classifyError(readError(message), category);
}

/** A parsed error message: the class that its text shows, and its lines. */
export interface ReadError extends ErrorText {
  readonly found: ErrorClass | undefined;
}

/** Parses the text of an error, for callers that classify it both with and without a category. */
export function readError(message: string): ReadError {
  const { lines, exitCode } = readErrorText(message);
  const found =
    matchToolMessage(lines) ??
    matchTestFailure(lines, exitCode) ??
    matchException(lines) ??
    matchNumberedCode(lines) ??
    matchProgramMessage(lines);
  return { lines, exitCode, found };
}

/**
 * The class of a parsed error. `category`: as for {@link errorClass}. `line`: its decisive line, for a text of no known
 * class.
 */
export function classifyError({ lines, exitCode, found }: ReadError, category?: string, line?: string): ErrorClass {
  if (found !== undefined)
    return line !== undefined && HEADED.has(found.name) ? { ...found, template: templateOf(line) } : found;
  const ofLine = line === undefined ? undefined : readError(line).found;
  if (ofLine !== undefined) return ofLine;
  // a report's limits can cut off the exception; the remaining frames would make every failure a separate class
  if (lines.some((line) => TRACEBACK.test(line)))
    return { name: slug(category) ?? 'traceback', template: 'traceback, its end cut off' };
  const informative =
    lines.findLast((line) => /\berror\b|\bfail(?:ed|ure)?\b|\bcannot\b|\bunable\b/i.test(line)) ?? lines.at(-1);
  const name = slug(category) ?? (exitCode === undefined ? 'unknown' : `exit-${exitCode}`);
  if (line !== undefined) return { name, template: templateOf(line) };
  return { name, template: informative === undefined ? `${name}, no output` : templateOf(informative) };
}

function slug(category: string | undefined): string | undefined {
  const text = category
    ?.trim()
    .replace(/[^\w.-]{1,100}/g, '-')
    .slice(0, 60);
  return text === undefined || text === '' || text === 'unknown' ? undefined : text;
}

function matchToolMessage(lines: readonly string[]): ErrorClass | undefined {
  // a message of the shell or the tool is at the top; further down the same words belong to the output
  return firstRule(lines.slice(0, 3), TOOL_MESSAGES);
}

function firstRule(lines: readonly string[], rules: readonly Rule[]): ErrorClass | undefined {
  for (const [pattern, name] of rules) {
    const line = lines.find((candidate) => pattern.test(candidate));
    if (line !== undefined) return { name, template: BARE.has(name) ? name : templateOf(line) };
  }
  return undefined;
}

function matchTestFailure(lines: readonly string[], exitCode: number | undefined): ErrorClass | undefined {
  // pytest's exit code 1 means that tests failed, also if the summary was cut off
  const session = exitCode === 1 && lines.some((line) => /^=+ test session starts/.test(line));
  if (!session && !lines.some((line) => TEST_FAILURE.test(line))) return undefined;
  const inside = lines.findLast((line) => /^E {1,10}\S/.test(line) && EXCEPTION.test(line));
  const name = inside === undefined ? '' : ` ${EXCEPTION.exec(inside)?.[1]?.split(/[.:]+/).at(-1) ?? ''}`;
  return { name: 'test-failure', template: `test failure${name}` };
}

function matchException(lines: readonly string[]): ErrorClass | undefined {
  const named = lines.findLast((line) => EXCEPTION.test(line) && !/^\s{0,8}\w{0,60}Warning/.test(line));
  const raised = named ?? raisedAfterTraceback(lines);
  if (raised === undefined) return undefined;
  const name = exceptionName(EXCEPTION.exec(raised)?.[1] ?? RAISED.exec(raised)?.[1] ?? 'exception');
  const errno = ERRNO.exec(raised)?.[1];
  if (name === 'Error' || name === 'OSError') {
    const specific = errno ?? matchNumberedCode([raised])?.name ?? firstRule([raised], PROGRAM_MESSAGES)?.name;
    if (specific !== undefined) return { name: specific, template: templateOf(raised) };
    if (name === 'Error') return undefined;
  }
  return { name, template: templateOf(raised.replace(/^E {1,10}/, '')) };
}

/** `re.error` and `_csv.Error` say what failed only with the name of their module. */
function exceptionName(full: string): string {
  const parts = full.split(/[.:]+/);
  return (parts.at(-1)?.toLowerCase() === 'error' ? parts.slice(-2).join('.') : parts.at(-1)) ?? 'exception';
}

/**
 * The first unindented line after the frames of a traceback, which names the exception. Its name need not end in Error.
 */
function raisedAfterTraceback(lines: readonly string[]): string | undefined {
  const start = lines.findLastIndex((line) => TRACEBACK.test(line));
  if (start < 0) return undefined;
  return lines.slice(start + 1).find((line) => RAISED.test(line));
}

function matchNumberedCode(lines: readonly string[]): ErrorClass | undefined {
  for (const [pattern, prefix] of NUMBERED) {
    const line = lines.find((candidate) => pattern.test(candidate));
    if (line !== undefined) return { name: `${prefix}${pattern.exec(line)?.[1] ?? ''}`, template: templateOf(line) };
  }
  return undefined;
}

/** Matches known messages. A code such as ENOENT is more exact than the sentence after it. */
function matchProgramMessage(lines: readonly string[]): ErrorClass | undefined {
  const line = lines.find((candidate) => ERRNO.test(candidate));
  if (line === undefined) return refusal(lines, firstRule(lines, PROGRAM_MESSAGES));
  return { name: ERRNO.exec(line)?.[1] ?? '', template: templateOf(line) };
}

/** Where a program only says how to get help, its message is the line before. */
function refusal(lines: readonly string[], found: ErrorClass | undefined): ErrorClass | undefined {
  if (found?.name !== 'bad-option' || !found.template.startsWith('Try ')) return found;
  const before = lines[lines.findIndex((line) => templateOf(line) === found.template) - 1];
  return before === undefined ? found : { ...found, template: templateOf(before) };
}
