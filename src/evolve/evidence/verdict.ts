import type { Arm, Check, Comparison } from '../../evidence/predicate/check.schema.js';
import { wilson } from '../statistics/wilson.js';
import type { Figures } from './comparison.js';

/** Tries that a comparison needs on either side to decide anything. */
export const MIN_TRIES = { with: 5, without: 3 } as const;

/** The highest p at which the tries of all executions speak against chance. */
const MAX_P = 0.05;

/**
 * The highest p of the tests within executions. They alone keep chance out: executions that take an action may be those
 * that work better anyway. A cycle checks dozens of candidates, of which at most 0.05 may be confirmed by chance.
 */
export const MAX_P_WITHIN = 0.002;

/** A difference whose interval ends below this is too small to teach, if both sides have this many tries. */
const SMALL_DIFFERENCE = 0.1;
const MANY = 15;

/**
 * Executions in which the action was taken and worked, and their least share, for an observed lesson. With two such
 * executions chance alone proposes several lessons a cycle where most calls work.
 */
const MIN_SEEN = 3;
const MIN_SEEN_SHARE = 0.5;

/** The share of failures matching a lesson that belong to its family, below which it claims too much. */
const MIN_SCOPE = 0.5;

/** True if everything holds but the comparison within executions: enough tries, better overall and within agents. */
export function looksBetter(figures: Figures): boolean {
  const { difference, p, withinAgents } = figures;
  return (
    hasEnoughTries(figures) &&
    difference !== null &&
    difference.low > 0 &&
    p !== null &&
    p <= MAX_P &&
    withinAgents !== null &&
    withinAgents.difference > 0
  );
}

/** True if executions with a try on both sides say that the one that follows works more often. */
export const pairsHold = ({ pairs }: Figures): boolean =>
  pairs !== null && pairs.better > pairs.worse && pairs.p <= MAX_P_WITHIN;

/** True if few shuffles look as good. */
export const permutationHolds = (p: number): boolean => p <= MAX_P_WITHIN;

/** True if what is taught is worse, or so little better that it is no lesson. */
export function isRefuted(figures: Figures): boolean {
  const { difference } = figures;
  if (difference === null || !hasEnoughTries(figures)) return false;
  const isMany = figures.with.n >= MANY && figures.without.n >= MANY;
  return difference.high < 0 || (isMany && difference.high < SMALL_DIFFERENCE);
}

export const hasEnoughTries = (arms: Pick<Figures, 'with' | 'without'>): boolean =>
  arms.with.n >= MIN_TRIES.with && arms.without.n >= MIN_TRIES.without;

/**
 * Returns the verdict of a check, and the comparison that decides. The first comparison that the predicate names speaks
 * for the lesson; another one confirms it only if the first is undecided. None of them may speak against it.
 */
export function verdictOf(comparisons: readonly Comparison[], seen: Check['seen']): Pick<Check, 'verdict' | 'by'> {
  const main = comparisons.find(({ kind }) => kind !== 'form') ?? comparisons[0];
  if (main?.verdict === 'refuted') return { verdict: 'refuted', by: main.kind };
  const confirming = comparisons.find(
    ({ kind, verdict }) => verdict === 'confirmed' && !(kind === 'form' && isNoBetter(seen)),
  );
  if (confirming && !comparisons.some(({ difference }) => difference !== null && difference.high < 0))
    return { verdict: 'confirmed', by: confirming.kind };
  return { verdict: isObserved(seen) ? 'observed' : 'undecided', by: main?.kind ?? null };
}

/** Without a comparison that decides: it works mostly, and surely more often than what was done without it. */
export function isObserved({ with: followed, without }: Check['seen']): boolean {
  return (
    followed.worked >= MIN_SEEN &&
    shareOf(followed) >= MIN_SEEN_SHARE &&
    wilson(followed.worked, followed.n).lower > shareOf(without)
  );
}

/** What was done otherwise after the failure worked as often: how the calls go at other times says nothing about that. */
const isNoBetter = ({ with: followed, without }: Check['seen']): boolean =>
  without.n >= MIN_TRIES.without && shareOf(without) >= shareOf(followed) - SMALL_DIFFERENCE;

const shareOf = ({ worked, n }: Arm): number => (n === 0 ? 0 : worked / n);

/** True if the lesson is about the failures of its family. One without a failure in the sample claims none of others. */
export const isInScope = ({ scope }: Pick<Check, 'scope'>): boolean => scope === null || scope.share >= MIN_SCOPE;
