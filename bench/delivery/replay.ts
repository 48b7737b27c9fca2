import { type CallTest, compileMatchers } from '../../src/evidence/predicate/compiled-predicate.js';
import type { Predicate } from '../../src/evidence/predicate/predicate.schema.js';
import { type RecordedCall, recordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import { AdviceIndex } from '../../src/hooks/advice/advice-index.js';
import type { Advisable } from '../../src/hooks/advice/advisable.js';
import type { Place } from '../../src/hooks/advice/place.js';
import type { ObservedExecution } from '../fidelity/product-lessons.js';
import { failuresInReport } from '../transfer/coverage.js';

/** Calls after an advised failure in which the run may take the advised action. */
export const REACH = 5;

/** A failure at which the product would have advised a run that never saw the advice. */
export interface AdvisedFailure {
  readonly execution: string;
  readonly at: number;
  readonly advisable: Advisable;
  /** The template of the family that it belongs to. */
  readonly fingerprint: string;
  /** Whether the first call within reach that did what the advice says worked; undefined if there was none. */
  readonly followed: boolean | undefined;
  /** The same of the first call that tried the same action in another way, if the run did not do what it says. */
  readonly otherwise: boolean | undefined;
  /** Calls between the failure and the first call that did it and worked, beyond reach as well; undefined without one. */
  readonly callsBetween: number | undefined;
}

/** What a replay of executions gives. */
export interface Replayed {
  readonly failures: number;
  readonly recoverable: number;
  /** Recoverable failures that got advice, and those with an earlier one of the same shape that did. */
  readonly advisedRecoverable: number;
  readonly toldBefore: number;
  readonly advised: readonly AdvisedFailure[];
}

/**
 * Replays executions call by call: at each failed call asks for advice as the server does, once for each lesson and error
 * shape of a session. Nothing of a later call is known to the advice.
 */
export function replay(executions: readonly ObservedExecution[], advisables: readonly Advisable[]): Replayed {
  const index = new AdviceIndex(advisables);
  const claims = new Map(advisables.map((one) => [one.id, claimOf(one.predicate)]));
  const advised: AdvisedFailure[] = [];
  let [failures, recoverable, advisedRecoverable, toldBefore] = [0, 0, 0, 0];
  for (const execution of executions) {
    const { calls } = recordedExecution({ observed: execution.observed, report: execution.report });
    const outcomes = new Map(failuresInReport(execution).map((one) => [one.at, one]));
    failures += outcomes.size;
    const told = new Set<string>();
    const place = placeOf(execution);
    for (const [position, call] of calls.entries()) {
      const isRecoverable = outcomes.get(call.index)?.by !== undefined;
      recoverable += Number(isRecoverable);
      const [advisable] = call.failure ? index.matching(call, place) : [];
      if (!advisable || !call.failure) continue;
      const shape = `${advisable.id} ${call.goal} ${call.failure.template}`;
      toldBefore += Number(isRecoverable && told.has(shape));
      if (told.has(shape)) continue;
      told.add(shape);
      advisedRecoverable += Number(isRecoverable);
      const claim = claims.get(advisable.id);
      advised.push({
        ...{ execution: execution.execution.id, at: call.index, advisable, fingerprint: call.failure.fingerprint },
        ...outcomeOf(calls, position, claim ?? UNKNOWN),
      });
    }
  }
  return { failures, recoverable, advisedRecoverable, toldBefore, advised };
}

interface Claim {
  readonly follows: CallTest;
  /** The call whose result counts, if it is not the one that follows: a step before it is what is taught. */
  readonly attempts: CallTest | undefined;
  readonly failsAgain: CallTest;
  readonly other: CallTest;
}

const never: CallTest = () => false;
const UNKNOWN = { follows: never, attempts: undefined, failsAgain: never, other: never } as const satisfies Claim;

/** What a lesson claims, as its check counts it. */
function claimOf({ when, covers, follow, attempt, against, start }: Predicate): Claim {
  const [taught, failed] = [follow ?? start?.form, when ?? covers];
  const failsAgain = failed && compileMatchers(failed);
  return {
    follows: taught ? compileMatchers(taught) : never,
    attempts: attempt && compileMatchers(attempt),
    failsAgain: (call) => call.ok === false && (failsAgain?.(call) ?? false),
    other: compileMatchers(attempt ?? against ?? { sameAction: true }),
  };
}

/** The result of the first try that did what the lesson says, and of the first one before it that did not. */
function outcomeOf(
  calls: readonly RecordedCall[],
  failedAt: number,
  claim: Claim,
): Pick<AdvisedFailure, 'followed' | 'otherwise' | 'callsBetween'> {
  const found: { followed?: boolean; otherwise?: boolean; callsBetween?: number } = {};
  const failed = calls[failedAt];
  let isPrepared = false;
  for (const [distance, call] of calls.slice(failedAt + 1).entries()) {
    if (!failed) break;
    const isFollowing = claim.follows(call, failed);
    if (claim.attempts && isFollowing && !isPrepared) {
      isPrepared = true;
      continue;
    }
    if (call.ok === undefined) continue;
    const worked = call.ok && !claim.failsAgain(call);
    const counts = claim.attempts ? isPrepared && claim.attempts(call, failed) : isFollowing;
    if (counts && distance < REACH) found.followed ??= worked;
    else if (distance < REACH && claim.other(call, failed)) found.otherwise ??= worked;
    if (counts && worked) {
      found.callsBetween = distance;
      break;
    }
  }
  const { followed, otherwise, callsBetween } = found;
  return { followed, otherwise: followed === undefined ? otherwise : undefined, callsBetween };
}

function placeOf({ report, observed }: ObservedExecution): Place {
  const { environment = {} } = report;
  const projects = [environment.repository, environment.project, observed.projectName];
  return { harness: environment.harness, projects: projects.filter((one) => one !== undefined) };
}
