import { clip } from '../../untrusted/text/clip.js';
import { generalise } from '../../untrusted/text/generalise.js';
import { type KindOfLine, kindsOfLines, NOTICE, reasonsAfter } from './error-line.js';
import { TEST_TIMEOUT, TRACEBACK } from './error-rules.js';
import { readErrorText } from './error-text.js';
import { FAILED, isHeadline, saysWhy } from './headline.js';
import { sourceOfCall, type TextSource, TOOL_ANSWER } from './text-source.js';

const LONGEST = 300;

/** What only says that something below it failed, in front of what failed. */
const WRAPPER =
  /^(?:error (?:executing|running|calling|during|while|in|from) [\w ]{1,40}|(?:tool|command|query|function|request|execution)(?: call| execution)? (?:failed|error)(?: with)?|error executing \w{1,20}): {0,3}(?=\S.{5})/i;
/** Lines that only say that something else failed, and how it ended. */
const EPILOGUE =
  /\bCalledProcessError\b|returned (?:a )?non-?zero|^[\w.-]{1,40}(?:\[\d{1,3}\])?: \*\*\* \[|^npm (?:ERR!|error) (?:code ELIFECYCLE|Test failed|A complete log|Lifecycle script)|did ?n[o']t exit successfully|^command terminated|^Command failed:|\bexit(?:ed)?(?: with)?(?: code| status)?:? \(?\d{1,3}\)?\.?$/i;
/**
 * The line of a failed call's text that says why it failed: the last that begins with the name of an exception, else the
 * first in which a program says what is wrong, else the first with a word for an error, else the first sentence.
 * Undefined if nothing in the text looks like a message, since the rest may be data. `notices`: lines that successful
 * calls of the same execution print as well, such as warnings at the start of an interpreter. Without folders, hosts
 * and people; at most 300 characters. Pass redacted text.
 */
export function decisiveLine(
  text: string,
  notices?: ReadonlySet<string>,
  source: TextSource = TOOL_ANSWER,
): string | undefined {
  const all = readErrorText(text).lines;
  const own = notices === undefined ? all : all.filter((line) => !notices.has(line.trim()));
  const lines = own.length > 0 ? own : all;
  const kinds = kindsOfLines(lines, source);
  const saysSomething = kinds.filter(({ line }, at) => {
    const isEmpty = EPILOGUE.test(line) || isHeadline(line) || announces(line, kinds[at + 1]);
    return !isEmpty || reasonsAfter(line, kinds).length > 0;
  });
  const found =
    telling(saysSomething) ??
    chosen(kinds) ??
    // Its exception was cut off: the frames are those of any failure.
    kinds.find(({ line }) => TRACEBACK.test(line));
  if (found === undefined) return undefined;
  return clip(generalise(seenThrough(found.line, kinds)), LONGEST).trim() || undefined;
}

/** Whether a line says that something failed, and the more indented one below it says what. */
const announces = (line: string, next: KindOfLine | undefined): boolean =>
  /:\s{0,3}$/.test(line) &&
  FAILED.test(line) &&
  !saysWhy(line) &&
  (next?.kind === 'words' || next?.kind === 'diagnostic') &&
  next.line.search(/\S/) > line.search(/\S/);

/** The chosen line; if it says no more than that something failed, one that says why. */
function telling(kinds: readonly KindOfLine[]): KindOfLine | undefined {
  const first = chosen(kinds);
  const isEnough =
    first === undefined ||
    first.kind === 'exception' ||
    !/\b(?:fail|abort|unsuccess|incomplete)/i.test(first.line) ||
    saysWhy(first.line);
  if (isEnough || reasonsAfter(first.line, kinds).length > 0) return first;
  return (
    kinds.find(({ kind, line }) => /^(?:diagnostic|words)$/.test(kind) && saysWhy(line) && !NOTICE.test(line)) ?? first
  );
}

function chosen(kinds: readonly KindOfLine[]): KindOfLine | undefined {
  return (
    kinds.findLast(({ kind }) => kind === 'exception') ??
    kinds.find(({ kind, line }) => kind === 'diagnostic' && TEST_TIMEOUT.test(line)) ??
    kinds.find(({ kind }) => kind === 'diagnostic') ??
    kinds.find(({ kind }) => kind === 'words') ??
    kinds.find(({ kind }) => kind === 'message')
  );
}

/** The line without what is wrapped around it, and with the reasons that it announces. */
function seenThrough(line: string, kinds: readonly KindOfLine[]): string {
  const bare = line.trim().replace(/^(?:E {1,10}|INTERNALERROR> {0,10}|[\^>] )/, '');
  const reasons = reasonsAfter(line, kinds);
  // Ruby prints the message of an exception on the next line.
  const next = reasons.length === 0 && /^[\w:.]{1,80}:$/.test(bare) ? messageAfter(line, kinds) : [];
  return [withoutWrapper(bare), ...reasons, ...next, ...restOfSentence(line, kinds)].join(' ');
}

/** The next lines, if the sentence goes on in them: they are as indented and begin with a small letter. */
function restOfSentence(line: string, kinds: readonly KindOfLine[]): string[] {
  const indent = /^ {2,40}(?=\S)/.exec(line)?.[0];
  if (indent === undefined) return [];
  const at = kinds.findIndex((one) => one.line === line) + 1;
  const lines = [line, ...kinds.slice(at, at + 2).map((one) => (one.kind === 'words' ? one.line : ''))];
  const end = lines.findIndex(
    (one, n) =>
      n > 0 &&
      (!one.startsWith(indent) || !/^\p{Ll}/u.test(one.slice(indent.length)) || /[.!?:]$/.test(lines[n - 1] ?? '')),
  );
  return lines.slice(1, end < 0 ? lines.length : end).map((one) => one.trim());
}

function messageAfter(line: string, kinds: readonly KindOfLine[]): string[] {
  const after = kinds[kinds.findIndex((one) => one.line === line) + 1];
  return after === undefined || after.kind === 'frame' ? [] : [after.line.trim()];
}

/** A line or its template without what only says that something failed: `Error executing query: `. */
export function withoutWrapper(line: string): string {
  return line.replace(WRAPPER, '');
}

/** A failed call as far as its error is concerned. */
interface FailedCallText {
  readonly name: string;
  readonly action: string;
  readonly errorLine?: string | undefined;
  readonly errorMessage?: string | undefined;
}

/** The decisive error line of a call: the reported one, or that of its message. */
export function errorLineOf({ name, action, errorLine, errorMessage }: FailedCallText): string | undefined {
  return (
    errorLine ??
    (errorMessage === undefined ? undefined : decisiveLine(errorMessage, undefined, sourceOfCall(name, action)))
  );
}
