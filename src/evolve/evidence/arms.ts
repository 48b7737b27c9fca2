import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import type { Call } from '../../learning/calls/call.js';
import { appliesTo, firstCallsOf, leavesOut, triesOf } from '../../learning/lessons/claim.js';
import type { LearnedClaim } from '../../learning/patterns/pattern.schema.js';
import type { Arms, ArmsOfExecution } from './comparison.js';
import { type RecordedCall, readsOf } from './recorded-execution.js';

/**
 * Returns the comparisons of what the evolver finds. Per execution only the first try on each side counts, so that one
 * execution that repeats a call does not outweigh others.
 */
export const armsOf = ({ learned }: Predicate): Arms[] => (learned ? learnedArms(learned) : []);

/**
 * The comparisons of what the learning core found. `after`: after the first failure that it is about, the first try that
 * follows and the first before it that follows nothing. `form`: the first calls in either form.
 */
function learnedArms(claim: LearnedClaim): Arms[] {
  // A line that ended well has got past what stood in front of it, also with a pipe behind it.
  const isEnded = leavesOut(claim);
  const after: Arms = {
    kind: 'after',
    over({ calls }) {
      const read = readsOf(calls);
      const failed = read.find((call) => appliesTo(claim, call));
      if (failed === undefined) return undefined;
      const { taught, other } = triesOf(claim, read, failed);
      return armsOfCalls(calls, taught?.call, other, isEnded);
    },
  };
  const firstCalls = firstCallsOf(claim);
  if (firstCalls === undefined) return [after];
  const form: Arms = {
    kind: 'form',
    over({ calls }) {
      const { taught, other } = firstCalls(readsOf(calls));
      return armsOfCalls(calls, taught, other, isEnded);
    },
  };
  return [after, form];
}

function armsOfCalls(
  calls: readonly RecordedCall[],
  taught: Call | undefined,
  other: Call | undefined,
  isEnded: boolean,
): ArmsOfExecution | undefined {
  if (taught === undefined && other === undefined) return undefined;
  const known = calls.map(({ ok }) => ok);
  return {
    with: taught?.at,
    without: other?.at,
    known,
    results: isEnded ? calls.map(({ read }) => read.ended) : known,
  };
}
