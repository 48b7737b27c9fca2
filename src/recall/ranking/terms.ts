import { stemmer } from '@orama/stemmers/english';
import { stopwords } from '@orama/stopwords/english';
import { FifoCache } from '../../platform/background/fifo-cache.js';

/** Maximum indexed length. Lessons are far shorter, and the limit bounds the work for hostile texts. */
const MAX_TEXT = 100_000;
const MAX_TERM = 48;
/** Limits of a query. */
export const MAX_QUERY_LENGTH = 2_000;
export const MAX_QUERY_WORDS = 50;

/** A run of letters, digits and marks of any script. Other characters separate words in every script. */
const RUN = /[\p{L}\p{N}\p{M}_]+(?:['’][\p{L}]{1,3}(?![\p{L}\p{N}_]))?/gu;
const PLAIN = /^[A-Za-z0-9_'’]+$/;
/** Splits `HTTPServer_name2` into HTTP, Server and name2: a number stays with the word before it. */
const PART = /[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+/g;

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
const STOP_WORDS: ReadonlySet<string> = new Set(stopwords.map((word) => word.replace(/['’]/g, '')));

/** Stemming is the most expensive step, and texts repeat words. Bounded, because the words come from outside. */
const stems = new FifoCache<string>(200_000);

/**
 * Returns the terms of a text in order, with repetitions: compatibility forms folded (NFKC), lower case, without English
 * stop words and suffixes, compound names both whole and in parts. Scripts without spaces are segmented with a dictionary
 * (Intl.Segmenter). A word has the same terms in every context.
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [run] of text.slice(0, MAX_TEXT).normalize('NFKC').matchAll(RUN)) {
    if (PLAIN.test(run)) addPlain(run, terms);
    else
      for (const { segment, isWordLike } of segmenter.segment(run)) {
        if (PLAIN.test(segment)) addPlain(segment, terms);
        else if (isWordLike) terms.push(segment.toLowerCase().slice(0, MAX_TERM));
      }
  }
  return terms;
}

/** Returns the terms of a query with their counts, in order: the first 50 terms of the first 2,000 characters. */
export function queryTerms(query: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of termsOf(query.slice(0, MAX_QUERY_LENGTH)).slice(0, MAX_QUERY_WORDS))
    counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function addPlain(run: string, terms: string[]): void {
  const word = run.replace(/['’]s$/, '').replace(/['’]/g, '');
  const parts = word.match(PART) ?? [];
  if (parts.length > 1) addWord(word.replaceAll('_', ''), terms);
  for (const part of parts) addWord(part, terms);
}

function addWord(word: string, terms: string[]): void {
  const lower = word.toLowerCase().slice(0, MAX_TERM);
  if (!STOP_WORDS.has(lower)) terms.push(stemOf(lower));
}

function stemOf(word: string): string {
  if (!/^[a-z]{3,}$/.test(word)) return word;
  // Porter's first stemmer leaves `deploy` of `deployment` and makes `deploi` of `deploy`.
  return stems.getOrCreate(word, () => stemmer(word).replace(/y$/, 'i'));
}
