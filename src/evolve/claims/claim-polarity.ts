import {
  ANTONYMS,
  CANCELLING,
  LIGHT_VERBS,
  NEGATIONS,
  NEGATIVE_PREFIXES,
  STOP_WORDS,
  TRAILING_NEGATION,
} from './wordlists.js';
import { type Clause, canonicalWord, clauses, clauseWords } from './words.js';

/** What a text asks for and what it rules out, which plain word sets do not show. */
export interface ClaimPolarity {
  /** Every content word, negated or not. */
  words: Set<string>;
  asserted: Set<string>;
  /** One entry for each negated stretch of words, its head first. */
  negated: string[][];
  /** Numbers in order, each with the word behind it (`3` + `time`); empty at the end of a clause. */
  numbers: { value: string; of: string }[];
  values: Set<string>;
  /** `x>y`: x comes before, from or ahead of y. */
  order: Set<string>;
  /** Names that end in a number, by the part before it: `python` → `python3`. The last one counts. */
  versions: Map<string, string>;
  /** Each asserted word that has an antonym, with that antonym. */
  antonyms: [string, string][];
  /** Which thing is to replace which: `python3` instead of `python`, without the words that both have. */
  choices: Choice[];
  /** The words between backticks, sorted. */
  codeTerms: string[];
  /** Which code is to replace which, with their differences. */
  exchanges: Exchange[];
}

interface Choice {
  chosen: readonly string[];
  rejected: string;
}

/** Maps a word to the words that contradict it. */
export const OPPOSITES = new Map<string, string[]>();
for (const [x, y] of ANTONYMS.flatMap(([one, other]) => [[one, other] as const, [other, one] as const]))
  OPPOSITES.set(canonicalWord(x), [...(OPPOSITES.get(canonicalWord(x)) ?? []), canonicalWord(y)]);

const VERSION = /^(\p{L}{1,40})(\d[\d.]{0,20})$/u;
const NUMBER = /^(\d{1,15}(?:[.,]\d{1,15}){0,3})([a-z%]{0,3})$/;

/** Reads a condition or an action. Linear in the text, which is cut at 4,000 characters. */
export function polarityOf(text: string): ClaimPolarity {
  const polarity: ClaimPolarity = {
    words: new Set(),
    asserted: new Set(),
    negated: [],
    numbers: [],
    values: new Set(),
    order: new Set(),
    versions: new Map(),
    antonyms: [],
    choices: [],
    codeTerms: codeTermsIn(text),
    exchanges: exchangesIn(text),
  };
  const parts = clauses(text);
  let previous: string[] = [];
  for (const clause of parts) {
    const words = clauseWords(clause.text).flatMap(splitNegation);
    readSigns(words, TRAILING_NEGATION.test(clause.text), polarity);
    readNumbers(words, polarity);
    previous = readOrder(words, previous, polarity);
  }
  readSequence(parts, polarity);
  for (const { value } of polarity.numbers) polarity.values.add(value);
  for (const word of polarity.asserted) {
    const name = VERSION.exec(word)?.[1];
    if (name !== undefined) polarity.versions.set(name, word);
    for (const opposite of OPPOSITES.get(word) ?? []) polarity.antonyms.push([word, opposite]);
  }
  return polarity;
}

function splitNegation(word: string): string[] {
  if (NEGATIONS.has(word)) return [word];
  const prefix = NEGATIVE_PREFIXES.find((p) => word.startsWith(p) && word.length > p.length);
  return prefix === undefined ? [word] : [prefix, word.slice(prefix.length)];
}

function readSigns(words: readonly string[], negatedFromBehind: boolean, polarity: ClaimPolarity): void {
  let negative = negatedFromBehind;
  let scope: string[] = [];
  let before: string[] = [];
  const close = (): void => {
    if (scope.length > 0 && negative) {
      polarity.negated.push(headFirst(scope));
      readChoice(before, scope, polarity);
    }
    before = negative ? [] : scope;
    for (const word of scope) if (!negative) polarity.asserted.add(word);
    scope = [];
  };
  for (const word of words) {
    if (NEGATIONS.has(word) && !negatedFromBehind) {
      const cancelled = negative && CANCELLING.has(word);
      if (cancelled) negative = false;
      close();
      negative = !cancelled;
    } else if (!STOP_WORDS.has(word)) {
      const name = canonicalWord(word);
      polarity.words.add(name);
      scope.push(name);
    }
  }
  close();
}

/** "Use x instead of y" in one clause is a choice if both sides say more than a verb. */
function readChoice(before: readonly string[], refused: readonly string[], polarity: ClaimPolarity): void {
  const against = [...new Set(refused)].sort();
  const chosen = before.filter((word) => !LIGHT_VERBS.has(word) && !against.includes(word));
  if (chosen.length > 0) polarity.choices.push({ chosen, rejected: against.join(' ') });
}

const CODE = /`([^`]{1,200})`/g;
const ASIDE = /\([^()]{0,300}\)/g;

/**
 * Ignores brackets, which hold examples. Keeps the words except for their case: a flag or a program name has no endings
 * and no synonyms.
 */
function codeTermsIn(text: string): string[] {
  const words = [...text.slice(0, 4_000).replace(ASIDE, ' ').matchAll(CODE)].flatMap(([, code = '']) =>
    code.toLowerCase().split(/\s+/),
  );
  return [...new Set(words.filter((word) => word !== ''))].sort();
}

/** The first word that is not a light verb names what is ruled out: "do not use sudo" is about sudo. */
function headFirst(scope: readonly string[]): string[] {
  const heavy = scope.filter((word) => !LIGHT_VERBS.has(word));
  return heavy.length > 0 ? heavy : [...scope];
}

function readNumbers(words: readonly string[], polarity: ClaimPolarity): void {
  words.forEach((word, i) => {
    const match = NUMBER.exec(canonicalWord(word));
    if (!match) return;
    const unit = match[2] === '' ? words[i + 1] : match[2];
    polarity.numbers.push({ value: match[1] ?? word, of: unit === undefined ? '' : canonicalWord(unit) });
  });
}

const FORWARD = new Set(['before', 'from', 'over']);
const BACKWARD = new Set(['after']);
const TOWARDS = new Set(['to', 'into', 'onto']);

/**
 * Reads "x before y", "after y, x" and "copy x to y". Returns the words of a leading order phrase that the next clause
 * completes.
 */
function readOrder(words: readonly string[], pendingOrder: readonly string[], polarity: ClaimPolarity): string[] {
  if (pendingOrder.length > 0) {
    const [direction, ...others] = pendingOrder;
    addOrder(contentWords(words), others, direction === 'before', polarity);
  }
  const at = words.findIndex((word) => isDirection(word));
  if (at < 0) return [];
  const word = canonicalWord(words[at] ?? '');
  const left = contentWords(words.slice(0, at));
  const right = contentWords(words.slice(at + 1));
  if (left.length === 0) {
    return FORWARD.has(word) || BACKWARD.has(word) ? [word === 'after' ? 'after' : 'before', ...right] : [];
  }
  const inner = words.slice(at + 1).findIndex((w) => TOWARDS.has(w));
  if (word === 'from' && inner >= 0) {
    const target = at + 1 + inner;
    addOrder(contentWords(words.slice(at + 1, target)), contentWords(words.slice(target + 1)), true, polarity);
  } else {
    addOrder(left, right, !BACKWARD.has(word) && word !== 'from', polarity);
  }
  return [];
}

function isDirection(word: string): boolean {
  const name = canonicalWord(word);
  return FORWARD.has(name) || BACKWARD.has(name) || TOWARDS.has(word) || FORWARD.has(word);
}

/** "x, then y" puts x before y; a mere list has no order. */
function readSequence(parts: readonly Clause[], polarity: ClaimPolarity): void {
  for (let i = 1; i < parts.length; i++) {
    const [before, after] = [parts[i - 1], parts[i]];
    if (after?.follows && before)
      addOrder(contentWords(clauseWords(before.text)), contentWords(clauseWords(after.text)), true, polarity);
  }
}

function contentWords(words: readonly string[]): string[] {
  return words.filter((word) => !STOP_WORDS.has(word) && !NEGATIONS.has(word)).map(canonicalWord);
}

function addOrder(
  left: readonly string[],
  right: readonly string[],
  leftFirst: boolean,
  polarity: ClaimPolarity,
): void {
  for (const l of left.slice(0, 12)) {
    for (const r of right.slice(0, 12)) if (l !== r) polarity.order.add(leftFirst ? `${l}>${r}` : `${r}>${l}`);
  }
}

/** What an action puts in the place of what: "Run `a` instead of `b`" drops the parts of `b` and adds those of `a`. */
interface Exchange {
  readonly added: ReadonlySet<string>;
  readonly dropped: ReadonlySet<string>;
}

const EXCHANGE = /`([^`]{1,200})` (?:instead of|rather than|in place of) `([^`]{1,200})`/gi;

/** Reads the exchanges of two pieces of code that a text asks for. Linear in the text, which is cut at 4,000 characters. */
export function exchangesIn(text: string): Exchange[] {
  return [...text.slice(0, 4_000).matchAll(EXCHANGE)].map(([, chosen = '', rejected = '']) => {
    const [wanted, refused] = [partsOf(chosen), partsOf(rejected)];
    return { added: without(wanted, refused), dropped: without(refused, wanted) };
  });
}

/**
 * Returns whether two actions undo each other: one only leaves parts out that the other only puts in, such as the folder
 * before a path. Both share most words, so word overlap alone takes them for one remedy. Symmetric.
 */
export function undoEachOther(a: readonly Exchange[], b: readonly Exchange[]): boolean {
  return a.some((own) => b.some((other) => reverses(own, other) || reverses(other, own)));
}

function reverses(a: Exchange, b: Exchange): boolean {
  return a.added.size === 0 && b.dropped.size === 0 && [...a.dropped].some((part) => b.added.has(part));
}

/** The words of a call, and the folders of its paths. A placeholder such as `<folder>` stays one part. */
function partsOf(code: string): ReadonlySet<string> {
  return new Set(code.split(/[\s/]+/).filter((part) => part !== '' && !JOINING.has(part)));
}

/** What joins two commands is no part of either. */
const JOINING = new Set(['&&', '||', ';', '|']);

function without(parts: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...parts].filter((part) => !others.has(part)));
}
