import { clip } from '../../untrusted/text/clip.js';
import { generalise } from '../../untrusted/text/generalise.js';
import { isHeadline, type KindOfLine, kindsOfLines, reasonsAfter, SAYS_WHY } from './error-line.js';
import { TEST_TIMEOUT, TRACEBACK } from './error-rules.js';
import { readErrorText } from './error-text.js';
import { sourceOfCall, type TextSource, TOOL_ANSWER } from './text-source.js';

const LONGEST = 300;

/** What only says that something below it failed, in front of what failed. */
const WRAPPER =
  /^(?:error (?:executing|running|calling|during|while|in|from) [\w ]{1,40}|(?:tool|command|query|function|request|execution)(?: call| execution)? (?:failed|error)(?: with)?|error executing \w{1,20}): {0,3}(?=\S.{5})/i;
/** Lines that only say that something else failed, and how it ended. */
const EPILOGUE =
  /\bCalledProcessError\b|returned (?:a )?non-?zero|^[\w.-]{1,40}(?:\[\d{1,3}\])?: \*\*\* \[|^npm (?:ERR!|error) (?:code ELIFECYCLE|Test failed|A complete log|Lifecycle script)|did ?n[o']t exit successfully|^command terminated|^Command failed:|\bexit(?:ed)?(?: with)?(?: code| status)?:? \(?\d{1,3}\)?\.?$/i;
/** Says that something failed, without the name of an exception, and announces no reasons: another line may say why. */
const VAGUE =
  /^(?!.{0,12}\S{0,200}[a-z](?:Error|Exception)\b)(?!.{0,500}:\s{0,3}$).{0,400}?\b(?:[Ff]ail|FAIL|[Aa]bort|[Uu]nsuccess|[Ii]ncomplete)/;
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
  const telling = kinds.filter(({ line }) => !EPILOGUE.test(line) && !isHeadline(line));
  const first = chosen(telling);
  const isVague = first && VAGUE.test(first.line) && !SAYS_WHY.test(first.line);
  const found =
    (isVague && telling.find(({ kind, line }) => kind !== 'data' && kind !== 'frame' && SAYS_WHY.test(line))) ||
    first ||
    chosen(kinds) ||
    // Its exception was cut off: the frames are those of any failure.
    kinds.find(({ line }) => TRACEBACK.test(line));
  if (found === undefined) return undefined;
  return clip(generalise(seenThrough(found.line, kinds)), LONGEST).trim() || undefined;
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
  const after = reasons.length === 0 ? kinds[kinds.findIndex((one) => one.line === line) + 1] : undefined;
  return [withoutWrapper(bare), ...reasons, ...(after && goesOn(line, after) ? [after.line.trim()] : [])].join(' ');
}

/** Ruby prints the message of an exception on the next line; a long sentence goes on there with a small letter. */
const goesOn = (line: string, { line: next, kind }: KindOfLine): boolean =>
  /^\s{0,40}[\w:.]{1,80}:\s{0,3}$/.test(line)
    ? kind !== 'frame'
    : kind === 'words' && /^( {2,40})\S[^\n]{0,500}[^.!?:\n]\n\1\p{Ll}/u.test(`${line}\n${next}`);

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
