import { NEGATIONS } from './wordlists.js';
import { canonicalWord, clauses, clauseWords, isStopWord } from './words.js';

/** The content words of one of the situations that a condition names. */
export type Situation = ReadonlySet<string>;

const OR = new Set(['or', 'oder', 'ou', 'или', 'albo', 'lub', '或', '或者', 'または', 'もしくは', '또는', 'أو']);
/** Of the situations of one condition: what lists more is cut, since every text is somebody else's. */
const MAX_SITUATIONS = 12;

/**
 * The situations that a condition names, in their order: "when a query times out or deadlocks" names two. What follows
 * an "or" stands in the place of as many words of the first situation, and shares what was said before them.
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
 * Whether `general` applies wherever `special` does: each situation of `special` has all the words of one of
 * `general`, since every further word narrows a situation. Reflexive and transitive.
 */
export function generalises(general: readonly Situation[], special: readonly Situation[]): boolean {
  return special.every((narrow) => general.some((broad) => broad.size > 0 && isSubset(broad, narrow)));
}

/** Without an "or" the whole text is one situation, whatever its commas. Signs are compared elsewhere. */
function fragments(condition: string): string[][] {
  const parts = clauses(condition).map(({ text }) => clauseWords(text));
  const lists = parts.some((words) => words.some((word) => OR.has(word))) ? parts.flatMap(splitAtOr) : [parts.flat()];
  const found = lists.map((words) =>
    words.filter((word) => !isStopWord(word) && !NEGATIONS.has(word)).map(canonicalWord),
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

function isSubset(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  for (const word of part) if (!whole.has(word)) return false;
  return true;
}
