import type { Place } from '../../access/identity/remit.js';
import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';
import type { ApprovalKind, ApprovalState, EditedByHand, Findings, Risk } from './approvals.schema.js';
import type { Evidence, Proposal } from './proposal.schema.js';
import type { RetirementRequest } from './retirement-request.schema.js';

/** The hash is ours: as a text it might be taken for a secret. */
export type ItemEdit = Pick<EditedByHand, 'sha256'> & Sanitized<Omit<EditedByHand, 'sha256'>>;

/** What an item says; all of it can change while it waits, and then its revision moves with the bytes. */
export interface ItemContent {
  readonly kind: ApprovalKind;
  /** Every pattern that the item answers for; the first is its own. */
  readonly fingerprints: readonly string[];
  readonly actionFingerprint: string;
  /** Where it applies, for the comparison of what two skills say. */
  readonly setting: string;
  readonly skillName: string;
  readonly version: number;
  readonly proposal: Sanitized<Proposal>;
  readonly evidence: Sanitized<Evidence>;
  readonly artifact: string;
  readonly artifactSha256: string;
  readonly findings: Findings;
  readonly risk: Risk;
  readonly confidence: number;
  readonly impact: number;
  /** Where the agents stand that it was learned from; empty: it is everybody's. It decides whose remit it lies in. */
  readonly audience: readonly Place[];
  readonly supersedesId: string | null;
  readonly edit: ItemEdit | null;
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
export interface Item extends ItemContent {
  readonly id: string;
  readonly state: ApprovalState;
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

export interface Decision {
  readonly by: string;
  readonly verdict: Verdict;
  readonly reason: string | null;
  readonly revision: number;
  readonly artifactSha256: string;
  readonly decidedAt: Date;
}

/** Whether a decision on the item may change a published file, or what stands beside it in the folder. */
export const concernsLiveSkill = ({ edit, supersedesId }: Pick<Item, 'edit' | 'supersedesId'>): boolean =>
  edit !== null || supersedesId !== null;

/** The org entry that the item's skill replaced; undefined for an item that is not approved, or replaced none. */
export const replacedBy = ({ state, kind, supersedesId }: Item): string | undefined =>
  state === 'approved' && kind !== 'retire' ? (supersedesId ?? undefined) : undefined;
