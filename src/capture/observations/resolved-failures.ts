import { type Case, casesOf } from '../../learning/recoveries/case.js';
import { type Outcome, outcomeOf } from '../../learning/recoveries/own-remedy.js';
import type { ToolCall } from '../report/execution-report.schema.js';
import { learningCalls } from './learning-calls.js';
import { parsedCalls } from './observation.js';
import { type FailedCall, failureKey, failureOf } from './trial.js';

/** A failed call with its case, and what became of it. */
export interface ResolvedFailure {
  readonly call: FailedCall;
  readonly of: Case;
  readonly outcome: Outcome;
}

/** The failures of an execution by their action and error class, in the order of the calls. */
export function resolvedFailures(
  toolCalls: readonly ToolCall[],
): ReadonlyMap<string, readonly [ResolvedFailure, ...ResolvedFailure[]]> {
  const parsed = parsedCalls({ toolCalls: [...toolCalls] });
  const byFailure = new Map<string, [ResolvedFailure, ...ResolvedFailure[]]>();
  for (const of of casesOf(learningCalls(toolCalls, parsed))) {
    const own = parsed[of.failed.at];
    const call = own && failureOf(own);
    if (call === undefined) continue;
    const one = { call, of, outcome: outcomeOf(of) };
    const known = byFailure.get(failureKey(call));
    if (known) known.push(one);
    else byFailure.set(failureKey(call), [one]);
  }
  return byFailure;
}
