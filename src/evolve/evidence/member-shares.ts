import type { Ledger } from '../support/ledger.js';
import { PatternEvidence } from '../support/pattern-evidence.js';
import type { RecordedCall, RecordedExecution } from './recorded-execution.js';

/** The failures of one execution in a part of a family. */
export interface MemberShare {
  readonly id: string;
  readonly model: string | undefined;
  readonly failures: number;
}

/** The evidence of a part, from those of its executions that are in the ledger. */
export function evidenceOfPart(shares: readonly MemberShare[], ledger: Ledger): PatternEvidence {
  const evidence = new PatternEvidence(ledger);
  for (const { id, model, failures } of shares) {
    const number = ledger.numberOf(id);
    if (number !== undefined) evidence.addExecution({ execution: number, model, failures });
  }
  return evidence;
}

/** The executions of a part, with their failures. */
export function sharesOfPart(
  isMember: (call: RecordedCall) => boolean,
  executions: readonly RecordedExecution[],
): MemberShare[] {
  return executions.flatMap(({ id, calls, source }) => {
    const failures = calls.filter(isMember).length;
    return failures === 0 ? [] : [{ id, model: source.observed.model, failures }];
  });
}
