import { type CallTest, compileMatchers } from '../evidence/predicate/compiled-predicate.js';
import type { Predicate } from '../evidence/predicate/predicate.schema.js';
import { failureShape, type RecordedCall, readsOf } from '../evolve/evidence/recorded-execution.js';
import { follows } from '../learning/lessons/claim.js';
import type { LearnedClaim } from '../learning/patterns/pattern.schema.js';
import { triesAfter } from '../learning/recoveries/case.js';

/** Calls after a failure within which it counts as overcome, and its advice as followed. */
export const REACH = 5;

/** What a session did after a failure. */
export interface DeliveryOutcome {
  /**
   * Whether the first call within reach that did what the lesson says worked; undefined if none did it, or its result is
   * not known.
   */
  readonly followed: boolean | undefined;
  /** The same of the first call before it that tried the action in another way. */
  readonly otherwise: boolean | undefined;
  /** The same action, or what the lesson says, worked within reach. */
  readonly overcome: boolean;
  /** Calls from the failure to the first that worked, itself included; undefined if none did. */
  readonly calls: number | undefined;
  /** How often the failure came again later in the session. */
  readonly again: number;
}

interface Claim {
  readonly follows: CallTest;
  /** The call whose result counts, if it is not the one that follows: a step before it is what is taught. */
  readonly attempts: CallTest | undefined;
  readonly failsAgain: CallTest;
  readonly other: CallTest;
}

const never: CallTest = () => false;

/** What a lesson claims, as its check counts it. Without a predicate only the action itself is looked at. */
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

/** Prepares a predicate. The returned function judges the calls of a session after the failed call at `failedAt`. Pure. */
export function outcomeTest(
  predicate: Predicate,
): (calls: readonly RecordedCall[], failedAt: number) => DeliveryOutcome {
  if (predicate.learned) return learnedOutcome(predicate.learned);
  const claim = claimOf(predicate);
  return (calls, failedAt) => {
    const failed = calls[failedAt];
    const later = calls.slice(failedAt + 1);
    if (!failed) return NOTHING;
    const { followed, otherwise } = firstTries(claim, failed, later);
    const shape = failureShape(failed);
    const worked = later.findIndex(
      (call) =>
        call.ok === true && (call.goal === failed.goal || claim.follows(call, failed)) && !isStep(claim, call, failed),
    );
    return {
      followed,
      otherwise,
      overcome: worked >= 0 && worked < REACH,
      calls: worked < 0 ? undefined : worked + 1,
      again: later.filter((call) => failureShape(call) === shape).length,
    };
  };
}

const NOTHING: DeliveryOutcome = {
  followed: undefined,
  otherwise: undefined,
  overcome: false,
  calls: undefined,
  again: 0,
};

/** The tries after a failure are those that the lesson was learned from. */
function learnedOutcome({ follow }: LearnedClaim): ReturnType<typeof outcomeTest> {
  return (calls, failedAt) => {
    const failed = calls[failedAt];
    if (!failed) return NOTHING;
    const tries = triesAfter(readsOf(calls), failed.read);
    const within = tries.filter(({ call, worked }) => worked !== undefined && call.at - failedAt <= REACH);
    const taught = within.find((one) => follows(follow, one));
    const other = within.find((one) => one !== taught && (!taught || one.call.at < taught.call.at));
    const first = tries.find(({ worked }) => worked === true);
    const shape = failureShape(failed);
    return {
      followed: taught?.worked,
      otherwise: other?.worked,
      overcome: first !== undefined && first.call.at - failedAt <= REACH,
      calls: first && first.call.at - failedAt,
      again: calls.slice(failedAt + 1).filter((call) => failureShape(call) === shape).length,
    };
  };
}

/** A step that only prepares the action has not overcome the failure. */
const isStep = ({ attempts, follows }: Claim, call: RecordedCall, failed: RecordedCall): boolean =>
  attempts !== undefined && follows(call, failed) && !attempts(call, failed);

/** The results of the first try within reach that did what the lesson says, and of the first before it that did not. */
function firstTries(
  { follows, attempts, failsAgain, other }: Claim,
  failed: RecordedCall,
  later: readonly RecordedCall[],
): Pick<DeliveryOutcome, 'followed' | 'otherwise'> {
  let isPrepared = false;
  let otherwise: boolean | undefined;
  for (const call of later.slice(0, REACH)) {
    const isFollowing = follows(call, failed);
    if (attempts && isFollowing && !isPrepared) {
      isPrepared = true;
      continue;
    }
    if (call.ok === undefined) continue;
    const worked = call.ok && !failsAgain(call);
    if (attempts ? isPrepared && attempts(call, failed) : isFollowing) return { followed: worked, otherwise };
    if (other(call, failed)) otherwise ??= worked;
  }
  return { followed: undefined, otherwise };
}
