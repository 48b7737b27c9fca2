/** The version of the rules below. Increment it when they find other words, so that older rows are indexed again. */
export const WORD_RULES_VERSION = 1;

/** Longer words, such as commit hashes and encoded bytes, are cut. */
const MAX_WORD = 60;
/** Limits the parts of a name such as `aBaBaB…`. */
const MAX_HUMPS = 8;
/** The database accepts vectors up to 1 MiB. A proposal's file is far shorter, but it is foreign text. */
const MAX_BYTES = 500_000;

const RUN = /[\p{L}\p{M}\p{N}]+/gu;
/** Splits a run into parts of scripts without blanks between words, and parts of other scripts. */
const PIECE =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}]+|[^\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}]+/gu;
const UNDIVIDED = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}]/u;
const HUMP = /(?<=\p{Ll})(?=\p{Lu})/gu;

/**
 * The distinct words of a text: runs of letters and digits in lower case, and for a camel-case name also each part from
 * a hump to its end. For scripts without blanks, every pair of adjacent letters and the last letter, because a
 * dictionary would split words depending on the context and on its version.
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
  /** Prefixes that the words of a proposal have to match, all of them. */
  readonly prefixes: readonly string[];
  /** Phrases that one of its texts has to contain, with signs and blanks, in any case. */
  readonly phrases: readonly string[];
}

/** Parses a search: words, and phrases in quotes. */
export function searchOf(text: string): ProposalSearch {
  const prefixes = new Set<string>();
  const phrases = new Set<string>();
  // The database accepts no NUL, and no stored text contains one.
  for (const [word, phrase] of text.replaceAll('\0', ' ').matchAll(/"([^"]+)"|\S+/g)) {
    const term = phrase ?? word;
    const found = [...pieces(term)].flatMap((piece) => (UNDIVIDED.test(piece) ? pairs(piece) : [piece])).map(fold);
    for (const beginning of found) prefixes.add(clip(beginning));
    // A single word is found by its prefix. Everything else has to be compared as a phrase too.
    const [only] = found;
    if (found.length !== 1 || only !== fold(term.normalize('NFKC')) || only !== clip(only)) phrases.add(term);
  }
  return { prefixes: [...prefixes], phrases: [...phrases] };
}

function* pieces(text: string): Generator<string> {
  for (const [run] of text.normalize('NFKC').matchAll(RUN)) for (const [piece] of run.matchAll(PIECE)) yield piece;
}

/** The pairs of adjacent letters; a single letter is returned as it is. */
function pairs(piece: string): string[] {
  const letters = [...piece];
  return letters.length < 2 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}

const lastAt = (piece: string): number => piece.length - ([...piece].at(-1)?.length ?? 0);

function humps(word: string): string[] {
  const at = [...word.matchAll(HUMP)].slice(0, MAX_HUMPS).map(({ index }) => index);
  return [word, ...at.map((index) => word.slice(index))];
}

/** Lower case, with the final sigma as an ordinary sigma. */
const fold = (word: string): string => word.toLowerCase().replaceAll('ς', 'σ');

const clip = (word: string): string => (word.length <= MAX_WORD ? word : [...word].slice(0, MAX_WORD).join(''));
