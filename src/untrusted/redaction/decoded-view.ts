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
  /%(?:u00)?(?<percent>[0-7][0-9A-Fa-f])|\\{1,4}(?:u001b|x1b|033|e)\[[0-9;]{0,20}m|\\{1,4}u(?<unicode>[0-9A-Fa-f]{4})|\\{1,4}u\{(?<braced>[0-9A-Fa-f]{1,6})\}|\\{1,4}U(?<long>00[0-9A-Fa-f]{6})|\\{1,4}x(?<hex>[0-7][0-9A-Fa-f])|\\{1,4}(?<octal>[01][0-7]{2})|\\{1,4}(?<letter>[nrt](?![a-z]{3}))|\\(?<plain>[^A-Za-z0-9\n])|&#(?<decimal>[0-9]{1,7});?|&#[xX](?<entity>[0-9A-Fa-f]{1,6});?|&(?<name>quot|apos|amp|lt|gt|equals|colon|semi|lowbar|hyphen|dash|period|comma|sol|bsol|plus|num|dollar|percnt|commat|excl|quest|ast|nbsp|Tab|NewLine);|[\\=]\n[ \t]{0,40}|(?<q>["'`])[ \t]{0,5}(?:\\?\n[ \t]{0,40})?(?:[+.&~]|\|\||\.\.|<>)[ \t]{0,5}(?:\n[ \t]{0,40})?\k<q>/g;

const MAY_HOLD_ESCAPES = /[%\\&]|=\n|["'`][ \t\n]{0,8}[+.~|<]/;
const LETTERS: Readonly<Record<string, string>> = { n: '\n', r: '\n', t: '\t' };
const NAMES: Readonly<Record<string, string>> = {
  quot: '"',
  apos: "'",
  amp: '&',
  lt: '<',
  gt: '>',
  equals: '=',
  colon: ':',
  semi: ';',
  lowbar: '_',
  hyphen: '-',
  dash: '-',
  period: '.',
  comma: ',',
  sol: '/',
  bsol: '\\',
  plus: '+',
  num: '#',
  dollar: '$',
  percnt: '%',
  commat: '@',
  excl: '!',
  quest: '?',
  ast: '*',
  nbsp: ' ',
  Tab: '\t',
  NewLine: '\n',
};
const INVISIBLE = /[\p{M}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;
/** Text that is encoded more than three times was encoded deliberately. */
const MAX_ROUNDS = 3;

/** Returns the text with its escapes decoded; undefined if there are none. */
export function decodedView(text: string): DecodedView | undefined {
  let view: DecodedView | undefined;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const current = view?.text ?? text;
    const next = MAY_HOLD_ESCAPES.test(current) ? replaceMatches(current, ESCAPE, characterOf) : undefined;
    if (next === undefined) return view;
    view = view === undefined ? next : viewThrough(view, next);
  }
  return view;
}

/** Returns the inner view of an outer view's text as a view of the outer one's source. */
export const viewThrough = (outer: DecodedView, inner: DecodedView): DecodedView => ({
  text: inner.text,
  sourceOffsets: inner.sourceOffsets.map((index) => outer.sourceOffsets[index] ?? 0),
});

const QUOTED_PRINTABLE = /=(?:\n|(?<hex>[2-7][0-9A-F]))/g;
/** Mails in this encoding escape each equals sign. In other texts, `=41` is a name's value. */
const IS_QUOTED_PRINTABLE = /=3D|(?:=[2-7][0-9A-F]){4}/;
const QUOTED_PRINTABLE_LINE = /=(?:[2-7][0-9A-F]|$)/;

/** Yields the parts of quoted-printable mails in a text, decoded. */
export function* quotedPrintableViews(text: string): Generator<DecodedView> {
  if (!IS_QUOTED_PRINTABLE.test(text)) return;
  for (const [start, end] of linesWith(text, QUOTED_PRINTABLE_LINE)) {
    const view = replaceMatches(text.slice(start, end), QUOTED_PRINTABLE, characterOf);
    if (view !== undefined)
      yield { text: view.text, sourceOffsets: view.sourceOffsets.map((offset) => offset + start) };
  }
}

/**
 * Returns the offsets of the lines that the pattern matches, adjacent ones together and with the line after them, so
 * that only these are read a second time.
 */
export function linesWith(text: string, pattern: RegExp): [number, number][] {
  const found: [number, number][] = [];
  let start = 0;
  let isAfter = false;
  while (start < text.length) {
    const end = text.indexOf('\n', start) < 0 ? text.length : text.indexOf('\n', start);
    const isFound = pattern.test(text.slice(start, end));
    const last = found.at(-1);
    if ((isFound || isAfter) && last !== undefined && last[1] >= start - 1) last[1] = end;
    else if (isFound) found.push([start, end]);
    isAfter = isFound;
    start = end + 1;
  }
  return found;
}

/** The seam between two literals that are adjacent or items of a list, as in `"ab" "cd"`, `'ab'"cd"`, `["ab", "cd"]`. */
const LITERAL_SEAM = /["'`][ \t]{0,4}[,&]?[ \t]{0,4}\n?[ \t]{0,40}["'`]/g;

/** Yields adjacent literals joined, where they may be the parts of one token. */
export function* literalViews(text: string): Generator<DecodedView> {
  let [from, to] = [0, 0];
  for (const seam of text.matchAll(LITERAL_SEAM)) {
    if (seam.index < to) continue;
    from = startOfToken(text, to, seam.index);
    to = endOfToken(text, seam.index + seam[0].length);
    // A third literal and the ones after it.
    for (let next = seamAt(text, to); next !== undefined && to - from < LONGEST_CHAIN; next = seamAt(text, to))
      to = endOfToken(text, next);
    const view = replaceMatches(text.slice(from, to), LITERAL_SEAM, () => '');
    if (view === undefined || view.text.length < SHORTEST || !/[0-9]/.test(view.text) || looksLikeWords(view.text))
      continue;
    yield { text: view.text, sourceOffsets: view.sourceOffsets.map((offset) => offset + from) };
  }
}

const LONGEST_CHAIN = 2_000;

function seamAt(text: string, at: number): number | undefined {
  const seam = /["'`]/.test(text.charAt(at)) ? LITERAL_SEAM.exec(text.slice(at, at + 60)) : null;
  LITERAL_SEAM.lastIndex = 0;
  return seam?.index === 0 ? at + seam[0].length : undefined;
}

function startOfToken(text: string, from: number, end: number): number {
  let start = end;
  while (start > from && end - start < LONGEST_LITERAL && isTokenCharacter(text.charCodeAt(start - 1))) start--;
  return start;
}

function endOfToken(text: string, start: number): number {
  let end = start;
  while (end < text.length && end - start < LONGEST_LITERAL && isTokenCharacter(text.charCodeAt(end))) end++;
  return end;
}

const LONGEST_LITERAL = 200;

/** Replaces each match; undefined if there is none. The groups of the match are passed to the replacement. */
function replaceMatches(
  text: string,
  pattern: RegExp,
  replacement: (groups: Readonly<Record<string, string | undefined>>) => string,
): DecodedView | undefined {
  let decoded = '';
  const at: number[] = [];
  let rest = 0;
  const take = (to: number): void => {
    decoded += text.slice(rest, to);
    for (let index = rest; index < to; index++) at.push(index);
  };
  for (const match of text.matchAll(pattern)) {
    take(match.index);
    const character = replacement(match.groups ?? {});
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
  const { percent, unicode, braced, long, hex, octal, letter, plain, decimal, entity, name } = groups;
  if (letter !== undefined) return LETTERS[letter] ?? '';
  if (plain !== undefined) return plain;
  if (name !== undefined) return NAMES[name] ?? '';
  const hexadecimal = percent ?? unicode ?? braced ?? long ?? hex ?? entity;
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

/** Pieces of a token between blanks: their longest, the fewest of them, and the fewest characters and digits of all. */
const PIECES = { longest: 8, fewest: 3, characters: 20, digits: 2, gap: 3 } as const;

/**
 * Yields tokens that were written in pieces, `g h p _ a 1` or `ghp_a 1B2c3`, without the blanks. Words are no pieces,
 * unless one stands before or behind them: the first or the last piece may look like a word.
 */
export function* spacedViews(text: string): Generator<DecodedView> {
  let [first, last, count] = [0, 0, 0];
  let before = -1;
  for (let at = 0; at <= text.length; ) {
    let end = at;
    // Two characters, or any but lower case behind the first letter.
    let isWord = true;
    for (let unit = text.charCodeAt(end); unit > 32; unit = text.charCodeAt(++end))
      if ((unit < 97 || unit > 122) && (end > at || unit < 65 || unit > 90)) isWord = false;
    const length = end - at;
    const isShort = length > 0 && length <= PIECES.longest;
    // A line that ends is an empty word.
    const isNear = at - last <= PIECES.gap;
    const isPiece = isShort && (length < 3 || !isWord);
    if (!(isPiece && isNear) && count >= PIECES.fewest) {
      yield* viewOfPieces(text, first, isShort && isNear ? end : last);
      if (before >= 0) yield* viewOfPieces(text, before, last);
    }
    if (!isPiece) [before, count] = [isShort ? at : -1, 0];
    else if (!isNear) [first, before, count] = [at, -1, 1];
    else if (count++ === 0) first = at;
    last = end;
    at = end + 1;
    while (text.charCodeAt(at) <= 32 && text.charCodeAt(at) !== 10) at++;
  }
}

function* viewOfPieces(text: string, from: number, to: number): Generator<DecodedView> {
  if (to - from < PIECES.characters) return;
  const view = replaceMatches(text.slice(from, to), /\s{1,3}/g, () => '');
  if (view === undefined || view.text.length < PIECES.characters) return;
  if ((view.text.match(/[0-9]/g)?.length ?? 0) < PIECES.digits) return;
  yield { text: view.text, sourceOffsets: view.sourceOffsets.map((offset) => offset + from) };
}

/** A name of a secret or the scheme of an address, from its end to its beginning. */
const BACKWARDS = /drowssap|dwssap|terces|nekot|yek[-_]?(?:ipa|ssecca)|\/\/:[a-z]/i;

/** Yields the lines that may hold a secret backwards, and their places. */
export function* reversedLines(text: string): Generator<{ readonly text: string; readonly end: number }> {
  if (!BACKWARDS.test(text)) return;
  for (const [start, end] of linesWith(text, BACKWARDS)) yield { text: reversed(text.slice(start, end)), end };
}

export const reversed = (text: string): string => text.split('').reverse().join('');
