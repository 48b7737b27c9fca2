import type { EncodedRun } from './encoded-runs.js';

/**
 * Texts written as a list of numbers, one for each character: `67 68 70`, `0x67, 0x68`, `[103, 104]`, `chr(103) +
 * chr(104)`, octal and binary numbers, and the dumps of xxd and hexdump. A list is read item by item, so that the cost
 * is linear.
 */

/** A number, after the mark of its base or in a call. */
const NUMBER = String.raw`(?:0[xX]|\\{1,2}x|[Uu]\+|(?:[Cc]hr|CHR|char|Char)\()?([0-9A-Fa-f]{2,8})\)?`;
const SEPARATOR = String.raw`(?:[ \t]{0,4}[,;:+|&-][ \t]{0,4}\n?[ \t]{0,16}|[ \t]{1,4}\n?[ \t]{0,16}|\n[ \t]{0,16})`;
/** The digits of a readable character in every base begin with a digit; those of other bytes are no text. */
const START = new RegExp(
  String.raw`(?<![0-9A-Fa-f.])[0-9][0-9A-Fa-f]{1,7}\)?(?=${SEPARATOR}${NUMBER}${SEPARATOR}${NUMBER})`,
  'g',
);
const ITEM = new RegExp(`${NUMBER}(?![0-9A-Za-z])`, 'y');
const BETWEEN = new RegExp(SEPARATOR, 'y');
/** The column of readable characters in a dump, and the offset at which the next line begins. */
const NEXT_LINE_OF_DUMP = /[ \t]{2,60}[^\n]{1,18}\n[0-9A-Fa-f]{6,8}:?[ \t]{1,2}/y;
/** The offset at the beginning of a dump, which is no part of the list. */
const OFFSET = /(?<![^\n])(?:[0-9A-Fa-f]{8}(?::[ \t]|[ \t]{2})|[0-9]{6,7}[ \t])[ \t]?/y;
const REST_OF_DUMP = /[ \t]{2,60}[^\n]{1,18}(?=\n|$)/y;

/** Fewer characters hold no secret that a rule could recognise. */
const SHORTEST = 8;
/** As many numbers as the characters of a long key in JSON; a longer list is data. */
const LONGEST = 16_384;

interface Item {
  readonly digits: string;
  readonly start: number;
  readonly end: number;
}

/** Yields the texts that lists of numbers spell, for each base that fits. */
export function* byteLists(text: string): Generator<EncodedRun> {
  START.lastIndex = 0;
  for (let match = START.exec(text); match !== null; match = START.exec(text)) {
    const { items, end } = readList(text, match.index);
    for (const { shape, base } of BASES) yield* spelled(items, end, shape, base);
    START.lastIndex = Math.max(items.at(-1)?.end ?? 0, match.index + 1);
  }
}

/** The items of a list, and where its dump ends. */
function readList(text: string, start: number): { readonly items: readonly Item[]; readonly end: number } {
  const items: Item[] = [];
  let [end, isDump] = [start, false];
  for (let at = start + (matchAt(OFFSET, text, start)?.[0].length ?? 0); items.length < LONGEST; ) {
    const number = matchAt(ITEM, text, at);
    if (number === undefined) break;
    end = at + number[0].length;
    items.push({ digits: number[1] ?? '', start: at, end });
    const dumped = matchAt(NEXT_LINE_OF_DUMP, text, end);
    if (dumped !== undefined) isDump = true;
    const between = dumped ?? matchAt(BETWEEN, text, end);
    if (between === undefined) break;
    at = end + between[0].length;
  }
  return { items, end: end + (isDump ? (matchAt(REST_OF_DUMP, text, end)?.[0].length ?? 0) : 0) };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

const BASES: readonly { readonly shape: RegExp; readonly base: number }[] = [
  { shape: /^[01]{8}$/, base: 2 },
  { shape: /^[0-7]{3}$/, base: 8 },
  { shape: /^[0-9]{2,3}$/, base: 10 },
  { shape: /^(?:00)?[0-9A-Fa-f]{2}$/, base: 16 },
];
/** Two or four bytes in one number, as in dumps. */
const GROUPED = /^(?:[0-9A-Fa-f]{2}|[0-9A-Fa-f]{4}|[0-9A-Fa-f]{8})$/;

/** Yields each longest part of the list whose numbers are readable characters: `Note 4: 67 68 70` begins with another. */
function* spelled(items: readonly Item[], end: number, shape: RegExp, base: number): Generator<EncodedRun> {
  const isGrouped = base === 16 && items.some(({ digits }) => /^(?!00)[0-9A-Fa-f]{4}$|^[0-9A-Fa-f]{8}$/.test(digits));
  let [text, first] = ['', 0];
  for (let at = 0; at <= items.length; at++) {
    const digits = items[at]?.digits ?? '';
    const characters = isGrouped ? group(digits) : shape.test(digits) ? character(Number.parseInt(digits, base)) : '';
    if (characters !== '') {
      if (text === '') first = at;
      text += characters;
      continue;
    }
    const last = at === items.length ? end : (items[at - 1]?.end ?? end);
    if (text.length >= SHORTEST) yield { start: items[first]?.start ?? 0, end: last, text };
    text = '';
  }
}

function group(digits: string): string {
  const characters = GROUPED.test(digits)
    ? (digits.match(/../g) ?? []).map((pair) => character(Number.parseInt(pair, 16)))
    : [''];
  return characters.includes('') ? '' : characters.join('');
}

const character = (unit: number): string =>
  (unit >= 32 && unit <= 126) || unit === 9 || unit === 10 || unit === 13 ? String.fromCharCode(unit) : '';
