import type { Dossier } from '../../evidence/dossier/dossier.schema.js';
import type { CheckedCandidate, Family } from '../evidence/candidate.js';
import type { DropReason } from '../examination/drop-reason.js';
import type { EvidenceCounts } from '../support/pattern-evidence.js';

/** A family in plain data. */
export interface FamilySummary
  extends Pick<Family, 'fingerprint' | 'fingerprints' | 'signature' | 'value' | 'tools' | 'actions' | 'errorClasses'> {
  readonly counts: EvidenceCounts;
}

/** What a cycle found about one candidate, whatever became of it. */
export interface CandidateOutcome {
  readonly family: FamilySummary;
  readonly candidate: CheckedCandidate;
  /** The executions of the sample on which it was mined and checked. */
  readonly examined: number;
  /** Null if it became a draft. */
  readonly because: DropReason | null;
  /** What the gates found, in words; empty if they found nothing. */
  readonly findings: readonly string[];
}

/** A family with the evidence about it. */
export interface FamilyOutcome {
  readonly family: FamilySummary;
  readonly dossier: Dossier;
}

/** What a cycle examined, beside its drafts. */
export interface Examination {
  /** Families of the window, of whatever number of agents. */
  readonly families: number;
  /** Those of enough agents, whose executions were read. */
  readonly examined: readonly FamilyOutcome[];
  /** Every checked candidate of the examined families. */
  readonly candidates: readonly CandidateOutcome[];
}
