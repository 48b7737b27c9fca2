import type { ExecutionReport } from '../../capture/report/execution-report.schema.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import { readsOf, reportedCalls } from '../../evolve/evidence/recorded-execution.js';
import { appliesTo, triesOf } from '../../learning/lessons/claim.js';

/** Of a longer execution, parsing all calls would make the page wait. */
const MOST_CALLS = 1_500;

/** What a call is to a proposal: its failure, a try that follows it, or another try. */
export type CallRole = 'failure' | 'follows' | 'other';

/** The calls of an execution that a proposal counts, by their places. Empty if nothing says which they are. */
export function proposalCalls(
  { learned }: Partial<Predicate>,
  report: Pick<ExecutionReport, 'toolCalls'>,
): Map<number, CallRole> {
  const roles = new Map<number, CallRole>();
  if (learned === undefined || report.toolCalls.length > MOST_CALLS) return roles;
  const calls = reportedCalls(report);
  for (const { index, read } of calls) {
    if (!appliesTo(learned, read)) continue;
    const { taught, other } = triesOf(learned, readsOf(calls), read);
    if (other) roles.set(other.at, roles.get(other.at) ?? 'other');
    if (taught) roles.set(taught.call.at, 'follows');
    roles.set(index, 'failure');
  }
  return roles;
}
