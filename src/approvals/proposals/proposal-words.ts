/** Of the rules below. Another number when they find other words, so that those of older rows are taken out anew. */
export const WORD_RULES_VERSION = 1;

/** A word is known by its beginning; commit hashes and encoded bytes are longer. */
const MAX_WORD = 60;
/** `aBaBaB…` has a hump at every other letter. */
const MAX_HUMPS = 8;
/** The database takes no vector above 1 MiB; an item's file is far shorter than this, and is somebody else's text. */
const MAX_BYTES = 500_000;

const RUN = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts whose words are not divided by blanks, or not as they are searched for; everything else has words. */
const PIECE =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}]+|[^\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}]+/gu;
const UNDIVIDED = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}]/u;
const HUMP = /(?<=\p{Ll})(?=\p{Lu})/gu;

/**
 * The words of a text, each once: runs of letters and digits in small letters, a compound name from each of its humps on
 * as well. Of scripts without blanks every two letters that follow each other, and the last: where a dictionary would
 * cut depends on the letters around and on the version of the dictionary.
 */
export function wordsOf(text: string): string[] {
  const words = new Set<string>();
  let bytes = 0;
  for (const piece of pieces(text))
    for (const word of UNDIVIDED.test(piece) ? [...pairs(piece), piece.slice(lastAt(piece))] : humps(piece)) {
      const known = clip(fold(word));
      if (words.has(known)) continue;
      bytes += Buffer.byteLength(known);
      if (bytes > MAX_BYTES) return [...words];
      words.add(known);
    }
  return [...words];
}

export interface ProposalSearch {
  /** What the words of an item begin with, all of them. */
  readonly prefixes: readonly string[];
  /** What stands in one of its texts to the letter, signs and blanks included, in whatever case. */
  readonly phrases: readonly string[];
}

/** What somebody looks for: words, and in quotes words as they follow each other. */
export function searchOf(text: string): ProposalSearch {
  const prefixes = new Set<string>();
  const phrases = new Set<string>();
  // No text that is stored holds a NUL, and the database takes none.
  for (const [word, phrase] of text.replaceAll('\0', ' ').matchAll(/"([^"]+)"|\S+/g)) {
    const asked = phrase ?? word;
    const found = [...pieces(asked)].flatMap((piece) => (UNDIVIDED.test(piece) ? pairs(piece) : [piece])).map(fold);
    for (const beginning of found) prefixes.add(clip(beginning));
    // One word and nothing else is found by its beginning; of everything else, that is not enough.
    const [only] = found;
    if (found.length !== 1 || only !== fold(asked.normalize('NFKC')) || only !== clip(only)) phrases.add(asked);
  }
  return { prefixes: [...prefixes], phrases: [...phrases] };
}

function* pieces(text: string): Generator<string> {
  for (const [run] of text.normalize('NFKC').matchAll(RUN)) for (const [piece] of run.matchAll(PIECE)) yield piece;
}

/** Every two letters that follow each other; of a single one, it. */
function pairs(piece: string): string[] {
  const letters = [...piece];
  return letters.length < 2 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}

const lastAt = (piece: string): number => piece.length - ([...piece].at(-1)?.length ?? 0);

function humps(word: string): string[] {
  const at = [...word.matchAll(HUMP)].slice(0, MAX_HUMPS).map(({ index }) => index);
  return [word, ...at.map((index) => word.slice(index))];
}

/** Small letters, the sigma at the end of a word as every other. */
const fold = (word: string): string => word.toLowerCase().replaceAll('ς', 'σ');

const clip = (word: string): string => (word.length <= MAX_WORD ? word : [...word].slice(0, MAX_WORD).join(''));
