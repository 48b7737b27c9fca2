import { CharacterRuns } from '../text/character-runs.js';

/** A part of a text that consists only of an encoding of another text. */
export interface EncodedRun {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Shorter runs cannot hold anything that a rule matches. */
const SHORTEST = 20;
/** The lines of a wrapped encoding are at least this long, except the last one. */
const WRAPPED = 40;
const RUN = /[A-Za-z0-9+/_-]{1,262144}={0,2}/g;
const RUNS = new CharacterRuns('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-');
/** Without the padding of at most two characters. */
const SHORTEST_UNPADDED = SHORTEST - 2;
const HEX = /^(?:[0-9a-fA-F]{2}){16,131072}$/;

/** Decodes base64 and hexadecimal runs and yields those that decode to text. */
export function* encodedRuns(text: string): Generator<EncodedRun> {
  // Few texts have such a run, and this check takes a tenth of the time.
  if (!RUNS.has(text, SHORTEST_UNPADDED)) return;
  for (const { start, end, run } of runs(text)) {
    // Skips words: an encoding of text mixes upper and lower case or contains digits.
    if (!/[0-9]/.test(run) && !/[a-z][A-Z]/.test(run)) continue;
    const decoded = HEX.test(run) ? decode(run, 'hex') : decode(run.replace(/-/g, '+').replace(/_/g, '/'), 'base64');
    if (decoded !== undefined) yield { start, end, text: decoded };
  }
}

/** Yields long runs, with the lines of a wrapped run joined. */
function* runs(text: string): Generator<{ start: number; end: number; run: string }> {
  let open: { start: number; end: number; run: string; line: number } | undefined;
  for (const match of text.matchAll(RUN)) {
    const [start, end, line] = [match.index, match.index + match[0].length, match[0].length];
    if (open !== undefined && open.line >= WRAPPED && line <= open.line && isLineBreak(text, open.end, start)) {
      open = { start: open.start, end, run: open.run + match[0], line: line === open.line ? line : 0 };
      continue;
    }
    if (open !== undefined) yield open;
    open = line >= SHORTEST ? { start, end, run: match[0], line } : undefined;
  }
  if (open !== undefined) yield open;
}

const isLineBreak = (text: string, from: number, to: number): boolean =>
  to - from < 40 && /^[ \t]{0,8}\n[ \t]{0,32}$/.test(text.slice(from, to));

/** Returns undefined if the bytes are not text. Random bytes hardly ever contain sixteen text bytes in a row. */
function decode(run: string, encoding: 'base64' | 'hex'): string | undefined {
  const bytes = Buffer.from(run, encoding);
  for (const byte of bytes) if (byte < 32 ? byte !== 9 && byte !== 10 && byte !== 13 : byte > 126) return undefined;
  return bytes.length < 12 ? undefined : bytes.toString('latin1');
}
