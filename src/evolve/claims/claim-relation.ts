import { asksForSame, saysWordsOf } from '../../learning/lessons/claim.js';
import type { Condition, LearnedClaim } from '../../learning/patterns/pattern.schema.js';
import { coversPatterns, type Patterns, patternsOverlap } from './pattern-relation.js';

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
