import { actionShape, dangersOfCall } from '../../capture/actions/action.js';
import { shownCall } from '../../capture/actions/shown-call.js';
import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { overridesCheck } from '../../untrusted/danger/check-commands.js';
import type { SuccessPattern } from '../patterns/success.js';
import type { Case, ReportedExecution } from './case.js';
import { presentableCall } from './presentable-call.js';

/** The calls of a successful execution that took a step before an action. */
export interface SuccessCase extends Pick<Case, 'executionId' | 'origin' | 'environment' | 'projectKind'> {
  readonly steps: readonly ShownCall[];
  readonly then: ShownCall;
}

/** Returns the first steps of the pattern and the action behind them; empty if a call of them cannot be shown. */
export function successCasesOf(
  { observed, report }: ReportedExecution,
  { before, action }: Pick<SuccessPattern, 'before' | 'action'>,
): SuccessCase[] {
  const wanted = [...before.split(' > '), action];
  const found: ShownCall[] = [];
  for (const call of report.toolCalls) {
    const next = wanted[found.length];
    if (next === undefined) break;
    const { coarse, tool } = actionShape(call.name, call.action);
    // a step that overrides a check proves nothing
    if (!call.ok || coarse !== next || dangersOfCall(tool, call.action).some(overridesCheck)) continue;
    const shown = presentableCall(shownCall(call));
    if (shown) found.push(shown);
  }
  const then = found[wanted.length - 1];
  if (!then) return [];
  return [
    {
      executionId: observed.executionId,
      origin: observed.support.origin,
      environment: report.environment ?? {},
      ...(observed.project ? { projectKind: observed.project } : {}),
      steps: found.slice(0, -1),
      then,
    },
  ];
}
