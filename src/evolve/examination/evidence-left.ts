import { familyFingerprint } from '../../capture/observations/fingerprint.js';
import type { Family } from '../evidence/candidate.js';
import type { Ledger } from '../support/ledger.js';
import { PatternEvidence } from '../support/pattern-evidence.js';
import type { FamilyFindings } from './family-examination.js';

/**
 * Returns the evidence of a family that no lesson is about: without the executions of its values that have one.
 * `solved`: the fingerprints of the families that have a lesson.
 */
export function evidenceLeft(
  { fingerprint, evidence }: Family,
  findings: readonly FamilyFindings[],
  solved: ReadonlySet<string>,
  ledger: Ledger,
): PatternEvidence {
  const taught = findings.filter(
    ({ family: { value, fingerprint: own } }) =>
      value !== undefined && solved.has(own) && own === familyFingerprint(fingerprint, value),
  );
  if (taught.length === 0) return evidence;
  const left = PatternEvidence.merge([evidence]);
  const removed = new Set<number>();
  for (const { id, model, failures } of taught.flatMap(({ shares }) => shares ?? [])) {
    const execution = ledger.numberOf(id);
    // An execution may have left the window since the examination, or have failed with two values.
    if (execution === undefined || removed.has(execution) || evidence.executionIds.get(execution) === 0) continue;
    removed.add(execution);
    left.removeExecution({ execution, model, failures });
  }
  return left;
}
