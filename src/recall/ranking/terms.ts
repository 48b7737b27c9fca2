import { stemmer } from '@orama/stemmers/english';
import { stopwords } from '@orama/stopwords/english';
import { FifoCache } from '../../platform/background/fifo-cache.js';

/** More of a text than this is not indexed: lessons are far shorter, and every text is somebody else's. */
const MAX_TEXT = 100_000;
const MAX_TERM = 48;
/** Bounds of a query (spec R2). */
export const MAX_QUERY_LENGTH = 2_000;
export const MAX_QUERY_WORDS = 50;

/** A run of letters, digits and marks of any script; what stands between runs separates words in every one. */
const RUN = /[\p{L}\p{N}\p{M}_]+(?:['’][\p{L}]{1,3}(?![\p{L}\p{N}_]))?/gu;
const PLAIN = /^[A-Za-z0-9_'’]+$/;
/** `HTTPServer_name2` is HTTP, Server, name2; a number stays with the word before it. */
const PART = /[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+/g;

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
const STOP_WORDS: ReadonlySet<string> = new Set(stopwords.map((word) => word.replace(/['’]/g, '')));

/** Stemming costs more than everything else here, and texts repeat their words. Bounded, since words come from outside. */
const stems = new FifoCache<string>(200_000);

/**
 * The terms under which a text is indexed and found, in order and with repetitions: compatibility forms folded, lower
 * case, English stop words out and English endings off, compound names whole and in their parts. Words of scripts that
 * write no spaces are found by dictionary (Intl.Segmenter). A word gives the same terms wherever it stands.
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

/** The terms of a query with their counts, in order: at most 50 words of at most 2,000 characters. */
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
