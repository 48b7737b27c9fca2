import { dangersOfCall } from '../../capture/actions/action.js';
import { shownCall } from '../../capture/actions/shown-call.js';
import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import { presentableCall } from '../dossiers/presentable-call.js';
import { runStepOf } from '../evidence/arms.js';
import type { RecordedCall, RecordedExecution } from '../evidence/recorded-execution.js';
import { type CasePlace, placeOf } from './case.js';

/** The calls of an execution that ended well and took a step before an action. */
export interface RunCase extends CasePlace {
  readonly step: ShownCall;
  readonly goal: ShownCall;
}

/** Returns the first step and the first action behind it; empty if the execution did not end well, or shows no such calls. */
export function runCases(predicate: Predicate): (execution: RecordedExecution) => RunCase[] {
  const taken = runStepOf(predicate);
  if (!taken) return () => [];
  const { isStep, isAction } = taken;
  return (execution) => {
    if (execution.succeeded !== true) return [];
    const at = execution.calls.findIndex((call) => call.ok === true && isStep(call) && !isDangerous(execution, call));
    const step = execution.calls[at];
    const then = step && execution.calls.slice(at + 1).find((call) => call.ok === true && isAction(call));
    const [shownStep, shownThen] = [shown(execution, step), shown(execution, then)];
    if (!shownStep || !shownThen) return [];
    return [{ ...placeOf(execution), step: shownStep, goal: shownThen }];
  };
}

const callOf = ({ source }: RecordedExecution, { index }: RecordedCall) => source.report.toolCalls[index];

function shown(execution: RecordedExecution, call: RecordedCall | undefined): ShownCall | undefined {
  const own = call && callOf(execution, call);
  return own && presentableCall(shownCall(own));
}

/** A step that overrides a check proves nothing, and one that turns a protection off is not taught by success. */
function isDangerous(execution: RecordedExecution, call: RecordedCall): boolean {
  const own = callOf(execution, call);
  return own !== undefined && dangersOfCall(own.name, own.action).length > 0;
}
