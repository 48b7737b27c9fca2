import { sharedCount } from '../../platform/base/sum.js';
import { NEGATIONS, STOP_WORDS } from './wordlists.js';
import { canonicalWord, clauses, clauseWords } from './words.js';

/** The content words of one situation that a condition names. */
export type Situation = ReadonlySet<string>;

const OR = new Set(['or', 'oder', 'ou', 'или', 'albo', 'lub', '或', '或者', 'または', 'もしくは', '또는', 'أو']);
/** The largest number of situations of one condition. Texts come from outside, so the rest is cut. */
const MAX_SITUATIONS = 12;

/**
 * Returns the situations that a condition names, in order: "when a query times out or deadlocks" names two. The words
 * after an "or" replace as many words at the end of the first situation, and share the words before them.
 */
export function situationsOf(condition: string): Situation[] {
  const parts = fragments(condition);
  const [first = [], ...others] = parts;
  return [first, ...others].slice(0, MAX_SITUATIONS).map((words, at) => {
    const shared = at === 0 ? [] : first.slice(0, Math.max(1, first.length - words.length));
    return new Set([...shared, ...words]);
  });
}

/**
 * Returns whether `general` applies wherever `special` does: each situation of `special` has all words of a situation
 * of `general`, since every further word narrows a situation. Reflexive and transitive.
 */
export function generalises(general: readonly Situation[], special: readonly Situation[]): boolean {
  return special.every((narrow) =>
    general.some((broad) => broad.size > 0 && sharedCount(broad, narrow) === broad.size),
  );
}

/** Without an "or", the whole text is one situation, with or without commas. Negation is compared elsewhere. */
function fragments(condition: string): string[][] {
  const parts = clauses(condition).map(({ text }) => clauseWords(text));
  const lists = parts.some((words) => words.some((word) => OR.has(word))) ? parts.flatMap(splitAtOr) : [parts.flat()];
  const found = lists.map((words) =>
    words.filter((word) => !STOP_WORDS.has(word) && !NEGATIONS.has(word)).map(canonicalWord),
  );
  return found.filter((words) => words.length > 0);
}

function splitAtOr(words: readonly string[]): string[][] {
  const lists: string[][] = [[]];
  for (const word of words) {
    if (OR.has(word)) lists.push([]);
    else lists.at(-1)?.push(word);
  }
  return lists;
}
