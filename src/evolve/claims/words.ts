import { NUMBER_WORDS, SYNONYMS } from './wordlists.js';

/** Longer texts are cut: the beginning is enough for a comparison, and texts come from outside. */
const MAX_TEXT = 4_000;

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/**
 * The end of a clause, beyond which a negation does not reach. A dot counts only before a blank, so that `v1.2` stays
 * whole.
 */
const CLAUSE_END = /([;:!?。、，；：！？\n,]|\.(?=\s|$)|\s[-–—]\s|\b(?:then|but|however)\b|然后|然後|その後)/gu;
const THEN = /^(?:then|然后|然後|その後)$/u;

/** A stretch of text that one negation can cover. `follows` is true if "then" joins it to the clause before. */
export interface Clause {
  text: string;
  follows: boolean;
}

/** Negation hidden in a contraction or in one word, and phrases that reject what follows them. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  // what goes in the place of a value, where a lesson was seen, and how many errors it has are not what it is about
  [/<[a-z][a-z0-9 -]{0,29}>/gu, ' '],
  [/(?<=[."'] )seen (?:in|on|with) [^.]{1,200}(?:\.\d[^.]{0,60}){0,20}\.$/gu, ' '],
  [/ or another of \d{1,3} errors\b/gu, ' '],
  [/[’ʼ]/gu, "'"],
  [/\b(?:can't|cannot)\b/gu, 'can not'],
  [/\bwon't\b/gu, 'will not'],
  [/n't\b/gu, ' not'],
  [/\b(?:dont|doesnt|didnt)\b/gu, 'do not'],
  [/\b(?:instead of|rather than|as opposed to)\b/gu, ' not '],
  [/\btim(?:es?|ed|ing) out\b/gu, 'timeout'],
  [/\b(?:stop|quit|cease) (?=[a-z]{2,20}ing\b)/gu, ' not '],
  [/\broll(?:ing|ed)? back\b/gu, 'rollback'],
  [/\bshut(?:ting)? down\b/gu, 'shutdown'],
  [/\btwice\b/gu, '2 times'],
  // A past event must not match an action that is to be taken before it: "about to" becomes a word of its own.
  [/\babout to\b/gu, ' imminent '],
];

const canonical = new Map<string, string>();
for (const group of SYNONYMS) {
  const name = group[0] ?? '';
  for (const word of group) {
    canonical.set(word, name);
    canonical.set(stem(word), name);
  }
}

/**
 * Returns the clauses of a text in lower case, with compatibility forms folded and contractions and rejecting phrases
 * spelled out.
 */
export function clauses(text: string): Clause[] {
  let plain = text.slice(0, MAX_TEXT).normalize('NFKC').toLowerCase();
  for (const [pattern, replacement] of PHRASES) plain = plain.replace(pattern, replacement);
  const found: Clause[] = [];
  let follows = false;
  // The pattern has a capture group, so that texts and separators alternate.
  plain.split(CLAUSE_END).forEach((part, i) => {
    const piece = part.trim();
    if (i % 2 === 1) follows ||= THEN.test(piece);
    else if (/[\p{L}\p{N}]/u.test(piece)) {
      found.push({ text: piece, follows });
      follows = false;
    }
  });
  return found;
}

/** Unicode never divides ASCII letters and digits, so that the slow segmenter is not needed. */
const ONE_WORD = /^[a-z0-9]{1,60}$/;

/**
 * Returns the words of one clause in order, in any script, including stop words. A flag such as `--no-cache` stays one
 * word.
 */
export function clauseWords(clause: string): string[] {
  const words: string[] = [];
  for (const spelled of clause.split(/\s+/)) {
    const piece = spelled.replace(/^[`'"(]{1,3}|[`'")]{1,3}$/g, '');
    if (ONE_WORD.test(piece) || /^-{1,2}[a-z][\w-]{0,60}$/.test(piece)) words.push(piece);
    else for (const part of segmenter.segment(piece)) if (part.isWordLike) words.push(part.segment);
  }
  return words;
}

/** Returns the form in which words are compared: digits for number words, no English endings, synonyms folded. */
export function canonicalWord(word: string): string {
  const number = NUMBER_WORDS.get(word);
  if (number !== undefined) return number;
  return canonical.get(word) ?? canonical.get(stem(word)) ?? stem(word);
}

/** A small English stemmer on purpose: plural, -ing, -ed, silent e. Other scripts stay unchanged. */
export function stem(word: string): string {
  if (!/^[a-z]{4,}$/.test(word)) return word;
  let w = word;
  if (w.endsWith('ies') && w.length > 4) w = `${w.slice(0, -3)}y`;
  else if (/(?:ch|sh|x|ss|z)es$/.test(w)) w = w.slice(0, -2);
  else if (/[^suic]s$/.test(w)) w = w.slice(0, -1);
  if (w.endsWith('ing') && w.length > 5) w = undouble(w.slice(0, -3));
  else if (w.endsWith('ed') && w.length > 4) w = undouble(w.slice(0, -2));
  return w.length > 4 && w.endsWith('e') ? w.slice(0, -1) : w;
}

function undouble(w: string): string {
  return /([bdgmnprt])\1$/.test(w) ? w.slice(0, -1) : w;
}
