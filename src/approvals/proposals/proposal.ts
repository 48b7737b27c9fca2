import type { AgentGroup } from '../../access/identity/review-scope.js';
import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';
import type { ExternalEditRecord, Findings, ProposalKind, ProposalState, Risk } from './proposals.schema.js';
import type { Evidence, ProposedSkill } from './proposed-skill.schema.js';
import type { RetirementRequest } from './retirement-request.schema.js';

/** The hash is ours: as a text it might be taken for a secret. */
export type SanitizedEdit = Pick<ExternalEditRecord, 'sha256'> & Sanitized<Omit<ExternalEditRecord, 'sha256'>>;

/** What an item says; all of it can change while it waits, and then its revision moves with the bytes. */
export interface ProposalContent {
  readonly kind: ProposalKind;
  /** Every pattern that the item answers for; the first is its own. */
  readonly fingerprints: readonly string[];
  readonly actionFingerprint: string;
  /** Where it applies, for the comparison of what two skills say. */
  readonly applicability: string;
  readonly skillName: string;
  readonly version: number;
  readonly proposedSkill: Sanitized<ProposedSkill>;
  readonly evidence: Sanitized<Evidence>;
  readonly artifact: string;
  readonly artifactSha256: string;
  readonly findings: Findings;
  readonly risk: Risk;
  readonly confidence: number;
  readonly impact: number;
  /** Where the agents stand that it was learned from; empty: it is everybody's. It decides whose review scope it lies in. */
  readonly audience: readonly AgentGroup[];
  readonly supersedesId: string | null;
  readonly edit: SanitizedEdit | null;
  readonly cycleId: string | null;
  /** The person who wrote this revision. */
  readonly editorId: string | null;
  /** Whoever else wrote earlier revisions. */
  readonly earlierEditorIds: readonly string[];
  /** The person who owns all agents that it was learned from; null where nobody does, or nobody else reviews. */
  readonly sourceOwnerId: string | null;
  /** How many people have to approve it. */
  readonly votesNeeded: number;
}

/** A row of the queue: the content of its current revision with its identity, its state and its times. */
export interface Proposal extends ProposalContent {
  readonly id: string;
  readonly state: ProposalState;
  readonly revision: number;
  readonly fingerprint: string;
  /** Why a job asks for a live skill to be looked at again. */
  readonly request: RetirementRequest | null;
  /** The decided item that this one asks about again. */
  readonly reopenedFromId: string | null;
  /** Near-duplicates share it. */
  readonly cluster: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
  readonly decidedAt: Date | null;
}

/** `override` is one of the two halves of an override. */
export type Verdict = 'approved' | 'rejected' | 'override';

export interface ProposalDecision {
  readonly by: string;
  readonly verdict: Verdict;
  readonly reason: string | null;
  readonly revision: number;
  readonly artifactSha256: string;
  readonly decidedAt: Date;
}

/** Whether a decision on the item may change a published file, or what stands beside it in the folder. */
export const touchesLiveSkill = ({ edit, supersedesId }: Pick<Proposal, 'edit' | 'supersedesId'>): boolean =>
  edit !== null || supersedesId !== null;

/** The org entry that the item's skill replaced; undefined for an item that is not approved, or replaced none. */
export const replacedMemoryId = ({ state, kind, supersedesId }: Proposal): string | undefined =>
  state === 'approved' && kind !== 'retire' ? (supersedesId ?? undefined) : undefined;
