import { dangersOfCall, sourcesChanged } from '../../capture/actions/action.js';
import { shownCall } from '../../capture/actions/shown-call.js';
import { remedyFingerprint } from '../../capture/observations/fingerprint.js';
import type { UsedDanger } from '../../capture/observations/trial.js';
import type { ToolCall } from '../../capture/report/execution-report.schema.js';
import { appliesTo, triesOf } from '../../learning/lessons/claim.js';
import type { LearnedClaim } from '../../learning/patterns/pattern.schema.js';
import { type Case as LearnedFailureCase, type Try, triesAfter } from '../../learning/recoveries/case.js';
import { isStep, refusedRemedy } from '../../learning/recoveries/refused-remedy.js';
import { presentableCall, presentableError } from '../dossiers/presentable-call.js';
import { type RecordedCall, type RecordedExecution, readsOf } from '../evidence/recorded-execution.js';
import { type Case, placeOf } from './case.js';

/** A case with what only the evidence needs. */
export interface ClaimCase extends Case {
  /** The calls of the remedy that turned a protection off or changed a source. */
  readonly dangers: readonly UsedDanger[];
  /** The key of a private lesson about this remedy. */
  readonly remedyKey?: string;
  /** The places of the failed call and of the call that worked in the execution. */
  readonly failedAt: number;
  readonly at?: number;
}

const MOST_CASES = 4;
const MOST_BETWEEN = 3;

/**
 * Prepares a claim of the learning core. The result returns the cases of an execution: those in which the remedy worked,
 * or one in which it did not. A case is a failure that the claim is about, and the call that did what it says and worked.
 * `taught`: words that tell the call that worked from the failed one.
 */
export function claimCases(claim: LearnedClaim, taught: readonly string[]) {
  return (execution: RecordedExecution): ClaimCase[] => {
    const read = readsOf(execution.calls);
    const failures = execution.calls.filter((call) => appliesTo(claim, call.read));
    const cases = failures.map((failed) => {
      const { taught: taken } = triesOf(claim, read, failed.read);
      const call = taken?.worked === true ? execution.calls[taken.call.at] : undefined;
      const step = taken?.steps.get(claim.key)?.at;
      const steps = call === undefined || step === undefined || step === call.index ? [] : [step];
      return knownCase(execution, failed, call, steps);
    });
    const worked = cases.flatMap((one) => (one?.worked ? one : [])).slice(0, MOST_CASES);
    const shown = worked.length > 0 ? worked : cases.flatMap((one) => one ?? []).slice(0, 1);
    return shown.map((one) => ({ ...one, changed: taught }));
  };
}

type UntaughtCase = Omit<ClaimCase, 'changed'>;

/** The candidates of a family say much the same of a failure: that of each half, and that of both. */
const known = new WeakMap<RecordedCall, Map<string, UntaughtCase>>();

/** The case of a failed call, remembered as long as that lives. */
function knownCase(
  execution: RecordedExecution,
  failed: RecordedCall,
  worked: RecordedCall | undefined,
  steps: readonly number[],
): UntaughtCase | undefined {
  const own = known.get(failed) ?? new Map<string, UntaughtCase>();
  known.set(failed, own);
  const key = `${worked?.index} ${steps}`;
  const found = own.get(key) ?? caseOf(execution, failed, worked, steps);
  if (found) own.set(key, found);
  return found;
}

function caseOf(
  execution: RecordedExecution,
  failedCall: RecordedCall,
  workedCall: RecordedCall | undefined,
  steps: readonly number[],
): UntaughtCase | undefined {
  const { toolCalls } = execution.source.report;
  const presented = (at: number) => {
    const call = toolCalls[at];
    return call && presentableCall(shownCall(call));
  };
  const failed = presented(failedCall.index);
  if (!failed) return undefined;
  const worked = workedCall && presented(workedCall.index);
  const shown = workedCall && shownBy(execution, failedCall, workedCall);
  const prepared = shown?.steps ?? [];
  // with the step that the lesson asks for, the other steps that prepared the call that worked
  const via = steps.every((step) => prepared.includes(step)) ? prepared : steps;
  return {
    ...placeOf(execution),
    failed,
    failedAt: failedCall.index,
    error: presentableError(failedCall.error),
    between: via.slice(-MOST_BETWEEN).flatMap((at) => (toolCalls[at]?.ok ? (presented(at) ?? []) : [])),
    ...(worked && workedCall ? { worked, at: workedCall.index } : {}),
    ...(shown?.key === undefined ? {} : { remedyKey: remedyFingerprint(shown.key) }),
    dangers: workedCall
      ? [
          ...dangersBetween(toolCalls, failedCall.index, workedCall.index),
          ...changedBetween(toolCalls, failedCall.index, [...via, workedCall.index]),
        ]
      : [],
  };
}

/** What the learning core sees in a call that worked: the places of the steps before it, and the key of its remedy. */
function shownBy(
  { calls, outcomes }: RecordedExecution,
  failed: RecordedCall,
  worked: RecordedCall,
): { readonly steps: readonly number[]; readonly key?: string | undefined } {
  const one = { failed: failed.read, tries: triesAfter(readsOf(calls), failed.read) };
  const own = one.tries.find(({ call }) => call.at === worked.index);
  const { kind, taken = [], key } = outcomes.get(failed.index) ?? {};
  const isOvercome = kind === 'overcome' && taken.at(-1) === worked.index;
  const together = own && [...own.features].every(isStep) ? stepsTogether(one, own) : undefined;
  const steps = together ?? (isOvercome ? taken.slice(0, -1) : []);
  return isOvercome ? { steps, key } : { steps };
}

/** Before the same call again, a few steps may have helped together; of more, nothing says which ones did. */
function stepsTogether(one: LearnedFailureCase, own: Try): number[] | undefined {
  const may = [...own.steps].filter(([step]) => refusedRemedy(step, [], [{ one, taken: own }]) === undefined);
  const places = [...new Set(may.map(([, { at }]) => at))].sort((a, b) => a - b);
  return places.length <= MOST_STEPS ? places : undefined;
}

const MOST_STEPS = 2;

const LONGEST_DANGER = 400;

/** The dangers of the call that worked and of the successful calls since the failure, which may prepare it. */
function dangersBetween(calls: readonly ToolCall[], from: number, at: number): UsedDanger[] {
  return calls.slice(from + 1, at + 1).flatMap((call) =>
    call.ok
      ? dangersOfCall(call.name, call.action).map((danger) => ({
          ...danger,
          call: call.action.slice(0, LONGEST_DANGER),
        }))
      : [],
  );
}

/** What the steps and the call that worked fetch under another name than the failed call. */
function changedBetween(calls: readonly ToolCall[], from: number, places: readonly number[]): UsedDanger[] {
  const failed = calls[from];
  const later = places.flatMap((at) => calls[at] ?? []);
  const call = later
    .map(({ action }) => action)
    .join('; ')
    .slice(0, LONGEST_DANGER);
  return failed ? sourcesChanged(failed, later).map((danger) => ({ ...danger, call })) : [];
}
