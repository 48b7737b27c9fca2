import { evidenceOfPart } from '../evidence/member-shares.js';
import type { Ledger } from '../support/ledger.js';
import type { FamilyFindings } from './family-examination.js';

/**
 * Returns the failures of a family that has lessons which none of these matches, with what became of them. Undefined if
 * they match all.
 */
export function whatIsLeft(found: FamilyFindings, ledger: Ledger): FamilyFindings | undefined {
  const { family, beside } = found;
  const evidence = evidenceOfPart(beside?.shares ?? [], ledger);
  if (beside === undefined || evidence.failures === 0) return undefined;
  return { ...found, family: { ...family, evidence }, outcomes: beside.outcomes };
}
