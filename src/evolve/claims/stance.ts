import { ANTONYMS, CANCELLING, LIGHT_VERBS, NEGATIONS, NEGATIVE_PREFIXES, TRAILING_NEGATION } from './wordlists.js';
import { type Clause, canonicalWord, clauses, clauseWords, isStopWord } from './words.js';

/** What a text asks for and what it rules out: the part of its meaning that plain word sets lose (spec E2). */
export interface Stance {
  /** Every content word, whatever its sign. */
  words: ReadonlySet<string>;
  asserted: ReadonlySet<string>;
  /** One entry per negated stretch of words, its head first. */
  refused: readonly (readonly string[])[];
  /** Numbers in order, each with the word behind it (`3` + `time`), empty at the end of a clause. */
  numbers: readonly { value: string; of: string }[];
  values: ReadonlySet<string>;
  /** `x>y`: x comes before, from or ahead of y. */
  order: ReadonlySet<string>;
  /** Names that end in a number, by what stands before it: `python` → `python3`. The last one counts. */
  versions: ReadonlyMap<string, string>;
  /** Each asserted word that has an antonym, with that. */
  opposed: readonly (readonly [string, string])[];
  /** What is to take the place of what: `python3` instead of `python`, without the words that both have. */
  choices: readonly Choice[];
  /** The words between backticks, sorted. */
  named: readonly string[];
}

export interface Choice {
  chosen: readonly string[];
  against: string;
}

/** Word → what it cannot be followed together with. */
export const OPPOSITES = new Map<string, string[]>();
for (const [x, y] of ANTONYMS.map((pair) => pair.map(canonicalWord)))
  if (x !== undefined && y !== undefined) {
    OPPOSITES.set(x, [...(OPPOSITES.get(x) ?? []), y]);
    OPPOSITES.set(y, [...(OPPOSITES.get(y) ?? []), x]);
  }

interface Builder {
  words: Set<string>;
  asserted: Set<string>;
  refused: string[][];
  numbers: { value: string; of: string }[];
  values: Set<string>;
  order: Set<string>;
  versions: Map<string, string>;
  opposed: [string, string][];
  choices: Choice[];
  named: string[];
}

const VERSION = /^(\p{L}{1,40})(\d[\d.]{0,20})$/u;
const NUMBER = /^(\d{1,15}(?:[.,]\d{1,15}){0,3})([a-z%]{0,3})$/;

/** Reads a condition or an action. Linear in the text, which is cut at 4,000 characters. */
export function stanceOf(text: string): Stance {
  const stance: Builder = {
    words: new Set(),
    asserted: new Set(),
    refused: [],
    numbers: [],
    values: new Set(),
    order: new Set(),
    versions: new Map(),
    opposed: [],
    choices: [],
    named: namesIn(text),
  };
  const parts = clauses(text);
  let previous: string[] = [];
  for (const clause of parts) {
    const words = clauseWords(clause.text).flatMap(splitNegation);
    readSigns(words, TRAILING_NEGATION.test(clause.text), stance);
    readNumbers(words, stance);
    previous = readOrder(words, previous, stance);
  }
  readSequence(parts, stance);
  for (const { value } of stance.numbers) stance.values.add(value);
  for (const word of stance.asserted) {
    const name = VERSION.exec(word)?.[1];
    if (name !== undefined) stance.versions.set(name, word);
    for (const opposite of OPPOSITES.get(word) ?? []) stance.opposed.push([word, opposite]);
  }
  return stance;
}

function splitNegation(word: string): string[] {
  if (NEGATIONS.has(word)) return [word];
  const prefix = NEGATIVE_PREFIXES.find((p) => word.startsWith(p) && word.length > p.length);
  return prefix === undefined ? [word] : [prefix, word.slice(prefix.length)];
}

function readSigns(words: readonly string[], negatedFromBehind: boolean, stance: Builder): void {
  let negative = negatedFromBehind;
  let scope: string[] = [];
  let before: string[] = [];
  const close = (): void => {
    if (scope.length > 0 && negative) {
      stance.refused.push(headFirst(scope));
      readChoice(before, scope, stance);
    }
    before = negative ? [] : scope;
    for (const word of scope) if (!negative) stance.asserted.add(word);
    scope = [];
  };
  for (const word of words) {
    if (NEGATIONS.has(word) && !negatedFromBehind) {
      const cancelled = negative && CANCELLING.has(word);
      if (cancelled) negative = false;
      close();
      negative = !cancelled;
    } else if (!isStopWord(word)) {
      const name = canonicalWord(word);
      stance.words.add(name);
      scope.push(name);
    }
  }
  close();
}

/** "Use x instead of y", in one clause: a choice, where both say more than a verb. */
function readChoice(before: readonly string[], refused: readonly string[], stance: Builder): void {
  const against = [...new Set(refused)].sort();
  const chosen = before.filter((word) => !LIGHT_VERBS.has(word) && !against.includes(word));
  if (chosen.length > 0) stance.choices.push({ chosen, against: against.join(' ') });
}

const CODE = /`([^`]{1,200})`/g;
const ASIDE = /\([^()]{0,300}\)/g;

/** Without what stands in brackets, which is an example. As written, but for the case: a flag or a name of a program has no endings and no synonyms. */
function namesIn(text: string): string[] {
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

function readNumbers(words: readonly string[], stance: Builder): void {
  words.forEach((word, i) => {
    const match = NUMBER.exec(canonicalWord(word));
    if (!match) return;
    const unit = match[2] === '' ? words[i + 1] : match[2];
    stance.numbers.push({ value: match[1] ?? word, of: unit === undefined ? '' : canonicalWord(unit) });
  });
}

const FORWARD = new Set(['before', 'from', 'over']);
const BACKWARD = new Set(['after']);
const TOWARDS = new Set(['to', 'into', 'onto']);

/** Reads "x before y", "after y, x" and "copy x to y". Returns the words a leading order word still waits for. */
function readOrder(words: readonly string[], waiting: readonly string[], stance: Builder): string[] {
  if (waiting.length > 0) {
    const [direction, ...others] = waiting;
    relate(content(words), others, direction === 'before', stance);
  }
  const at = words.findIndex((word) => isDirection(word));
  if (at < 0) return [];
  const word = canonicalWord(words[at] ?? '');
  const left = content(words.slice(0, at));
  const right = content(words.slice(at + 1));
  if (left.length === 0) {
    return FORWARD.has(word) || BACKWARD.has(word) ? [word === 'after' ? 'after' : 'before', ...right] : [];
  }
  const inner = words.slice(at + 1).findIndex((w) => TOWARDS.has(w));
  if (word === 'from' && inner >= 0) {
    const target = at + 1 + inner;
    relate(content(words.slice(at + 1, target)), content(words.slice(target + 1)), true, stance);
  } else {
    relate(left, right, !BACKWARD.has(word) && word !== 'from', stance);
  }
  return [];
}

function isDirection(word: string): boolean {
  const name = canonicalWord(word);
  return FORWARD.has(name) || BACKWARD.has(name) || TOWARDS.has(word) || FORWARD.has(word);
}

/** "x, then y" puts x before y; a mere list has no order. */
function readSequence(parts: readonly Clause[], stance: Builder): void {
  for (let i = 1; i < parts.length; i++) {
    const [before, after] = [parts[i - 1], parts[i]];
    if (after?.follows && before)
      relate(content(clauseWords(before.text)), content(clauseWords(after.text)), true, stance);
  }
}

function content(words: readonly string[]): string[] {
  return words.filter((word) => !isStopWord(word) && !NEGATIONS.has(word)).map(canonicalWord);
}

function relate(left: readonly string[], right: readonly string[], leftFirst: boolean, stance: Builder): void {
  for (const l of left.slice(0, 12)) {
    for (const r of right.slice(0, 12)) if (l !== r) stance.order.add(leftFirst ? `${l}>${r}` : `${r}>${l}`);
  }
}
