import { CharacterRuns } from '../text/character-runs.js';

/** A stretch of text that is nothing but an encoding of another text. */
export interface EncodedRun {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Shorter ones hold nothing that a rule would know. */
const SHORTEST = 20;
/** An encoding that was wrapped has lines at least this long, but for the last one. */
const WRAPPED = 40;
const RUN = /[A-Za-z0-9+/_-]{1,262144}={0,2}/g;
const RUNS = new CharacterRuns('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-');
/** With the padding, of which there are two at most. */
const SHORTEST_UNPADDED = SHORTEST - 2;
const HEX = /^(?:[0-9a-fA-F]{2}){16,131072}$/;

/** What stands behind base64 and hexadecimal, where that is a text. */
export function* encodedRuns(text: string): Generator<EncodedRun> {
  // Hardly any text has one, and to see that takes a tenth of the time.
  if (!RUNS.has(text, SHORTEST_UNPADDED)) return;
  for (const { start, end, run } of runs(text)) {
    // A word is not worth decoding: what encodes a text has upper and lower case, or digits.
    if (!/[0-9]/.test(run) && !/[a-z][A-Z]/.test(run)) continue;
    const decoded = HEX.test(run) ? decode(run, 'hex') : decode(run.replace(/-/g, '+').replace(/_/g, '/'), 'base64');
    if (decoded !== undefined) yield { start, end, text: decoded };
  }
}

/** Long runs, the lines of a wrapped one put together. */
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

/** Undefined where the bytes are no text: of random ones, hardly any sixteen are. */
function decode(run: string, encoding: 'base64' | 'hex'): string | undefined {
  const bytes = Buffer.from(run, encoding);
  for (const byte of bytes) if (byte < 32 ? byte !== 9 && byte !== 10 && byte !== 13 : byte > 126) return undefined;
  return bytes.length < 12 ? undefined : bytes.toString('latin1');
}
