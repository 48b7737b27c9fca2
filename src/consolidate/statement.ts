import { type ClaimPolarity, polarityOf, undoEachOther } from '../evolve/claims/claim-polarity.js';
import { contradicts, rulesOut } from '../evolve/claims/supersession.js';
import { CORE_NOTES, NOT_SAID, SUCCESS } from '../memory/store/recallable-memory.js';
import type { MergeableLesson } from '../memory/upkeep/mergeable.js';
import { isAlike, jaccard, MIN_WORDS } from '../sessions/store/note-statement.js';

/** Share of common words from which two statements of the same values are one in different words. */
const SAME = 0.8;
/** Share of the words of the longer one that a case must have: below, it may be about something else. */
const RELATED = 0.3;
/** Share of common words from which two conditions describe one situation. */
const SAME_SITUATION = 0.6;

/** What a lesson says, read once. */
export interface Statement {
  readonly of: MergeableLesson;
  /** The failure that it is about; undefined if its words name the situation. */
  readonly failure: string | undefined;
  readonly condition: ClaimPolarity;
  readonly action: ClaimPolarity;
  /** The action without its exchanges: "`a` instead of `b`" rules out `b`, not the words around it. */
  readonly rest: ClaimPolarity;
  /** The rest without calls and quotations. */
  readonly prose: ClaimPolarity;
  /** The calls and numbers that it names. Values count: version 18 is not version 20. */
  readonly values: ReadonlySet<string>;
  /** The calls outside its exchanges, and the calls and quotations that the exchanges choose and refuse. */
  readonly calls: ReadonlySet<string>;
  readonly chosen: ReadonlySet<string>;
  readonly refused: ReadonlySet<string>;
}

/** A call, or a quotation. */
const QUOTED = '`[^`]{1,4000}`|"[^"]{1,4000}"';
const EXCHANGE = new RegExp(`(${QUOTED})\\s{1,3}(?:instead of|rather than|in place of)\\s{1,3}(${QUOTED})`, 'gi');

export function statementOf(of: MergeableLesson): Statement {
  const { activation, steps, example } = of.lesson;
  const failure = of.failureKey === null || of.failureKey === SUCCESS ? undefined : of.failureKey;
  const action = [activation.action, ...steps].join('\n');
  const condition = activation.condition === NOT_SAID ? '' : activation.condition;
  const polarity = polarityOf(action);
  const rest = action.replace(EXCHANGE, ' ');
  const exchanges = [...action.matchAll(EXCHANGE)].map((one) => one.slice(1).map(unquoted));
  return {
    of,
    failure,
    condition: polarityOf(condition),
    action: polarity,
    rest: polarityOf(rest),
    prose: polarityOf(rest.replace(/`[^`]{0,4000}`|"[^"]{0,4000}"/g, ' ')),
    values: new Set([
      ...callsIn(action),
      ...polarity.values,
      ...(example?.worked ? [oneSpelling(example.worked.call)] : []),
    ]),
    calls: new Set(callsIn(rest)),
    chosen: new Set(exchanges.map(([chosen = '']) => chosen)),
    refused: new Set(exchanges.map(([, refused = '']) => refused)),
  };
}

/** Core notes have a budget of their own. */
export const isCore = ({ category, lesson }: MergeableLesson): boolean =>
  category === CORE_NOTES.category && lesson.tags.includes(CORE_NOTES.tag);

const callsIn = (text: string): string[] =>
  [...text.matchAll(/`([^`]{1,4000})`/g)].map(([, call = '']) => oneSpelling(call));

const unquoted = (text: string): string => oneSpelling(text.slice(1, -1));

const oneSpelling = (text: string): string => text.trim().split(/\s+/).join(' ');

/** Same failure and remedy, or the same words in another order or with synonyms. Symmetric. */
export function isSame(a: Statement, b: Statement): boolean {
  if (a.of.category !== b.of.category) return false;
  if (haveSameKeys(a.of, b.of)) return true;
  if (!isSameSituation(a, b) || !mayAgree(a, b)) return false;
  return setsEqual(a.values, b.values) && wordShare(a, b) >= SAME && (contains(a, b) || contains(b, a));
}

/** Whether the general lesson says everything that the case says, about the same failure or situation. */
export function covers(general: Statement, one: Statement): boolean {
  if (general.of.category !== one.of.category || !isSameSituation(general, one) || !mayAgree(general, one))
    return false;
  const share = wordShare(general, one);
  return share >= RELATED && contains(general, one) && isSubset(one.values, general.values);
}

/** Both cannot hold for the same failure or situation: one says do, the other do not. Symmetric. */
export function excludeEachOther(a: Statement, b: Statement): boolean {
  if (a.of.category !== b.of.category || !isSameSituation(a, b)) return false;
  // Without a remedy, a lesson says what did not help, which a later remedy ends where it is written.
  if (a.failure !== undefined && (a.of.remedyKey === null || b.of.remedyKey === null)) return false;
  if (haveSameKeys(a.of, b.of)) return false;
  if (choosesWhatIsRefused(a, b) || choosesWhatIsRefused(b, a)) return true;
  if (undoEachOther(a.action.exchanges, b.action.exchanges)) return true;
  // One word in common is no subject in common: "the argument" stands in many lessons.
  const isOneSubject = isAlike(a.rest, b.rest) || [...a.calls].some((call) => b.calls.has(call));
  if (isOneSubject && (rulesOut(a.rest, b.rest) || rulesOut(b.rest, a.rest))) return true;
  return isAlike(a.prose, b.prose) && contradicts(a.prose, b.prose);
}

const choosesWhatIsRefused = (a: Statement, b: Statement): boolean =>
  [...a.chosen].some((value) => b.refused.has(value) && !a.refused.has(value) && !b.chosen.has(value));

function haveSameKeys(a: MergeableLesson, b: MergeableLesson): boolean {
  return a.failureKey !== null && a.failureKey === b.failureKey && a.remedyKey === b.remedyKey;
}

function isSameSituation(a: Statement, b: Statement): boolean {
  if (a.failure !== undefined || b.failure !== undefined) return a.failure === b.failure;
  const [x, y] = [a.condition.words, b.condition.words];
  if (x.size === 0 || y.size === 0) return x.size === y.size;
  return jaccard(x, y) >= SAME_SITUATION && !contradicts(a.condition, b.condition);
}

/** A remedy and none do not agree, nor do a statement and its negation. */
function mayAgree(a: Statement, b: Statement): boolean {
  if ((a.of.remedyKey === null) !== (b.of.remedyKey === null)) return false;
  return a.action.negated.length === b.action.negated.length && !contradicts(a.action, b.action);
}

function contains(general: Statement, one: Statement): boolean {
  const [whole, part] = [general.action.words, one.action.words];
  return (part.size >= MIN_WORDS || part.size === whole.size) && isSubset(part, whole);
}

const wordShare = (a: Statement, b: Statement): number => jaccard(a.action.words, b.action.words);

const isSubset = (part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean =>
  [...part].every((one) => whole.has(one));

const setsEqual = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => a.size === b.size && isSubset(a, b);
