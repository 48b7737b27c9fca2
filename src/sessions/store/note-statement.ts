import { type ClaimPolarity, polarityOf } from '../../evolve/claims/claim-polarity.js';
import { contradicts } from '../../evolve/claims/supersession.js';
import { stem } from '../../evolve/claims/words.js';
import type { ComparedNote, CompareNotes, NoteMark } from '../../memory/lessons/kept-note.js';
import { FifoCache } from '../../platform/background/fifo-cache.js';
import { compareText } from '../../platform/base/compare-text.js';

/** What an agent writes in free text: an entry of a session memory, or a note. */
export interface WrittenNote {
  readonly kind: string;
  readonly content: string;
}

/** What a note says, read once. */
export interface NoteStatement<T extends WrittenNote = WrittenNote> {
  readonly of: T;
  /** Equal for notes that say the same: the same words, numbers, code and negations. */
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

export function noteStatementOf<T extends WrittenNote>(of: T): NoteStatement<T> {
  const words = wordsOf(of.content);
  const polarity = polarityOf(of.content);
  const { asserted, negated, order } = polarity;
  const signs = [[...asserted], negated.map((scope) => scope.join(' ')), [...order]].map((all) =>
    all.sort(compareText),
  );
  return { of, key: JSON.stringify([inOneOrder(words), signs]), words, polarity };
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
export function noteConflict(a: NoteStatement, b: NoteStatement): string | undefined {
  if (
    haveOneSubject(a.polarity, b.polarity) &&
    (contradicts(a.polarity, b.polarity) || contradicts(b.polarity, a.polarity))
  )
    return 'They contradict each other.';
  const arePreferences = a.of.kind === 'preference' && b.of.kind === 'preference';
  return arePreferences && differInOneWord(a.words, b.words) ? 'They prefer different values.' : undefined;
}

/**
 * Half of the words in common; in one name that differs in its number (`host db2`, `host db9`) that number is a value, if
 * another word is the same.
 */
function haveOneSubject(a: ClaimPolarity, b: ClaimPolarity): boolean {
  if (isAlike(a, b)) return true;
  const names = [...a.versions].filter(([name, word]) => b.versions.has(name) && b.versions.get(name) !== word);
  const [x, y] = [subjectOf(a), subjectOf(b)];
  return names.length === 1 && [...a.words].some((word) => b.words.has(word)) && jaccard(x, y) >= ALIKE;
}

function subjectOf({ words, versions }: ClaimPolarity): ReadonlySet<string> {
  const names = new Map([...versions].map(([name, word]) => [word, name]));
  return new Set([...words].map((word) => names.get(word) ?? word));
}

/** Share of common words from which two texts are about one thing. */
const ALIKE = 0.5;
/** A statement of fewer words is too short to be compared by them. */
export const MIN_WORDS = 3;

export const isAlike = (a: ClaimPolarity, b: ClaimPolarity): boolean => jaccard(a.words, b.words) >= ALIKE;

export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((word) => b.has(word)).length;
  return a.size + b.size === 0 ? 1 : common / (a.size + b.size - common);
}

function differInOneWord(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.length >= MIN_WORDS && a.filter((word, at) => word !== b[at]).length === 1;
}

/** Marks of one note: more say nothing more. */
const MOST_MARKS = 5;
const MOST_KEPT = 5_000;

/** Finds the notes that say the same as a new one or contradict it. Reading a text takes longer than comparing it. */
export function noteComparer(): CompareNotes {
  const statements = new FifoCache<NoteStatement<ComparedNote>>(MOST_KEPT);
  const read = (note: ComparedNote) =>
    statements.getOrCreate(`${note.kind} ${note.contentSha256}`, () => noteStatementOf(note));
  return (note, kept) => {
    const own = read(note);
    const marks = kept.flatMap((other): NoteMark[] => {
      const { id, kind, createdAt: at } = other;
      const theirs = read(other);
      if (theirs.key === own.key) return [{ id, is: 'same', kind, at }];
      return noteConflict(own, theirs) === undefined ? [] : [{ id, is: 'contradiction', kind, at }];
    });
    return marks.slice(0, MOST_MARKS);
  };
}
