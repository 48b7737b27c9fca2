import { compareText } from '../../platform/base/compare-text.js';
import type { RecordedCall, RecordedExecution } from '../evidence/recorded-execution.js';

/** Failures that stand for all of a family when the conditions of other families are tried on them. */
const KEPT_FAILURES = 20;

/** The first failure of as many executions, the same ones in any order of the executions. */
export function keptFailures(
  executions: readonly RecordedExecution[],
  isMember: (call: RecordedCall) => boolean,
): RecordedCall[] {
  return [...executions]
    .sort((a, b) => compareText(a.id, b.id))
    .flatMap(({ calls }) => calls.find(isMember) ?? [])
    .slice(0, KEPT_FAILURES);
}
