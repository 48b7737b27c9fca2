import { WITHHELD_OUTPUT } from '../../learning/calls/error-tokens.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { clip } from '../../untrusted/text/clip.js';
import { generalise } from '../../untrusted/text/generalise.js';
import { kindsOfLines, type LineKind } from './error-line.js';
import { COMMAND_OUTPUT, type TextSource } from './text-source.js';

const HEAD_LINES = 200;
const TAIL_LINES = 200;
const MAX_LINE = 500;
const MAX_TEXT = 200_000;
/** Stands for lines that were left out in the middle. */
const GAP = '[...]';

export interface ErrorText {
  /** Non-empty lines without terminal colours, wrappers, start-up noise and the line with the exit code. */
  readonly lines: string[];
  readonly exitCode: number | undefined;
}

const CLOCK = String.raw`\d{1,2}:\d{2}:\d{2}(?:[.,:]\d{1,9})?(?: ?[AP]M\b)?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})(?![\w:]))?`;
const DATE = String.raw`(?:\d{4}[-/.]\d{2}[-/.]\d{2}|\d{1,2}/\w{2,3}/\d{4}|(?:[A-Z][a-z]{2},? {1,2}){1,2}\d{1,2}(?:,? \d{4})?)`;
const MOMENT = `${DATE},?(?:T|:| at | {1,2})${CLOCK}`;
/** When a line was printed, so that two runs have the same line: with the signs around it, of a log also its severity and process: `E0102 03:04:05.6 41 a.go:7] `. */
const TIMES = new RegExp(
  String.raw`(?<=^\s{0,40})(?:(?:[IWEF]\d{4} ${CLOCK} {1,9}\d{1,9} [\w./-]{1,80}:\d{1,6}\]|[[(]?(?:${MOMENT}|${CLOCK}|(?<=[[(])${DATE})[\])]?[:|,-]?|(?:time|ts|timestamp)=(?:"[^"]{1,60}"|\d\S{1,60})) {1,4}){1,4}|(?<=\b(?:after|at|before|completed|finished|is|on|since|started|time|until)) ${MOMENT}`,
  'g',
);

/** Parses the output of a failed call. Linear: a long text is cut in the middle, where errors rarely are. */
export function readErrorText(message: string): ErrorText {
  const unwrapped = cutMiddle(messageIn(message))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours are what is removed
    .replace(/\u001b\[[0-9;]{0,20}[A-Za-z]/g, '')
    .replaceAll(/<\/?(?:tool_use_error|error|stderr|system)>/g, '');
  const all = unwrapped.split(/\r?\n|\r/);
  const kept = all.length > HEAD_LINES + TAIL_LINES ? [...all.slice(0, HEAD_LINES), ...all.slice(-TAIL_LINES)] : all;
  let exitCode: number | undefined;
  const lines: string[] = [];
  for (const raw of withoutSiteNoise(kept)) {
    const line = raw.slice(0, MAX_LINE).replace(TIMES, '').trimEnd();
    const code = /^(?:Error: )?(?:Exit code:?|exited with code|Command failed with exit code) (\d{1,5})$/i.exec(line);
    if (code !== null) exitCode ??= Number(code[1]);
    else if (line.trim() !== '' && !line.includes(WITHHELD_OUTPUT)) lines.push(line);
  }
  return { lines, exitCode };
}

/** Keys under which services put their message, the most informative first. */
const MESSAGE_KEYS = ['message', 'error', 'detail', 'msg', 'reason', 'title', 'errors'];
const MAX_DEPTH = 5;
const JSON_BOUND = 50_000;
const FIRST_TEXT = /^\s{0,20}\[\s{0,20}"((?:[^"\\]|\\.){1,2000})(?:"|$)/;
const MESSAGE_TEXT = /"(?:message|error|detail|msg|reason)"\s{0,20}:\s{0,20}"((?:[^"\\]|\\.){1,2000})"/;

/** The message in a service's JSON response. JSON that was cut off is read as far as possible. */
function messageIn(text: string): string {
  if (!/^\s{0,20}[[{]/.test(text)) return text;
  const whole = text.length <= JSON_BOUND ? parseJson(text) : undefined;
  const found = whole === undefined ? undefined : textOf(whole);
  if (found !== undefined) return found;
  const cut = text.slice(0, JSON_BOUND);
  const quoted = (FIRST_TEXT.exec(cut) ?? (cut.trimStart().startsWith('{') ? MESSAGE_TEXT.exec(cut) : null))?.[1];
  return quoted === undefined ? text : quoted.replace(/\\n/g, '\n').replace(/\\(.)/g, '$1');
}

function textOf(value: unknown): string | undefined {
  let current = value;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    if (typeof current === 'string') return current.trim() === '' ? undefined : current;
    if (typeof current !== 'object' || current === null) return undefined;
    const fields = new Map<string, unknown>(Object.entries(current));
    const key = Array.isArray(current) ? '0' : MESSAGE_KEYS.find((name) => fields.has(name));
    if (key === undefined) return undefined;
    current = fields.get(key);
  }
  return undefined;
}

function cutMiddle(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT / 2)}\n${text.slice(-MAX_TEXT / 2)}`;
}

/** Removes what Python prints at every start about a broken .pth file; it is never why a command failed. */
function withoutSiteNoise(lines: readonly string[]): string[] {
  let noise = false;
  return lines.filter((line) => {
    const ends = line.startsWith('Remainder of file ignored');
    if (/^Error processing line \d{1,6} of .{1,400}\.pth:/.test(line)) noise = true;
    // a text that was cut may lack the last of these lines; the others are indented
    else if (noise && !ends && /^\S/.test(line)) noise = false;
    const drop = noise;
    if (ends) noise = false;
    return !drop;
  });
}

const CLIP = { head: 300, tailLines: 3, line: 200, total: 1_000, oneLine: 300, words: 2, frames: 2 } as const;

/**
 * The part of a failed call's text that may be stored, at most 1,000 characters: the exit code and the lines that say
 * what is wrong or where, the first 300 characters and the last three of them. All other output may be data and is
 * dropped; if nothing is left, a marker says so. `oneLine`: keep only the first line, for tools whose further lines
 * quote the file. Pass redacted text. The result gives itself again.
 */
export function clipErrorText(message: string, oneLine: boolean, source: TextSource = COMMAND_OUTPUT): string {
  const { lines, exitCode } = readErrorText(message);
  const code = exitCode === undefined ? [] : [`Exit code ${exitCode}`];
  const kept = errorLines(oneLine ? firstOf(lines) : lines, source);
  if (kept.length === 0) {
    const withheld = lines.length > 0 || message.includes(WITHHELD_OUTPUT);
    return [...code, ...(withheld ? [WITHHELD_OUTPUT] : [])].join('\n');
  }
  const text = generalise([...code, ...(oneLine ? kept : headAndTail(kept))].join('\n'));
  return clip(text, oneLine ? CLIP.oneLine : CLIP.total);
}

/** The first line, and the one that it announces. */
function firstOf(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines[0]?.endsWith(':') ? 2 : 1);
}

/** The lines that may be kept: words for an error count only if no line is more certain. */
function errorLines(lines: readonly string[], source: TextSource): string[] {
  const kinds = kindsOfLines(lines, source);
  const linesOf = (...wanted: readonly LineKind[]) => kinds.filter(({ kind }) => wanted.includes(kind));
  const frames = linesOf('frame');
  const shown = new Set([...frames.slice(0, CLIP.frames), ...frames.slice(-CLIP.frames)]);
  if (linesOf('exception', 'diagnostic').length > 0)
    return linesOf('exception', 'diagnostic', 'reason', 'frame')
      .filter((one) => one.kind !== 'frame' || shown.has(one))
      .map(({ line }) => line);
  const words = linesOf('words');
  if (words.length > 0)
    return [...new Set([...words.slice(0, CLIP.words), ...words.slice(-1)])].map(({ line }) => line);
  const said = linesOf('message').slice(0, CLIP.words);
  return [...shown, ...said].map(({ line }) => line);
}

function headAndTail(lines: readonly string[]): string[] {
  const head: string[] = [];
  let length = 0;
  for (const line of lines) {
    if (length + line.length > CLIP.head) break;
    head.push(line);
    length += line.length + 1;
  }
  const rest = lines.slice(head.length);
  const tail = rest.slice(-CLIP.tailLines).map((line) => clip(line, CLIP.line));
  return [...head, ...(rest.length > tail.length ? [GAP] : []), ...tail];
}
