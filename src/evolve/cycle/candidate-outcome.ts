import type { FamilyQuestion } from '../../evidence/answers/family-question.js';
import type { RefusalKind } from '../../evidence/answers/lesson-answer.schema.js';
import type { Dossier } from '../../evidence/dossier/dossier.schema.js';
import type { CheckedCandidate, Family } from '../evidence/candidate.js';
import type { DropReason } from '../examination/drop-reason.js';
import type { OtherLesson } from '../examination/examined-candidate.js';
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
  /** Its writer; without it the rules. Of a model also the title, and of a winner what it won against. */
  readonly by?: string;
  readonly title?: string;
  readonly other?: OtherLesson;
}

/** A family with the evidence about it. */
export interface FamilyOutcome {
  readonly family: FamilySummary;
  readonly dossier: Dossier;
  /** What a model may be asked: it saw, or would see, one half. */
  readonly question?: FamilyQuestion;
  /** Repeating the same call overcomes it, so that no model is asked. */
  readonly passes?: boolean;
  /** What a model answered, if that became no candidate. */
  readonly writing?: FamilyWritingOutcome;
}

/** A refusal, or what is wrong with a lesson, in words. */
export interface FamilyWritingOutcome {
  readonly by: string;
  readonly declined: { readonly kind: RefusalKind; readonly reason: string } | null;
  readonly rejected: readonly string[];
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
