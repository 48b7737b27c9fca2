import {
  ERRNO,
  EXCEPTION,
  NUMBERED,
  PROGRAM_MESSAGES,
  RAISED,
  TEST_FAILURE,
  TEST_TIMEOUT,
  TOOL_MESSAGES,
  TRACEBACK,
} from './error-rules.js';
import { isPrinter, type TextSource } from './text-source.js';

/**
 * What a line of a failure's text is. `exception`: it begins with the name of one. `diagnostic`: a program, a compiler, a
 * test runner or a tool says what is wrong. `reason`: it follows one that announces it. `words`: it has a word for an error. `message`: a sentence. `frame`: it says
 * where, or how a program is used, but not what. `data`: everything else, which may be anybody's.
 */
export type LineKind = 'exception' | 'diagnostic' | 'reason' | 'words' | 'message' | 'frame' | 'data';

/** A line of a failure's text with its kind. */
export interface KindOfLine {
  readonly line: string;
  readonly kind: LineKind;
}

const FRAME =
  /^File \S{1,300}:\d{1,7}, in |^\s{0,8}File "[^"\n]{1,300}", line \d{1,7}|^Cell In\s?\[\d{1,5}\], line \d{1,6}|^=+ (?:test session starts|FAILURES|ERRORS|short test summary info) =+$|^usage: |^Try ['"`‘][^'"`’]{1,100}['"`’] for more|^\[(?:…|\.{3})\]$/i;

/** The phrases of C libraries, interpreters and option parsers. */
const PHRASE =
  /no such file|not found|not permitted|permission denied|access denied|\brefused\b|is a directory|not a directory|file exists|not empty|cannot|can't|can not|couldn't|could not|unable to|\binvalid\b|unrecognized|\bunknown\b|\billegal\b|\bmissing\b|unexpected|\bfail(?:ed|ure|s)?\b|\berror\b|timed? ?out|No module named|unterminated|unmatched|ambiguous|\brequire[sd]?\b|too (?:many|few|large|long)|do(?:es)? ?n[o']t exist|do(?:es)? not|\bmust\b|\bnot a\b|\bbad \w|aborted|broken|undefined|undeclared|unsupported|not supported|meaningless|omitting|overwritten by merge|conflict|denied|syntax|exceed|\bneed(?:s an?|ed)\b|\b(?:may not|you must)\b|\brunaway\b|never defined/i;
const SPEAKER =
  /^(?:[\w./+@-]{0,200}\/)?([\w.+@-]{1,60}|\(eval\))(?:\.exe)?(?: \(\w{1,20}\))?(?:\[\d{1,3}\])?:(?:\d{1,6}:| line \d{1,6}:)? ?(?=\S)/;
const SHELLS: ReadonlySet<string> = new Set(['bash', 'sh', 'zsh', 'dash', 'ksh', 'fish', '(eval)', '-bash', '-c']);
const SHELL_LINE = /(?:^|: )-c: line \d{1,6}: /;
/** A test runner that found no test, or that could not read one. */
const NO_TESTS = /^_+ ERROR collecting |^collected 0 items|^=* ?no tests ran\b|^=+ .{0,60}\b[1-9]\d{0,6} errors? in /;

/** Beginnings of lines that are messages about an error, whatever follows. */
const OPENING =
  /^\s{0,4}\W{0,4}(?:(?:fatal|error|err|errors|panic|failed|failure|fail|abort(?:ed)?|exception|critical|fatal error|unhandled|uncaught|traceback)\b(?=[:!\]( [])|npm ERR!|(?:npm|pnpm|yarn) error\b|INTERNALERROR>|E: (?=[A-Z])|ImportError while |Caused by:|\*\*\* \[|Segmentation fault|Killed$|Aborted$|Terminated$)/i;
/** `src/a.ts(3,1): error`, `main.go:5:2: undefined`, `a.c:3: error`. */
const POSITION =
  /^[^\s:]{1,300}(?::\d{1,7}:\d{1,6}:? |\(\d{1,7},\d{1,6}\): |:\d{1,7}: (?:fatal |syntax )?(?:error|undefined|cannot|warning as error)\b)/i;
const STRERROR =
  /: (?:No such file or directory|Permission denied|Is a directory|Not a directory|File exists|Directory not empty|Operation not permitted|command not found|Exec format error|Connection refused)$/i;
/** A program that stops: `make: *** VERSION is not set.  Stop.` */
const STOP = /^[\w.-]{1,40}(?:\[\d{1,3}\])?: \*\*\* /;

/** Words for an error anywhere in a line. */
const WORDS =
  /\b(?:errors?|fail(?:ed|ure|ures|s)?|fatal|exception|panic|invalid|incorrect|denied|refused|rejected|forbidden|unauthori[sz]ed|not (?:found|a valid|allowed|permitted|supported|recogni[sz]ed|defined|available|installed|accessible|enough|authori[sz]ed|set|logged in|exist|implemented|iterable|callable|subscriptable)|no such|no (?:module|matching|rule|tests?|valid)|unknown|unexpected|unrecogni[sz]ed|undefined|unsupported|unresolved|unterminated|illegal|malformed|mismatch(?:ed)?|ambiguous|conflicts?|missing|required|must (?:be|have|not|provide|specify)|timed? ?out|aborted|killed|exceed(?:s|ed)?|too (?:many|few|long|large|short|small|big|deep)|out of (?:memory|range|bounds)|(?:can|could|do|does|did|is|are|was|were|has|have|had|will|would|should) ?n[o']t|cannot|unable to|wrong|already exists|interrupted|cancel+ed|overloaded|unavailable|quota|bug)\b/i;
/** An e-mail address: the line is about a person. */
const PERSON = /[\w.+-]{1,64}@[\w-]{1,63}\.\w/;
/** A sentence says something; a list or a row of values does not. */
const SENTENCE =
  /\b(?:is|are|was|were|has|have|be|been|not|no|please|only|already|use|try|should|would|can|may|must|provide|expected|received|found|needs?|instead)\b/i;
const SPOKEN_MESSAGES: readonly RegExp[] = [
  ERRNO,
  ...NUMBERED.map(([pattern]) => pattern),
  ...PROGRAM_MESSAGES.map(([pattern]) => pattern),
];

/** What a harness says to the agent instead of running its call. */
const HARNESS =
  /^(?:please (?:always )?(?:provide|format|use|try|answer|reply)\b|format your\b|your (?:last )?(?:reply|answer|response|action|command|input)\b).{0,200}\b(?:actions?|tools?|code|commands?|repl(?:y|ies)|responses?|format|calls?)\b/i;
/** Lines that warn. What they say is rarely why a command failed. */
const NOTICE =
  /^\W{0,4}(?:warn(?:ing)?|deprecat(?:ed|ion)|debug|info|note|notice|hint)\b|^[^\s:]{1,300}:\d{1,7}: [A-Z]\w{0,60}Warning: /i;
/** A line that announces its reasons, which follow it. */
const HEADER = /\b(?:following|issues?|errors?|reasons?|because)\b[^:\n]{0,40}:$|\bvalidation errors? for \w{1,80}$/i;
const REASONS = 2;
/** Sentences that say what to do before the same call is tried again: the cause, where the reasons vary with the call. */
const RETRY =
  /(?:^|[.!?] )([^.!?]{1,200}\b(?:then|and|before) (?:retry|try again|retrying|trying again)\b[^.!?]{0,60}[.!?]?)/;

/** The kinds of the lines of a failure's text. */
export function kindsOfLines(lines: readonly string[], source: TextSource): KindOfLine[] {
  const raised = source.printers === undefined ? raisedLine(lines) : -1;
  const kinds = lines.map(
    (line, at): KindOfLine => ({ line, kind: at === raised ? 'exception' : kindOfLine(line, at, source) }),
  );
  return kinds.map((one, at) => (one.kind === 'data' || one.kind === 'words' ? announced(one, kinds, at) : one));
}

/** The reasons after a header are part of its message. */
function announced(one: KindOfLine, kinds: readonly KindOfLine[], at: number): KindOfLine {
  const header = kinds.slice(Math.max(0, at - REASONS), at).findLast(({ line }) => HEADER.test(line));
  const isReason = header?.kind === 'exception' || header?.kind === 'diagnostic';
  return isReason && !looksLikeData(one.line) ? { line: withoutInput(one.line), kind: 'reason' } : one;
}

/** A validator quotes the arguments of the call after its reason. */
function withoutInput(line: string): string {
  return line.replace(/ \[type=\w{1,60}, input_value=.{0,500}$/, '');
}

/** What follows a line that only announces it: the way out, or else the reasons. */
export function reasonsAfter(line: string, kinds: readonly KindOfLine[]): string[] {
  const at = kinds.findIndex((one) => one.line === line);
  if (!HEADER.test(line) || at < 0) return [];
  const wayOut = kinds.slice(at + 1).flatMap((one) => RETRY.exec(one.line)?.[1] ?? [])[0];
  if (wayOut !== undefined) return [wayOut];
  const next = kinds.slice(at + 1, at + 1 + REASONS).filter(({ kind }) => kind === 'reason');
  return next.map((one) => one.line.trim());
}

function kindOfLine(line: string, at: number, { kind, printers }: TextSource): LineKind {
  const isData = looksLikeData(line);
  // A message of the shell or of the tool is at the top.
  if (at === 0 && HARNESS.test(line)) return 'diagnostic';
  if (at < 3 && !isData && TOOL_MESSAGES.some(([pattern]) => pattern.test(line))) return 'diagnostic';
  if (printers !== undefined)
    return isSpokenBy(line, printers) ? 'diagnostic' : FRAME.test(line) && !TRACEBACK.test(line) ? 'frame' : 'data';
  if (EXCEPTION.test(line.replace(/^INTERNALERROR> {0,10}/, '')) && !/^\s{0,8}[\w.]{0,80}Warning\b/.test(line))
    return 'exception';
  if (TRACEBACK.test(line) || FRAME.test(line)) return 'frame';
  if (!NOTICE.test(line) && isDiagnostic(line)) return 'diagnostic';
  if (isData || PERSON.test(line)) return 'data';
  if (WORDS.test(line) || SAYS_WHY.test(line) || SPOKEN_MESSAGES.some((pattern) => pattern.test(line))) return 'words';
  return kind === 'end' || (kind === 'tool' && isSentence(line)) ? 'message' : 'data';
}

/** The first unindented line after the last traceback: an exception whose name does not say that it is one. */
function raisedLine(lines: readonly string[]): number {
  const start = lines.findLastIndex((line) => TRACEBACK.test(line));
  return start < 0 ? -1 : lines.findIndex((line, at) => at > start && RAISED.test(line));
}

function isDiagnostic(line: string): boolean {
  if (TEST_FAILURE.test(line) || TEST_TIMEOUT.test(line) || OPENING.test(line) || POSITION.test(line)) return true;
  if (STRERROR.test(line) || STOP.test(line) || SHELL_LINE.test(line) || NO_TESTS.test(line)) return true;
  const said = SPEAKER.exec(line);
  return said !== null && (SHELLS.has(said[1] ?? '') || PHRASE.test(line.slice(said[0].length)));
}

function isSpokenBy(line: string, programs: ReadonlySet<string>): boolean {
  const speaker = SPEAKER.exec(line)?.[1] ?? '';
  return (
    SHELLS.has(speaker) ||
    STRERROR.test(line) ||
    SHELL_LINE.test(line) ||
    (programs.has(speaker) && (isPrinter(speaker) || PHRASE.test(line)))
  );
}

/** True for rows of tables and of JSON, and for numbers. What stands in quotes and brackets belongs to a message. */
function looksLikeData(line: string): boolean {
  if (
    /^\s{0,40}(?:[{}[\]],?\s{0,3}$|[{[]\s{0,4}["'{[\d]|"[^"\n]{1,100}"\s{0,3}:|\|.{1,500}\|\s{0,3}$|[+|][-+=|]{3,500}$|<\/?\w)|^(?:\s{2,40}|-{1,6}> )\d{1,6} {1,40}\S/.test(
      line,
    )
  )
    return true;
  const outside = line.replace(/"[^"\n]{0,300}"|'[^'\n]{0,300}'|\([^)\n]{0,300}\)|\[[^\]\n]{0,300}\]/g, '');
  if ((outside.match(/[,;|](?=\S)/g)?.length ?? 0) >= 2 || /\S\t+\S/.test(outside)) return true;
  return !/\p{L}{2}/u.test(outside);
}

function isSentence(line: string): boolean {
  return !looksLikeData(line) && line.trim().split(/\s{1,20}/, 4).length >= 3 && SENTENCE.test(line);
}

/**
 * A line that says why, or what to do about it with the thing to do it with: `Set app.legacy=on in app.ini`, `please run
 * "tool init"`. Warnings are rarely why.
 */
export const SAYS_WHY =
  /^(?!\W{0,6}(?:warn(?:ing)?|deprecat|debug|info|note|notice)\b).{0,400}?(?:\b(?:could|can|did)(?: ?n[o']t|not) (?:find|be |read|open|connect)|\bnot (?:found|set|installed|enabled|configured|defined|allowed|available|in the)\b|\bno such\b|\bmissing\b|\brequire[sd]?\b|\bmust (?:be|have|not|set)\b|(?:(?<=^\W{0,8})|[.:;,(>] {0,3}|\b(?:please|must|need to|should|to) )(?:set|try|run|install|add|use|enable|export|define|pass|specify|upgrade) (?=.{0,80}?(?:["'`‘“]|\b[\w.-]{1,60}=|(?<![\w-])--?[a-z]|\w[._]\w)))/i;

const FAILED = /^(?:fail(?:ed|ures?|s)?|errors?|abort(?:ed)?|exceptions?|wrong|unsuccessful(?:ly)?)$/i;
/** Parts of the work, and words between them. */
const FILLS =
  /^(?:analysis|build|building|check|command|compilation|execution|executing|goal|hook|job|operation|phase|pipeline|process|recipe|run|running|script|stage|step|suite|target|tasks?|tests?|workflow|an?|the|of|in|on|at|for|to|by|with|and|is|was|were|has|have|some|one|more|occurred|happened|while|during|completed|finished|passed|skipped|total|time|what|went|see|below|above|details?|output|log|line|result|reason|due|m?s|seconds?)$/i;
/** The name of a test, a class or a place: no word of a sentence, and no code of an error. */
const NAME = /^(?=.{0,200}[a-z]).{1,200}?[A-Z_\d./:]./;
/** What is quoted or in parentheses is the name of what failed. */
const QUOTED = /"[^"]{0,300}"|'[^']{0,300}'|`[^`]{0,300}`|\([^)]{0,300}\)/g;

/**
 * Whether a line only says that something failed, and perhaps what and where: `Execution failed for task ':app:x'.`,
 * `--- FAIL: TestX (0.02s)`, `BuildTool Error at build.txt:12 (find):`. The lines around it say why.
 */
export function isHeadline(line: string): boolean {
  const words =
    line
      .slice(0, 400)
      .replace(QUOTED, ' ')
      .match(/\p{L}(?:\S{0,200}\w)?/gu) ?? [];
  const others = words.filter((one) => !FAILED.test(one) && !FILLS.test(one));
  if (!words.some((one) => FAILED.test(one))) return false;
  const isShort = words.length < 3 && /(?:failed|aborted)\W{0,3}$/i.test(line);
  return isShort || (others.length <= (line.trimEnd().endsWith(':') ? 2 : 1) && others.every((one) => NAME.test(one)));
}
