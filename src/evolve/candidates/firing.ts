import { compareText } from '../../platform/base/compare-text.js';
import type { RecordedCall, RecordedExecution } from '../evidence/recorded-execution.js';

/** How many calls after a failure are examined. */
export const WITHIN = 8;

/** A failure of the family, and the calls after it. */
export interface Firing {
  readonly execution: RecordedExecution;
  readonly failed: RecordedCall;
  readonly later: readonly RecordedCall[];
  /** The first of the later calls with the same goal that worked and is not the same again. */
  readonly recovery?: RecordedCall;
}

/** The most failures of one execution that are examined: fifty of them say no more. */
const MOST_OF_ONE = 6;

/** The failures of a family, ordered by execution. */
export function firingsOf(
  executions: readonly RecordedExecution[],
  isMember: (call: RecordedCall) => boolean,
): Firing[] {
  return [...executions]
    .sort((a, b) => compareText(a.id, b.id))
    .flatMap((execution) =>
      execution.calls
        .flatMap((call, at) => (isMember(call) ? [at] : []))
        .slice(0, MOST_OF_ONE)
        .flatMap((at) => firingAt(execution, at)),
    );
}

function firingAt(execution: RecordedExecution, at: number): Firing[] {
  const failed = execution.calls[at];
  if (failed === undefined) return [];
  const later = execution.calls.slice(at + 1, at + 1 + WITHIN);
  const recovery = later.find(({ ok, goal, text }) => ok === true && goal === failed.goal && text !== failed.text);
  return [{ execution, failed, later, ...(recovery ? { recovery } : {}) }];
}

/** One firing of each execution: the first that recovered, otherwise the first. */
export function firstFirings(firings: readonly Firing[]): Firing[] {
  const found = new Map<string, Firing>();
  for (const one of firings) {
    const known = found.get(one.execution.id);
    if (!known || (!known.recovery && one.recovery)) found.set(one.execution.id, one);
  }
  return [...found.values()];
}

/** The names with their counts, the most frequent first. */
export function mostFrequent(names: Iterable<string>): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || compareText(a[0], b[0]));
}
