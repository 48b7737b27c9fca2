import { looksLikeWords } from '../text/letter-pairs.js';

/** A text with its escapes decoded, and for each character its offset in the source text. */
export interface DecodedView {
  readonly text: string;
  /** One entry longer than the text; the last one is the length of the source. */
  readonly sourceOffsets: readonly number[];
}

/**
 * The ways in which programs escape a character when they quote a text: percent-encoding, escapes of JSON, C and
 * shells, HTML entities, escaped terminal colours; and the join between the parts of a string literal that was split
 * for its length. A backslash before a letter that forms no escape stays, as in patterns and Windows paths.
 */
const ESCAPE =
  /%(?<percent>[0-7][0-9A-Fa-f])|\\{1,4}(?:u001b|x1b|033|e)\[[0-9;]{0,20}m|\\{1,4}u(?<unicode>[0-9A-Fa-f]{4})|\\{1,4}u\{(?<braced>[0-9A-Fa-f]{1,6})\}|\\{1,4}x(?<hex>[0-7][0-9A-Fa-f])|\\{1,4}(?<octal>[01][0-7]{2})|\\{1,4}(?<letter>[nrt](?![a-z]{3}))|\\(?<plain>[^A-Za-z0-9\n])|&#(?<decimal>[0-9]{1,7});|&#[xX](?<entity>[0-9A-Fa-f]{1,6});|&(?<name>quot|apos|amp|lt|gt|equals|colon);|[\\=]\n[ \t]{0,40}|(?<q>["'`])[ \t]{0,5}(?:\\?\n[ \t]{0,40})?[+.][ \t]{0,5}(?:\n[ \t]{0,40})?\k<q>/g;

const MAY_HOLD_ESCAPES = /[%\\&]|=\n|["'`][ \t\n]{0,8}[+.]/;
const LETTERS: Readonly<Record<string, string>> = { n: '\n', r: '\n', t: '\t' };
const NAMES: Readonly<Record<string, string>> = {
  quot: '"',
  apos: "'",
  amp: '&',
  lt: '<',
  gt: '>',
  equals: '=',
  colon: ':',
};
const INVISIBLE = /[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;
/** Text that is encoded more than three times was encoded deliberately. */
const MAX_ROUNDS = 3;

/** Returns the text with its escapes decoded; undefined if there are none. */
export function decodedView(text: string): DecodedView | undefined {
  let view: DecodedView | undefined;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = decodeOnce(view?.text ?? text);
    if (next === undefined) return view;
    const outer = view;
    view =
      outer === undefined
        ? next
        : { text: next.text, sourceOffsets: next.sourceOffsets.map((index) => outer.sourceOffsets[index] ?? 0) };
  }
  return view;
}

function decodeOnce(text: string): DecodedView | undefined {
  if (!MAY_HOLD_ESCAPES.test(text)) return undefined;
  let decoded = '';
  const at: number[] = [];
  let rest = 0;
  const take = (to: number): void => {
    decoded += text.slice(rest, to);
    for (let index = rest; index < to; index++) at.push(index);
  };
  for (const match of text.matchAll(ESCAPE)) {
    take(match.index);
    const character = characterOf(match.groups ?? {});
    for (let unit = 0; unit < character.length; unit++) at.push(match.index);
    decoded += character;
    rest = match.index + match[0].length;
  }
  if (rest === 0) return undefined;
  take(text.length);
  at.push(text.length);
  return { text: decoded, sourceOffsets: at };
}

/** Returns an empty text for a colour and for the join of a split string. */
function characterOf(groups: Readonly<Record<string, string | undefined>>): string {
  const { percent, unicode, braced, hex, octal, letter, plain, decimal, entity, name } = groups;
  if (letter !== undefined) return LETTERS[letter] ?? '';
  if (plain !== undefined) return plain;
  if (name !== undefined) return NAMES[name] ?? '';
  const hexadecimal = percent ?? unicode ?? braced ?? hex ?? entity;
  if (hexadecimal !== undefined) return visible(Number.parseInt(hexadecimal, 16));
  if (octal !== undefined) return visible(Number.parseInt(octal, 8));
  return decimal === undefined ? '' : visible(Number(decimal));
}

function visible(codePoint: number): string {
  if (codePoint === 0 || codePoint > 0x10ffff) return '';
  const character = String.fromCodePoint(codePoint).normalize('NFKC');
  return INVISIBLE.test(character) ? '' : character;
}

/** The join between two lines, with the characters that a quotation adds. */
const LINE_JOIN = /[ \t]{0,3}["'`]?[ \t]{0,3}\n[ \t>|#*]{0,40}["'`]?/y;
/** The shortest provider key has twenty characters; one half contains a digit, and neither half is a word. */
const SHORTEST = 16;
const LONGEST_HALF = 64;

/** Returns the text with lines joined where both ends may be halves of one token; undefined if there are none. */
export function joinedView(text: string): DecodedView | undefined {
  let joined = '';
  const at: number[] = [];
  let rest = 0;
  for (let line = text.indexOf('\n'); line >= 0; line = text.indexOf('\n', line + 1)) {
    const seam = lineJoinAround(text, Math.max(rest, line - 7), line);
    if (seam === undefined || !mayBeSplitToken(text, rest, seam.start, seam.end)) continue;
    joined += text.slice(rest, seam.start);
    for (let index = rest; index < seam.start; index++) at.push(index);
    rest = seam.end;
  }
  if (rest === 0) return undefined;
  for (let index = rest; index <= text.length; index++) at.push(index);
  return { text: joined + text.slice(rest), sourceOffsets: at };
}

function lineJoinAround(text: string, from: number, line: number): { start: number; end: number } | undefined {
  let start = line;
  while (start > from && ' \t"\'`'.includes(text.charAt(start - 1))) start--;
  LINE_JOIN.lastIndex = start;
  return LINE_JOIN.test(text) ? { start, end: LINE_JOIN.lastIndex } : undefined;
}

function mayBeSplitToken(text: string, from: number, start: number, end: number): boolean {
  let [first, last] = [start, end];
  while (first > from && start - first < LONGEST_HALF && isTokenCharacter(text.charCodeAt(first - 1))) first--;
  while (last < text.length && last - end < LONGEST_HALF && isTokenCharacter(text.charCodeAt(last))) last++;
  if (first === start || last === end || start - first + last - end < SHORTEST) return false;
  const [before, after] = [text.slice(first, start), text.slice(end, last)];
  return (/[0-9]/.test(before) || /[0-9]/.test(after)) && !looksLikeWords(before) && !looksLikeWords(after);
}

/** True for letters, digits and `+ - . / _ =`. */
function isTokenCharacter(unit: number): boolean {
  if (unit >= 48 && unit <= 57) return true;
  const lower = unit | 32;
  return (lower >= 97 && lower <= 122) || unit === 43 || (unit >= 45 && unit <= 47) || unit === 95 || unit === 61;
}
