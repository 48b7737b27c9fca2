import { parseJson } from '../../platform/base/parse-json.js';

const HEAD_LINES = 200;
const TAIL_LINES = 200;
const MAX_LINE = 500;
const MAX_TEXT = 200_000;

export interface ErrorText {
  /** Non-empty lines without terminal colours, wrappers, start-up noise and the line with the exit code. */
  readonly lines: string[];
  readonly exitCode: number | undefined;
}

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
    const line = raw.slice(0, MAX_LINE).trimEnd();
    const code = /^(?:Error: )?(?:Exit code:?|exited with code|Command failed with exit code) (\d{1,5})$/i.exec(line);
    if (code !== null) exitCode ??= Number(code[1]);
    else if (line.trim() !== '') lines.push(line);
  }
  return { lines, exitCode };
}

/** Keys under which services put their message, the most informative first. */
const MESSAGE_KEYS = ['message', 'error', 'detail', 'msg', 'reason', 'title', 'errors'];
const MAX_DEPTH = 5;
const JSON_BOUND = 50_000;
const FIRST_TEXT = /^\s{0,20}\[\s{0,20}"((?:[^"\\]|\\.){1,2000})"/;
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
  if (!lines.some((line) => line.startsWith('Remainder of file ignored'))) return [...lines];
  let noise = false;
  return lines.filter((line) => {
    if (/^Error processing line \d{1,6} of .{1,400}\.pth:/.test(line)) noise = true;
    const drop = noise;
    if (line.startsWith('Remainder of file ignored')) noise = false;
    return !drop;
  });
}

/** A home folder is a person's name. Redaction handles the rest of an absolute path. */
const HOME = /(?:[A-Za-z]:)?[\\/]{1,2}(?:Users|home)[\\/]{1,2}[^\\/\s'":;,)]{1,80}/g;

const CLIP = { head: 300, tailLines: 3, tailLine: 200, total: 1_000, oneLine: 300 } as const;

/**
 * The informative part of an error, at most 1,000 characters: the first 300 and the last three lines, where shells and
 * interpreters print the reason. `oneLine`: keep only the first line, for tools whose further lines quote the file.
 */
export function clipErrorText(message: string, oneLine: boolean): string {
  const { lines, exitCode } = readErrorText(message);
  const code = exitCode === undefined ? [] : [`Exit code ${exitCode}`];
  if (oneLine) return [...code, ...lines.slice(0, 1)].join('\n').replace(HOME, '[path]').slice(0, CLIP.oneLine);
  const head: string[] = [];
  let length = 0;
  for (const line of lines) {
    if (length + line.length > CLIP.head) break;
    head.push(line);
    length += line.length + 1;
  }
  const rest = lines.slice(head.length);
  const tail = rest.slice(-CLIP.tailLines).map((line) => line.slice(0, CLIP.tailLine));
  const gap = rest.length > tail.length ? ['[…]'] : [];
  return [...code, ...head, ...gap, ...tail].join('\n').replace(HOME, '[path]').slice(0, CLIP.total);
}
