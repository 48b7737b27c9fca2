import { wideningOf } from '../../evidence/predicate/binding.js';
import { VERDICTS } from '../../evidence/predicate/check.schema.js';
import type { LiveFinding } from '../../skills/delivery/live-check.schema.js';
import type { DraftIdentity } from '../drafts/draft.js';
import type { KnownClaim } from '../drafts/known-claims.js';
import type { CycleOutcome } from './cycle.js';

const NO_SUPPORT = { agents: 0, owners: 0, projects: 0, tasks: 0 };

/**
 * What a cycle found about live skills: drafts that claim what the skill claims, otherwise what refutes it. The strongest
 * draft speaks for a skill.
 */
export function liveFindings(
  { alreadyApproved, examination }: Pick<CycleOutcome, 'alreadyApproved' | 'examination'>,
  entries: Iterable<KnownClaim>,
): LiveFinding[] {
  return [...entries].flatMap((entry) => {
    const { id: memoryId, fingerprints = [], actionFingerprint } = entry;
    const [speaking] = alreadyApproved
      .flatMap(({ entryId, draft }) => (entryId === memoryId && claimsAsMuch(draft, entry) ? [draft.evidence] : []))
      .sort((a, b) => VERDICTS.indexOf(a.check.verdict) - VERDICTS.indexOf(b.check.verdict));
    if (speaking) {
      const { check, counts, workedFor } = speaking;
      return [{ memoryId, check, ...workedFor, projects: counts.projects, tasks: counts.tasks }];
    }
    const [check] = fingerprints.flatMap(
      (print) => examination.refutations.get(`${print} ${actionFingerprint ?? ''}`) ?? [],
    );
    return check ? [{ memoryId, check, ...NO_SUPPORT }] : [];
  });
}

/**
 * Returns whether the evidence of a draft holds for all that the skill claims: the same remedy, as broad or broader, where
 * the skill holds. A skill never says more than its evidence.
 */
function claimsAsMuch({ evidence, actionFingerprint, applicability }: DraftIdentity, entry: KnownClaim): boolean {
  const [found, known] = [evidence.predicate.learned, entry.learned];
  return (
    found !== undefined &&
    known !== undefined &&
    found.key === known.key &&
    found.follow.every((feature) => known.follow.includes(feature)) &&
    actionFingerprint === entry.actionFingerprint &&
    applicability === entry.applicability &&
    wideningOf(evidence.binding, entry.binding).length === 0
  );
}
