import type { Check } from '../../evidence/predicate/check.schema.js';
import { hasEnoughTries, isInScope } from '../evidence/verdict.js';

/** Why a candidate became no draft. */
export const DROP_REASONS = [
  'refuted',
  /** Too few executions tried it, or something else. */
  'too_few_tries',
  /** Enough tries, and no difference beyond chance. */
  'no_clear_difference',
  /** The error names it, and every execution did it at once. */
  'managed',
  /** It worked for too few agents or owners. */
  'too_few_agents',
  /** No observed call shows it, or it is trivial. */
  'no_words',
  /** Its condition matches mostly failures of other families. */
  'scope',
  /** Grounding or lint refused it. */
  'gate',
  /** Another candidate of the cycle teaches the same. */
  'merged',
  /** Of earlier versions, in which a model wrote lessons beside the rules. */
  'other_writer',
] as const;
export type DropReason = (typeof DROP_REASONS)[number];

/** Whether the check lets a candidate teach. */
export const mayTeach = ({ verdict }: Check): boolean => verdict === 'confirmed' || verdict === 'observed';

/**
 * Returns why a checked candidate becomes no draft; null if it may become one. `findings`: of the gates. A refutation
 * comes first, because it says most about the lesson.
 */
export function dropReasonOf(check: Check, findings: readonly string[]): DropReason | null {
  if (check.verdict === 'refuted') return 'refuted';
  if (findings.length > 0) return 'gate';
  if (!isInScope(check)) return 'scope';
  if (mayTeach(check)) return null;
  return check.comparisons.some(hasEnoughTries) ? 'no_clear_difference' : 'too_few_tries';
}
