import { DEFAULT_WITHIN } from '../../evidence/predicate/compiled-predicate.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import type { Call } from '../../learning/calls/call.js';
import { appliesTo, firstCallsOf, leavesOut, triesOf } from '../../learning/lessons/claim.js';
import type { LearnedClaim } from '../../learning/patterns/pattern.schema.js';
import { firstCalls } from './first-calls.js';
import { type MatchedCalls, SplitMatchers } from './matched-calls.js';
import type { RecordedCall, RecordedExecution } from './recorded-execution.js';
import { type Arms, type ArmsOfExecution, type OutcomeOrder, sides, type Tried } from './tried.js';

/**
 * Returns the comparisons of a predicate: `after`, `start`, `form`, `execution`, those that it has. Per execution only the
 * first try on each side counts, so that one execution that repeats a call does not outweigh others. The failures of
 * `executions` say which actions a lesson about an earlier step is for.
 */
export function armsOf(predicate: Predicate, executions: readonly RecordedExecution[]): Arms[] {
  if (predicate.learned) return learnedArms(predicate.learned);
  return [afterArms(predicate), ...firstCalls(predicate, executions), executionArms(predicate)].filter(
    (one) => one !== undefined,
  );
}

/** After the first failure: the first try that follows, and the first before it that does not. */
function afterArms({ when, follow, attempt, against, within }: Predicate): Arms | undefined {
  if (!when || !follow) return undefined;
  const failed = new SplitMatchers(when);
  const follows = new SplitMatchers(follow);
  const tries = attempt && new SplitMatchers(attempt);
  const other = new SplitMatchers(against ?? { sameAction: true });
  return {
    kind: 'after',
    over({ calls }) {
      const failures = failed.over(calls);
      const places = calls.map((_, at) => at).filter((at) => failures.couldMatch(at));
      if (!calls.some(({ ok }, at) => ok === false && failures.couldBe(at)) || places.length === 0) return undefined;
      const known = calls.map(({ ok }) => ok);
      const window: Window = {
        known,
        failures,
        follows: follows.over(calls),
        tries: tries?.over(calls),
        other: other.over(calls),
        within: within ?? DEFAULT_WITHIN,
      };
      return (outcomes) => {
        const at = places.find((place) => {
          const outcome = outcomes[place] ?? place;
          return known[outcome] === false && failures.matches(place, outcome);
        });
        return at === undefined ? {} : triedAfter(window, at, outcomes);
      };
    },
  };
}

interface Window {
  readonly known: readonly (boolean | undefined)[];
  readonly failures: MatchedCalls;
  readonly follows: MatchedCalls;
  readonly tries: MatchedCalls | undefined;
  readonly other: MatchedCalls;
  readonly within: number;
}

function triedAfter(
  { known, failures, follows, tries, other, within }: Window,
  failed: number,
  outcomes: OutcomeOrder,
): Tried {
  const failure = outcomes[failed] ?? failed;
  const end = Math.min(known.length, failed + 1 + within);
  let without: boolean | undefined;
  let isPrepared = false;
  for (let at = failed + 1; at < end; at++) {
    const outcome = outcomes[at] ?? at;
    const isFollowing = follows.matches(at, outcome, failed, failure);
    if (tries && isFollowing && !isPrepared) {
      isPrepared = true;
      continue;
    }
    const ok = known[outcome];
    if (ok === undefined) continue;
    // a try that shows the failure again did not work, whatever else it did
    const worked = ok && !failures.matches(at, outcome);
    if (tries ? isPrepared && tries.matches(at, outcome, failed, failure) : isFollowing) return sides(worked, without);
    if (without === undefined && (tries ?? other).matches(at, outcome, failed, failure)) without = worked;
  }
  return sides(undefined, without);
}

/** Whole executions that did it, and those that did not, by their judged outcome. */
function executionArms({ execution: claim }: Predicate): Arms | undefined {
  if (!claim) return undefined;
  const { where, first, before, after, did } = claim;
  const place = (matchers: Predicate['when'], calls: RecordedExecution['calls'], from = 0): number => {
    const matches = matchers && new SplitMatchers(matchers).over(calls);
    return matches ? calls.findIndex((_, at) => at >= from && matches.matches(at, at)) : -1;
  };
  return {
    kind: 'execution',
    over({ calls, succeeded }) {
      if (succeeded === undefined || (where && place(where, calls) < 0)) return undefined;
      const start = first && before ? place(before, calls) : after ? place(after, calls) : 0;
      if (start < 0) return undefined;
      const done = first && before ? place(first, calls) : place(did, calls, after ? start + 1 : 0);
      const isDone = first && before ? done >= 0 && done < start : done >= 0;
      return () => (isDone ? { with: succeeded } : { without: succeeded });
    },
  };
}

/**
 * The comparisons of what the learning core found. `after`: after the first failure that it is about, the first try that
 * follows and the first before it that follows nothing. `form`: the first calls in either form.
 */
function learnedArms(claim: LearnedClaim): Arms[] {
  // A line that ended well has got past what stood in front of it, also with a pipe behind it.
  const resultOf = leavesOut(claim) ? ({ read }: RecordedCall) => read.ended : ({ ok }: RecordedCall) => ok;
  const after: Arms = {
    kind: 'after',
    over({ calls }) {
      const read = calls.map((call) => call.read);
      const failed = read.find((call) => appliesTo(claim, call));
      if (failed === undefined) return undefined;
      const { taught, other } = triesOf(claim, read, failed);
      return tried(calls, taught?.call, other, resultOf);
    },
  };
  const firstCalls = firstCallsOf(claim);
  if (firstCalls === undefined) return [after];
  const form: Arms = {
    kind: 'form',
    over({ calls }) {
      const { taught, other } = firstCalls(calls.map((call) => call.read));
      return tried(calls, taught, other, resultOf);
    },
  };
  return [after, form];
}

/** The places of the two calls do not depend on the outcomes, which may be those of others. */
function tried(
  calls: readonly RecordedCall[],
  taught: Call | undefined,
  other: Call | undefined,
  resultOf: (call: RecordedCall) => boolean | undefined,
): ArmsOfExecution | undefined {
  if (taught === undefined && other === undefined) return undefined;
  return (outcomes) => {
    const worked = (call: Call | undefined): boolean | undefined => {
      const outcome = call && calls[outcomes[call.at] ?? call.at];
      return outcome && resultOf(outcome);
    };
    return sides(worked(taught), worked(other));
  };
}
