import { familyFingerprint } from '../../capture/observations/fingerprint.js';
import { evidenceOfPart, type MemberShare } from '../evidence/family-values.js';
import type { Ledger } from '../support/ledger.js';
import { PatternEvidence } from '../support/pattern-evidence.js';
import type { FamilyFindings } from './family-examination.js';
import { mergedOutcomes } from './family-outcomes.js';

/**
 * Returns what no lesson is about in a family: the failures that its lessons and those of its values do not match, with
 * what became of them. Undefined if its lessons match all. `solved`: the fingerprints of the families that have a lesson.
 */
export function whatIsLeft(
  whole: FamilyFindings,
  findings: readonly FamilyFindings[],
  solved: ReadonlySet<string>,
  ledger: Ledger,
): FamilyFindings | undefined {
  const { family } = whole;
  const parts = findings.filter(
    ({ family: { value, fingerprint } }) =>
      value !== undefined && fingerprint === familyFingerprint(family.fingerprint, value),
  );
  const isTaught = (one: FamilyFindings): boolean => solved.has(one.family.fingerprint);
  const pieces = [whole, ...parts];
  const taught = pieces.filter(isTaught);
  const besides = taught.flatMap(({ beside }) => beside ?? []);
  const outcomes = mergedOutcomes([
    ...pieces.filter((one) => !isTaught(one)).map((one) => one.outcomes),
    ...besides.map((one) => one.outcomes),
  ]);
  if (taught.length === 0) return { ...whole, outcomes };
  const left = besides.flatMap(({ shares }) => shares);
  const evidence = isTaught(whole)
    ? evidenceOfPart([...left, ...parts.filter((one) => !isTaught(one)).flatMap(({ shares }) => shares ?? [])], ledger)
    : evidenceWithout(taught, left, family.evidence, ledger);
  return evidence.failures === 0 ? undefined : { ...whole, family: { ...family, evidence }, outcomes };
}

/** `left`: what the lessons of the values that are taken out do not match. */
function evidenceWithout(
  taught: readonly FamilyFindings[],
  left: readonly MemberShare[],
  evidence: PatternEvidence,
  ledger: Ledger,
): PatternEvidence {
  const rest = PatternEvidence.merge([evidence]);
  const kept = new Map(left.map(({ id, failures }) => [id, failures]));
  const removed = new Set<number>();
  for (const { id, model, failures } of taught.flatMap(({ shares }) => shares ?? [])) {
    const execution = ledger.numberOf(id);
    // An execution may have left the window since the examination, or have failed with two values.
    if (execution === undefined || removed.has(execution) || evidence.executionIds.get(execution) === 0) continue;
    removed.add(execution);
    rest.removeExecution({ execution, model, failures });
    const beside = kept.get(id) ?? 0;
    if (beside > 0) rest.addExecution({ execution, model, failures: beside });
  }
  return rest;
}
