import { asksForSame, saysWordsOf } from '../../learning/lessons/claim.js';
import { isAny, matchesOf, variablesOf } from '../../learning/patterns/matching.js';
import type { Condition, Item, LearnedClaim, Pattern } from '../../learning/patterns/pattern.schema.js';

/** How the failures of one lesson relate to those of another: `covers`: the first is about all of the second. */
export type ClaimRelation = 'same' | 'covers' | 'covered' | 'overlaps' | 'apart';

/** Errors of one problem share this part of the words that all errors of either lesson had. */
const SHARED_WORDS = 0.5;

/** Compares when two lessons apply, by their patterns alone. */
export function relationOf(a: LearnedClaim, b: LearnedClaim): ClaimRelation {
  const [forth, back] = [coversClaim(a, b), coversClaim(b, a)];
  if (forth || back) return forth && back ? 'same' : forth ? 'covers' : 'covered';
  return a.conditions.some((one) => b.conditions.some((other) => overlap(one, other))) ? 'overlaps' : 'apart';
}

/**
 * Whether two lessons advise the same: what one asks for, the other asks for as well, or one advises after the failures of
 * the other what that does.
 */
export function isSameRemedy(a: LearnedClaim, b: LearnedClaim): boolean {
  const givesSame = (general: LearnedClaim, special: LearnedClaim): boolean =>
    special.conditions.every((one) => general.conditions.some((other) => coversPatterns(wholeOf(other), wholeOf(one))));
  return asksForSame(a.follow, b.follow) || givesSame(a, b) || givesSame(b, a);
}

const coversClaim = (general: LearnedClaim, special: LearnedClaim): boolean =>
  special.conditions.every((one) => general.conditions.some((other) => coversCondition(other, one)));

function coversCondition(general: Condition, special: Condition): boolean {
  const isSaid = saysWordsOf(general, new Set(special.said));
  return general.tool === special.tool && isSaid && coversPatterns(partsOf(general), partsOf(special));
}

function overlap(a: Condition, b: Condition): boolean {
  const shared = a.said.filter((word) => b.said.includes(word)).length;
  const isSaid = shared >= SHARED_WORDS * Math.min(a.said.length, b.said.length);
  return a.tool === b.tool && isSaid && patternsOverlap(partsOf(a), partsOf(b));
}

const wholeOf = ({ call, error, step = [], remedy, closed }: Condition): Patterns => ({
  patterns: [call, error, step, remedy],
  closed,
});

const partsOf = ({ call, error, closed }: Condition): Patterns => ({ patterns: [call, error], closed });

/** Patterns of several texts, and the only values of some of their variables. */
interface Patterns {
  readonly patterns: readonly Pattern[];
  readonly closed: Readonly<Record<string, readonly string[]>>;
}

/** Values of closed variables that are tried together. */
const MOST_INSTANCES = 60;

/** Whether everything that the special patterns match is matched by the general ones. May miss it, never invents it. */
export function coversPatterns(general: Patterns, special: Patterns): boolean {
  // More tokens than the general patterns have items: only a variable for many takes them.
  const many = general.patterns.flat().length + 1;
  const texts = [0, many].flatMap((length) => instancesOf(special, length));
  return texts.every((text) => matchesOf(general.patterns, text, general.closed) !== undefined);
}

/**
 * Patterns as texts: once with each value of a closed variable; an open one is one token, or `many` of them
 * where it may stand for any number.
 */
function instancesOf({ patterns, closed }: Patterns, many: number): (readonly (readonly string[])[])[] {
  const names = [...new Set(patterns.flatMap(variablesOf))].filter((name) => closed[name] !== undefined);
  let choices: Readonly<Record<string, string>>[] = [{}];
  for (const name of names)
    choices = choices
      .flatMap((one) => (closed[name] ?? []).map((value) => ({ ...one, [name]: value })))
      .slice(0, MOST_INSTANCES);
  return choices.map((chosen) => patterns.map((pattern) => pattern.flatMap((item) => textOf(item, chosen, many))));
}

function textOf(item: Item, chosen: Readonly<Record<string, string>>, many: number): string[] {
  if (typeof item === 'string') return [item];
  const value = (name: string): string => chosen[name] ?? `<${name}>`;
  if ('any' in item) return Array.from({ length: many }, (_, at) => `${value(item.any)}${at}`);
  return ['one' in item ? value(item.one) : `${item.before}${value(item.part)}${item.after}`];
}

/** Whether one text may match both. Variables are looked at one by one, so that it may say so of two that exclude each other. */
export function patternsOverlap(a: Patterns, b: Patterns): boolean {
  const isSame = (one: Item, other: Item): boolean => admitsSame(one, other, a.closed, b.closed);
  return a.patterns.every((pattern, at) => patternsMeet(pattern, b.patterns[at] ?? [], isSame));
}

function patternsMeet(a: Pattern, b: Pattern, isSame: (one: Item, other: Item) => boolean): boolean {
  // rest[j]: one text may match what is left of `a` and the items of `b` from j on
  let rest: boolean[] = [];
  for (let i = a.length; i >= 0; i -= 1) {
    const own = a[i];
    const next: boolean[] = [];
    for (let j = b.length; j >= 0; j -= 1) {
      const other = b[j];
      if (own === undefined && other === undefined) next[j] = true;
      else if ((own !== undefined && isAny(own)) || (other !== undefined && isAny(other)))
        next[j] = rest[j] === true || next[j + 1] === true;
      else if (own === undefined || other === undefined) next[j] = false;
      else next[j] = rest[j + 1] === true && isSame(own, other);
    }
    rest = next;
  }
  return rest[0] === true;
}

function admitsSame(a: Item, b: Item, closedA: Patterns['closed'], closedB: Patterns['closed']): boolean {
  const [own, other] = [tokensOf(a, closedA), tokensOf(b, closedB)];
  if (own !== undefined) return own.some((one) => other?.includes(one) ?? isOf(one, b));
  if (other !== undefined) return other.some((one) => isOf(one, a));
  const [x, y] = [endsOf(a), endsOf(b)];
  const isStart = x.before.startsWith(y.before) || y.before.startsWith(x.before);
  return isStart && (x.after.endsWith(y.after) || y.after.endsWith(x.after));
}

/** The tokens that an item may be; undefined if any. */
function tokensOf(item: Item, closed: Patterns['closed']): string[] | undefined {
  if (typeof item === 'string') return [item];
  if ('one' in item) return closed[item.one]?.slice();
  return 'part' in item ? closed[item.part]?.map((value) => `${item.before}${value}${item.after}`) : undefined;
}

const isOf = (token: string, item: Item): boolean => matchesOf([[item]], [[token]]) !== undefined;

const endsOf = (item: Item): { before: string; after: string } =>
  typeof item === 'object' && 'part' in item ? item : { before: '', after: '' };
