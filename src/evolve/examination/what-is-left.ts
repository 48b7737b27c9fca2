import { familyFingerprint } from '../../capture/observations/fingerprint.js';
import type { Ledger } from '../support/ledger.js';
import { PatternEvidence } from '../support/pattern-evidence.js';
import type { FamilyFindings } from './family-examination.js';
import { mergedOutcomes } from './family-outcomes.js';

/**
 * Returns what no lesson is about in a family: its evidence without the executions of its values that have one, and the
 * outcomes of its other values with its own. `solved`: the fingerprints of the families that have a lesson.
 */
export function whatIsLeft(
  whole: FamilyFindings,
  findings: readonly FamilyFindings[],
  solved: ReadonlySet<string>,
  ledger: Ledger,
): FamilyFindings {
  const { family } = whole;
  const parts = findings.filter(
    ({ family: { value, fingerprint } }) =>
      value !== undefined && fingerprint === familyFingerprint(family.fingerprint, value),
  );
  const isTaught = (part: FamilyFindings): boolean => solved.has(part.family.fingerprint);
  const open = parts.filter((part) => !isTaught(part));
  return {
    ...whole,
    family: { ...family, evidence: evidenceWithout(parts.filter(isTaught), family.evidence, ledger) },
    outcomes: mergedOutcomes([whole, ...open].map(({ outcomes }) => outcomes)),
  };
}

function evidenceWithout(
  taught: readonly FamilyFindings[],
  evidence: PatternEvidence,
  ledger: Ledger,
): PatternEvidence {
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
