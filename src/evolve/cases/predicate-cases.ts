import { dangersOfCall } from '../../capture/actions/action.js';
import { shownCall } from '../../capture/actions/shown-call.js';
import { actionFingerprint } from '../../capture/observations/fingerprint.js';
import type { Trial } from '../../capture/observations/observation.js';
import type { UsedDanger } from '../../capture/observations/trial-dangers.js';
import { compilePredicate } from '../../evidence/predicate/compiled-predicate.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import { appliesTo, triesOf } from '../../learning/lessons/claim.js';
import type { LearnedClaim } from '../../learning/patterns/pattern.schema.js';
import { presentableCall, presentableError } from '../dossiers/presentable-call.js';
import type { RecordedCall, RecordedExecution } from '../evidence/recorded-execution.js';
import type { Case } from './case.js';

/** A case with what only the evidence needs. */
export interface PredicateCase extends Case {
  /** The calls of the remedy that turned a protection off or changed a source. */
  readonly dangers: readonly UsedDanger[];
  readonly model?: string;
  /** The key of a private lesson about this remedy. */
  readonly remedyKey?: string;
  /** The place of the call that worked in its execution. */
  readonly at?: number;
}

export const CASE_WINDOW = 8;
const MOST_CASES = 4;
const MOST_BETWEEN = 3;

/** Returns the cases of an execution for a predicate: those in which the remedy worked first. */
export type CasesOf = (execution: RecordedExecution) => PredicateCase[];

/**
 * Prepares a predicate. A case is a failure that matches `when`, the calls that `follow` asks for, and the call that
 * worked within the window. `taught`: words that tell the call that worked from the failed one.
 */
export function predicateCases(predicate: Predicate, taught: readonly string[]): CasesOf {
  if (predicate.learned) return learnedCases(predicate.learned, taught);
  const { when, follow, attempt, covers, start, within = CASE_WINDOW } = compilePredicate(predicate);
  const isFailure = (call: RecordedCall): boolean =>
    call.ok === false && (when?.(call) ?? covers?.(call) ?? start?.action(call) ?? false);
  const step = follow ?? start?.prior ?? start?.form;
  const goal = attempt ?? (follow ? undefined : start?.prior ? start.action : undefined);
  return (execution) => {
    const found: PredicateCase[] = [];
    const { calls } = execution;
    for (const failed of calls) {
      if (found.length >= MOST_CASES) break;
      if (!isFailure(failed) || !step) continue;
      const later = calls.slice(failed.index + 1, failed.index + 1 + within);
      const worked = workedCall(failed, later, step, goal);
      const one = worked && caseOf(execution, failed, worked.call, worked.steps, taught);
      if (one?.worked) found.push(one);
    }
    if (found.length > 0) return found;
    const failed = calls.find(isFailure);
    const one = failed && caseOf(execution, failed, undefined, [], taught);
    return one ? [one] : [];
  };
}

/** The cases of what the learning core found. */
function learnedCases(claim: LearnedClaim, taught: readonly string[]): CasesOf {
  return (execution) => {
    const read = execution.calls.map((call) => call.read);
    const failures = execution.calls.filter((call) => appliesTo(claim, call.read));
    const cases = failures.map((failed) => {
      const { taught: taken } = triesOf(claim, read, failed.read);
      const call = taken?.worked === true ? execution.calls[taken.call.at] : undefined;
      const step = taken?.steps.get(claim.key)?.at;
      const steps = call === undefined || step === undefined || step === call.index ? [] : [step];
      return caseOf(execution, failed, call, steps, taught);
    });
    const worked = cases.flatMap((one) => (one?.worked ? one : [])).slice(0, MOST_CASES);
    return worked.length > 0 ? worked : cases.flatMap((one) => one ?? []).slice(0, 1);
  };
}

type Test = (call: RecordedCall, failed?: RecordedCall) => boolean;

/** The first call that did what the lesson says and worked, with the steps that it asks for. */
function workedCall(
  failed: RecordedCall,
  later: readonly RecordedCall[],
  step: Test,
  goal: Test | undefined,
): { readonly call: RecordedCall; readonly steps: readonly number[] } | undefined {
  if (!goal) {
    const call = later.find((one) => step(one, failed));
    return call?.ok === true ? { call, steps: [] } : undefined;
  }
  const first = later.find((one) => one.ok === true && step(one, failed));
  const then = first && later.find((one) => one.index > first.index && goal(one, failed));
  return first && then?.ok === true ? { call: then, steps: [first.index] } : undefined;
}

function caseOf(
  { id, agentId, owner, origin, environment, projectKind, source, calls }: RecordedExecution,
  failedCall: RecordedCall,
  workedCall: RecordedCall | undefined,
  steps: readonly number[],
  taught: readonly string[],
): PredicateCase | undefined {
  const { toolCalls, model } = source.report;
  const presented = (at: number) => {
    const call = toolCalls[at];
    return call && presentableCall(shownCall(call));
  };
  const failed = presented(failedCall.index);
  if (!failed) return undefined;
  const worked = workedCall && presented(workedCall.index);
  const trial = workedCall && trialOf(source.observed.episodes, failedCall.index, workedCall.index);
  // Private lessons are about episodes of a class.
  const ofClass = source.observed.episodes.filter(({ granularity }) => granularity === 'class');
  const lesson = workedCall && trialOf(ofClass, failedCall.index, workedCall.index);
  const prepared = trial && workedCall ? preparedBy(trial, calls, failedCall.index, workedCall.index) : [];
  // with the step that the lesson asks for, the other steps that prepared the call that worked
  const via = steps.every((step) => prepared.includes(step)) ? prepared : steps;
  const changed = [...(trial?.change?.flatMap(({ to }) => to ?? []) ?? []), ...taught];
  return {
    executionId: id,
    agentId,
    owner,
    origin,
    environment,
    failed,
    ...(projectKind ? { projectKind } : {}),
    ...(model === undefined ? {} : { model }),
    error: presentableError(failedCall.error),
    between: via.slice(-MOST_BETWEEN).flatMap((at) => (toolCalls[at]?.ok ? (presented(at) ?? []) : [])),
    ...(worked && workedCall ? { worked, at: workedCall.index } : {}),
    ...(lesson ? { remedyKey: actionFingerprint(lesson.how, lesson.fine) } : {}),
    changed: [...new Set(changed)],
    dangers: workedCall ? (trial?.dangers ?? dangersAt(source.report.toolCalls, [...via, workedCall.index])) : [],
  };
}

function trialOf(
  episodes: RecordedExecution['source']['observed']['episodes'],
  from: number,
  at: number,
): Trial | undefined {
  const found = episodes.flatMap(({ trials }) => trials.filter((trial) => trial.from === from && trial.at === at));
  return found.find(({ via, after }) => via !== undefined || after !== undefined) ?? found[0];
}

/** The places of the steps that prepared a trial; of the same call again they are observed by their names. */
function preparedBy(
  { via, after }: Trial,
  calls: readonly RecordedCall[],
  from: number,
  at: number,
): readonly number[] {
  if (via || after === undefined) return via ?? [];
  const names = after.split(' > ');
  return calls
    .filter(
      ({ index, ok, actions }) => index > from && index < at && ok === true && names.some((name) => actions.has(name)),
    )
    .map(({ index }) => index);
}

const LONGEST_DANGER = 400;

function dangersAt(calls: RecordedExecution['source']['report']['toolCalls'], at: readonly number[]): UsedDanger[] {
  return at.flatMap((index) => {
    const call = calls[index];
    if (!call) return [];
    return dangersOfCall(call.name, call.action).map((danger) => ({
      ...danger,
      call: call.action.slice(0, LONGEST_DANGER),
    }));
  });
}
