import { familyFingerprint } from '../../capture/observations/fingerprint.js';
import type { Check } from '../../evidence/predicate/check.schema.js';
import type { Family } from '../evidence/candidate.js';
import { covers } from '../evidence/check.js';
import { type ExaminedCandidate, RULES } from './examined-candidate.js';
import type { FamilyFindings } from './family-examination.js';
import { withWinners } from './writer-competition.js';

/**
 * Counts the scope of what a model wrote over the failures of all families: the executions that are read for one family
 * hold few failures of others, and a condition such as `error` looks narrow among them. The conditions of the rules are
 * made of error lines. The writers compete again, without what claims too much now.
 */
export function withWideScope(all: readonly FamilyFindings[], minOwners: number): FamilyFindings[] {
  return all.map((one) => {
    const candidates = one.candidates.map((candidate) =>
      candidate.by === RULES ? candidate : { ...candidate, check: widely(candidate, one, all) },
    );
    const isNarrower = candidates.some(({ check }, at) => check !== one.candidates[at]?.check);
    return isNarrower ? { ...one, candidates: withWinners(candidates, minOwners) } : one;
  });
}

/** The check with the share of all matching failures that belong to the family, if that is smaller. */
function widely({ predicate, check }: ExaminedCandidate, own: FamilyFindings, all: readonly FamilyFindings[]): Check {
  if (check.scope === null) return check;
  const isCovered = covers(predicate);
  const matching = { own: 0, others: 0 };
  for (const { family, failures = [], dossier } of all) {
    const share = failures.filter(isCovered).length / Math.max(1, failures.length);
    matching[isPartOf(family, own.family) ? 'own' : 'others'] += share * dossier.failures;
  }
  const n = Math.round(matching.own + matching.others);
  const share = n === 0 ? 1 : matching.own / (matching.own + matching.others);
  return share < check.scope.share ? { ...check, scope: { share, n } } : check;
}

/** The family itself, or a value that was split off it. */
const isPartOf = ({ fingerprint, value }: Family, whole: Family): boolean =>
  fingerprint === whole.fingerprint ||
  (value !== undefined && familyFingerprint(whole.fingerprint, value) === fingerprint);
