import { isUtf8 } from 'node:buffer';
import { CharacterRuns } from '../text/character-runs.js';
import { plainText } from '../text/plain-text.js';

/** A part of a text that consists only of an encoding of another text. */
export interface EncodedRun {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Shorter runs cannot hold anything that a rule matches. */
const SHORTEST = 20;
/** The lines of a wrapped encoding are at least this long, except the last one. */
const WRAPPED = 16;
const RUNS = new CharacterRuns('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-');
const HEX = /^(?:0[xX])?((?:[0-9a-fA-F]{2}){10,131072})$/;
const BASE32 = /^[A-Z2-7]{24,262144}={0,6}$/;
const BASE32_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Decodes base64, base32 and hexadecimal runs and yields those that decode to text. */
export function* encodedRuns(text: string): Generator<EncodedRun> {
  for (const { start, end, run } of runs(text)) {
    // Skips words: an encoding of text mixes upper and lower case or contains digits.
    if (!/[0-9]/.test(run) && !/[a-z][A-Z]/.test(run)) continue;
    const decoded = decodeRun(run);
    if (decoded !== undefined) yield { start, end, text: decoded };
    else {
      if (end - start > run.length) yield* withoutLastLine(text, start, run);
      yield* partsOfPath(lineAt(text, start), start);
    }
  }
}

/** What looks like the last line of a wrapped encoding may be a word of the text after it. */
function* withoutLastLine(text: string, start: number, run: string): Generator<EncodedRun> {
  const first = lineAt(text, start);
  const lines = first.length === 0 ? 0 : Math.floor((run.length - 1) / first.length);
  const shorter = run.slice(0, lines * first.length);
  const decoded = shorter.length < SHORTEST ? undefined : decodeRun(shorter);
  if (decoded === undefined) return;
  let end = start;
  for (let line = 0; line < lines; line++) end = (line === 0 ? end : (nextLine(text, end) ?? end)) + first.length;
  yield { start, end, text: decoded };
}

/** A run that does not decode as a whole may be an encoding behind a folder or a prefix: `/data/…`, `key_…`. */
function* partsOfPath(run: string, start: number): Generator<EncodedRun> {
  for (const match of run.matchAll(/[A-Za-z0-9+]{20,262144}={0,2}/g)) {
    if (match[0].length === run.length) return;
    const decoded = decodeRun(match[0]);
    if (decoded !== undefined)
      yield { start: start + match.index, end: start + match.index + match[0].length, text: decoded };
  }
}

/** Yields long runs, with the lines of a wrapped run joined. */
function* runs(text: string): Generator<{ start: number; end: number; run: string }> {
  let after = 0;
  for (const [start] of RUNS.find(text, WRAPPED)) {
    if (start < after) continue;
    let run = lineAt(text, start);
    let end = start + run.length;
    for (let line = run.length, next = nextLine(text, end); next !== undefined; next = nextLine(text, end)) {
      const more = lineAt(text, next);
      if (more === '' || more.length > line) break;
      run += more;
      end = next + more.length;
      // The last line of a wrapped run is shorter.
      if (more.length < line) break;
    }
    after = end;
    if (run.length >= SHORTEST) yield { start, end, run };
  }
}

const LINE = /[A-Za-z0-9+/_-]{1,262144}={0,6}/y;
const LINE_BREAK = /[ \t]{0,8}\n[ \t]{0,32}/y;

function lineAt(text: string, at: number): string {
  LINE.lastIndex = at;
  return LINE.exec(text)?.[0] ?? '';
}

function nextLine(text: string, at: number): number | undefined {
  LINE_BREAK.lastIndex = at;
  return LINE_BREAK.test(text) ? LINE_BREAK.lastIndex : undefined;
}

function decodeRun(run: string): string | undefined {
  const hexadecimal = HEX.exec(run)?.[1];
  if (hexadecimal !== undefined) return readBytes(Buffer.from(hexadecimal, 'hex'));
  const decoded = readBytes(Buffer.from(run.replace(/-/g, '+').replace(/_/g, '/'), 'base64'));
  return decoded === undefined && BASE32.test(run) ? readBytes(base32Bytes(run)) : decoded;
}

function base32Bytes(run: string): Buffer {
  const bytes: number[] = [];
  let [bits, value] = [0, 0];
  for (const letter of run.replace(/=/g, '')) {
    value = ((value << 5) | BASE32_LETTERS.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
  }
  return Buffer.from(bytes);
}

/** Returns undefined if the bytes are not text. Random bytes hardly ever contain sixteen text bytes in a row. */
function readBytes(bytes: Buffer): string | undefined {
  if (bytes.length < 12) return undefined;
  const isBeyondAscii = bytes.some((byte) => byte > 126);
  if (!isBeyondAscii && !bytes.some(isControl)) return bytes.toString('latin1');
  // UTF-16, as PowerShell takes it: each second byte is zero.
  if (bytes.every((byte, at) => (at % 2 === 1 ? byte === 0 : byte < 127 && !isControl(byte))))
    return bytes.toString('utf16le');
  return isBeyondAscii && isUtf8(bytes) && !bytes.some(isControl) ? plainText(bytes.toString('utf8')) : undefined;
}

const isControl = (byte: number): boolean => (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) || byte === 127;
