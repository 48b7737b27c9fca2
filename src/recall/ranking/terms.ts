import { stemmer } from '@orama/stemmers/english';
import { stopwords } from '@orama/stopwords/english';
import { FifoCache } from '../../platform/background/fifo-cache.js';
import { detached } from '../../platform/base/detached.js';

/** Maximum indexed length. Lessons are far shorter, and the limit bounds the work for hostile texts. */
const MAX_TEXT = 100_000;
const MAX_TERM = 48;
/** Limits of a query. */
export const MAX_QUERY_LENGTH = 2_000;
export const MAX_QUERY_WORDS = 50;

/** A run of letters, digits and marks of any script. Other characters separate words in every script. */
const RUN = /[\p{L}\p{N}\p{M}_]+(?:['’][\p{L}]{1,3}(?![\p{L}\p{N}_]))?/gu;
/** The runs of a text that is ASCII alone: the same ones, found three times as fast. */
const ASCII_RUN = /[A-Za-z0-9_]+(?:'[A-Za-z]{1,3}(?![A-Za-z0-9_]))?/g;
const ASCII = /^[\0-\x7f]*$/;
const PLAIN = /^[A-Za-z0-9_'’]+$/;
/** Splits `HTTPServer_name2` into HTTP, Server and name2: a number stays with the word before it. */
const PART = /[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+/g;

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
const STOP_WORDS: ReadonlySet<string> = new Set(stopwords.map((word) => word.replace(/['’]/g, '')));

/**
 * The terms of words that were met before: texts repeat words, and stemming is expensive. Bounded in number and length,
 * because the words come from outside.
 */
const termsOfWords = new FifoCache<readonly string[]>(200_000);
const MAX_CACHED_WORD = 64;

/**
 * Returns the terms of a text in order, with repetitions: compatibility forms folded (NFKC), lower case, without English
 * stop words and suffixes, compound names both whole and in parts. Scripts without spaces are segmented with a dictionary
 * (Intl.Segmenter). A word has the same terms in every context.
 */
export function termsOf(text: string): string[] {
  const read = text.slice(0, MAX_TEXT);
  const terms: string[] = [];
  for (const run of (ASCII.test(read) ? read.match(ASCII_RUN) : read.normalize('NFKC').match(RUN)) ?? []) {
    if (PLAIN.test(run)) addPlain(run, terms);
    else
      for (const { segment, isWordLike } of segmenter.segment(run)) {
        if (PLAIN.test(segment)) addPlain(segment, terms);
        else if (isWordLike) terms.push(segment.toLowerCase().slice(0, MAX_TERM));
      }
  }
  return terms;
}

/** Returns the terms of each word, in order: a compound name has several. */
export const termsByWord = (text: string): string[][] =>
  (text.slice(0, MAX_TEXT).normalize('NFKC').match(RUN) ?? []).map(termsOf);

/** Returns the terms of a query with their counts, in order: the first 50 terms of the first 2,000 characters. */
export function queryTerms(query: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of termsOf(query.slice(0, MAX_QUERY_LENGTH)).slice(0, MAX_QUERY_WORDS))
    counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function addPlain(run: string, terms: string[]): void {
  const known = termsOfWords.get(run);
  const found = known ?? termsOfPlain(run);
  // Copied, because a part of a text keeps the whole text alive.
  if (!known && run.length <= MAX_CACHED_WORD) termsOfWords.set(detached(run), found.map(detached));
  for (const term of found) terms.push(term);
}

function termsOfPlain(run: string): string[] {
  const word = run.replace(/['’]s$/, '').replace(/['’]/g, '');
  const parts = word.match(PART) ?? [];
  const words = parts.length > 1 ? [word.replaceAll('_', ''), ...parts] : parts;
  return words
    .map((one) => one.toLowerCase().slice(0, MAX_TERM))
    .filter((one) => !STOP_WORDS.has(one))
    .map(stemOf);
}

function stemOf(word: string): string {
  if (!/^[a-z]{3,}$/.test(word)) return word;
  // Porter's first stemmer leaves `deploy` of `deployment` and makes `deploi` of `deploy`.
  return stemmer(word).replace(/y$/, 'i');
}
