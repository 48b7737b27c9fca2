import { type ClaimPolarity, polarityOf } from '../../evolve/claims/claim-polarity.js';
import { contradicts } from '../../evolve/claims/supersession.js';
import { stem } from '../../evolve/claims/words.js';
import type { MergeableEntry } from '../../memory/merging/mergeable-entry.js';
import { compareText } from '../../platform/base/compare-text.js';
import { isAlike, MIN_WORDS } from './statement.js';

/** What an entry says, read once. */
export interface EntryStatement {
  readonly of: MergeableEntry;
  /** Equal for entries of one kind that say the same: the same words, numbers, code and negations. */
  readonly key: string;
  readonly words: readonly string[];
  readonly polarity: ClaimPolarity;
}

/** Words that change nothing. Others, such as `only` or `must`, do. */
const EMPTY_WORDS = new Set(['a', 'an', 'the', 'our', 'we']);
/** Words before which a part of a sentence begins that may stand at its start or at its end. */
const PART_WORDS = new Set([
  'in',
  'on',
  'at',
  'for',
  'with',
  'from',
  'by',
  'under',
  'during',
  'before',
  'after',
  'when',
  'while',
  'if',
]);
/** Most words of a text whose parts may be moved: the work grows with their square. */
const MOST_MOVED = 64;
const CLAUSE_END = '|';

export function entryStatementOf(of: MergeableEntry): EntryStatement {
  const words = wordsOf(of.content);
  const polarity = polarityOf(of.content);
  const { asserted, negated, order } = polarity;
  const signs = [[...asserted], negated.map((scope) => scope.join(' ')), [...order]].map((all) =>
    all.sort(compareText),
  );
  return { of, key: JSON.stringify([of.kind, inOneOrder(words), signs]), words, polarity };
}

/**
 * The words in their order. Their endings and their case do not count, except in what is no plain word: a number, a path,
 * a flag, code between backticks and a name in camel case stay as they are.
 */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [spelled] of text.normalize('NFKC').matchAll(/`[^`]{1,4000}`|[^\s`]{1,4000}|`/gu)) {
    if (spelled.startsWith('`')) {
      words.push(spelled.split(/\s+/).join(' '));
      continue;
    }
    const piece = spelled.replace(/^["'(]{1,3}/u, '').replace(/["')]{0,3}[.,;:!?]{0,3}["')]{0,3}$/u, '');
    const plain = /^[\p{L}\p{M}'’]{1,60}$/u.test(piece) && !/\p{Ll}\p{Lu}/u.test(piece);
    const word = plain ? stem(piece.toLowerCase()) : piece;
    if (word !== '' && !EMPTY_WORDS.has(word)) words.push(word);
    if (spelled.endsWith('?')) words.push('?');
    if (/[.,;:!?]["')]{0,3}$/u.test(spelled) || /^[-–—]$/u.test(spelled)) words.push(CLAUSE_END);
  }
  while (words.at(-1) === CLAUSE_END) words.pop();
  return words;
}

/**
 * One order for texts that differ in which clause comes first or, in a text of one clause, in which part. The order of
 * other words stays: "the shop calls the bank" is not "the bank calls the shop".
 */
function inOneOrder(words: readonly string[]): string[] {
  if (words.length > MOST_MOVED) return [...words];
  const hasClauses = words.includes(CLAUSE_END);
  const cycle = hasClauses ? [...words, CLAUSE_END] : words;
  const starts = cycle.flatMap((word, at) => {
    const isStart = hasClauses ? cycle.at(at - 1) === CLAUSE_END : PART_WORDS.has(word);
    return isStart ? [at] : [];
  });
  const orders = starts.map((at) => [...cycle.slice(at), ...cycle.slice(0, at)]);
  return orders.sort((a, b) => compareText(a.join(' '), b.join(' ')))[0] ?? [...words];
}

/** Why both cannot hold, or undefined. Nothing settles it: the owner of the agent is asked. Symmetric. */
export function entryConflict(a: EntryStatement, b: EntryStatement): string | undefined {
  if (isAlike(a.polarity, b.polarity) && (contradicts(a.polarity, b.polarity) || contradicts(b.polarity, a.polarity)))
    return 'They contradict each other.';
  const arePreferences = a.of.kind === 'preference' && b.of.kind === 'preference';
  return arePreferences && differInOneWord(a.words, b.words) ? 'They prefer different values.' : undefined;
}

function differInOneWord(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.length >= MIN_WORDS && a.filter((word, at) => word !== b[at]).length === 1;
}
