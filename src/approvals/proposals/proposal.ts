import type { AgentGroup } from '../../access/identity/review-scope.js';
import { DAY_MS } from '../../platform/base/durations.js';
import { type General, type Sanitized } from '../../untrusted/redaction/redact-deep.js';
import {
  type ExternalEditRecord,
  type Findings,
  type ProposalKind,
  type ProposalState,
  type ProposalVerdict,
  type Risk,
} from './proposals.schema.js';
import type { Evidence, ProposedSkill } from './proposed-skill.schema.js';
import type { RetirementRequest } from './retirement-request.schema.js';

/** The hash is left out of the sanitizing, because redaction could take its digits for a secret. */
export type SanitizedEdit = Pick<ExternalEditRecord, 'sha256'> & Sanitized<Omit<ExternalEditRecord, 'sha256'>>;

/** The content of a proposal's current revision. Every change while the proposal is pending increments the revision. */
export interface ProposalContent {
  readonly kind: ProposalKind;
  /** The fingerprints of all patterns that the proposal covers; the first is its own. */
  readonly fingerprints: readonly string[];
  readonly actionFingerprint: string;
  /** Where the claim holds, to compare it with the claims of other skills. */
  readonly applicability: string;
  readonly skillName: string;
  readonly version: number;
  readonly proposedSkill: General<ProposedSkill>;
  readonly evidence: Sanitized<Evidence>;
  readonly artifact: string;
  readonly artifactSha256: string;
  readonly findings: Findings;
  readonly risk: Risk;
  readonly confidence: number;
  readonly impact: number;
  /**
   * The groups of the agents that it was learned from; empty: the whole organisation. A review scope has to cover all
   * of them.
   */
  readonly audience: readonly AgentGroup[];
  readonly supersedesId: string | null;
  readonly edit: SanitizedEdit | null;
  readonly cycleId: string | null;
  /** The person who wrote this revision; null if a job did. */
  readonly editorId: string | null;
  /** The other persons who wrote earlier revisions. */
  readonly earlierEditorIds: readonly string[];
  /** The person who owns all agents that it was learned from; null if there is none, or no other reviewer. */
  readonly sourceOwnerId: string | null;
  /** How many people have to approve it. */
  readonly votesNeeded: number;
}

/** A row of the approval queue: its current revision with its identity, state and times. */
export interface Proposal extends ProposalContent {
  readonly id: string;
  readonly state: ProposalState;
  readonly revision: number;
  readonly fingerprint: string;
  /** Why a job requested the retirement of a live skill. */
  readonly request: RetirementRequest | null;
  /** The decided proposal that this one reopens. */
  readonly reopenedFromId: string | null;
  /** The id of a cluster of near-duplicates. */
  readonly cluster: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
  readonly decidedAt: Date | null;
}

/** `override` is one of the two approvals of an override. */
export type Verdict = 'approved' | 'rejected' | 'override';

export interface ProposalDecision {
  readonly by: string;
  readonly verdict: Verdict;
  readonly reason: string | null;
  readonly revision: number;
  readonly artifactSha256: string;
  readonly decidedAt: Date;
}

/** Whether a decision on the proposal can change a published file or an external edit of it. */
export const touchesLiveSkill = ({ edit, supersedesId }: Pick<Proposal, 'edit' | 'supersedesId'>): boolean =>
  edit !== null || supersedesId !== null;

/**
 * What the check of a proposal says. Null for an external edit and a retirement, which hold the evidence of the skill as
 * it was approved.
 */
export function verdictOf({
  kind,
  edit,
  evidence,
}: Pick<ProposalContent, 'kind'> & {
  readonly edit: object | null;
  readonly evidence: Evidence;
}): ProposalVerdict | null {
  const verdict = kind === 'retire' || edit !== null ? undefined : evidence.check?.verdict;
  return verdict === 'confirmed' || verdict === 'observed' ? verdict : null;
}

/** The org entry that the approved proposal replaced; undefined if it is not approved or replaced none. */
export const replacedMemoryId = ({ state, kind, supersedesId }: Proposal): string | undefined =>
  state === 'approved' && kind !== 'retire' ? (supersedesId ?? undefined) : undefined;

/** When an undecided proposal expires. */
export const expiryOf = (createdAt: Date, { proposalExpiryDays }: { readonly proposalExpiryDays: number }): Date =>
  new Date(createdAt.getTime() + proposalExpiryDays * DAY_MS);

/**
 * The entity tag of a proposal at its revision and state. Votes do not change it, because they do not change its
 * content.
 */
export const entityTag = ({
  revision,
  state,
  artifactSha256,
}: Pick<Proposal, 'revision' | 'state' | 'artifactSha256'>) => `"${revision}-${state}-${artifactSha256}"`;

/** Whether `If-Match` (RFC 9110 §13.1.1) matches the tag. Weak tags never match. */
export const matches = (ifMatch: string, tag: string): boolean =>
  ifMatch.split(',').some((candidate) => candidate.trim() === '*' || candidate.trim() === tag);
