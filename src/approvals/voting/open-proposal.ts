import { groupName, reviewScopeCovers } from '../../access/identity/review-scope.js';
import type { ReviewerActor } from '../../journal/actor.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { contradictionStatus, type Rival } from '../contradictions/contradiction.js';
import { artifactOf } from '../proposals/artifact.js';
import { entityTag, matches } from '../proposals/entity-tag.js';
import type { Proposal } from '../proposals/proposal.js';

/** Which revision a person read, as far as they say. */
export interface ReadRevision {
  readonly artifactSha256?: string;
  readonly ifMatch?: string | undefined;
}

/** What org memory holds under the item's name and at its target, read while the item is locked. */
export interface ProposalContext {
  /** The live version of the item's skill, and the highest that was ever approved; undefined when none ever was. */
  readonly versions: { readonly live: { id: string; version: number } | undefined; readonly last: number } | undefined;
  readonly target:
    | { readonly skillName: string | null; readonly version: number | null; readonly supersededAt: string | null }
    | undefined;
  /** What it contradicts, as far as that can have been decided. */
  readonly rivals: readonly Rival[];
}

/** Throws `conflict` when it was decided or has expired, or holds other bytes than were read. */
export function requireOpen(proposal: Proposal, { artifactSha256, ifMatch }: ReadRevision, now: Date): void {
  if (proposal.state !== 'pending') throw alreadyDecidedError(proposal);
  requireMatch(proposal, ifMatch);
  if (proposal.expiresAt <= now)
    throw new DomainError('conflict', 'proposal.expired', 'This item has expired; reopen it, or run a cycle.');
  if (artifactSha256 !== undefined && proposal.artifactSha256 !== artifactSha256)
    throw new DomainError(
      'conflict',
      'proposal.artifact_changed',
      `The item is now at revision ${proposal.revision} with other bytes than you read; look at it again.`,
    );
}

/** Throws `precondition_failed` when the item is at another revision, or in another state, than `If-Match` names. */
export function requireMatch(proposal: Proposal, ifMatch: string | undefined): void {
  if (ifMatch === undefined || matches(ifMatch, entityTag(proposal))) return;
  throw new DomainError(
    'precondition_failed',
    'proposal.revision_mismatch',
    `If-Match names another revision than the current one, ${proposal.revision}, which is ${proposal.state}.`,
  );
}

/** Throws `forbidden` when the item is about agents that this person does not decide for. */
export function requireReviewScope({ reviewScope }: ReviewerActor, { audience }: Pick<Proposal, 'audience'>): void {
  if (reviewScopeCovers(reviewScope, audience)) return;
  const whose = audience.length === 0 ? 'the whole organisation' : audience.slice(0, 5).map(groupName).join(', ');
  throw new DomainError(
    'forbidden',
    'proposal.outside_review_scope',
    `This is about ${whose}; you decide for ${reviewScope?.slice(0, 5).map(groupName).join(', ')}.`,
  );
}

/** Why the item could not be applied as it is, if it could not: another version approved, or its target retired. */
export function staleness(
  proposal: Proposal,
  { versions: standing, target, rivals }: ProposalContext,
): string | undefined {
  const live = standing?.live;
  const isRenaming = target !== undefined && target.skillName !== proposal.skillName;
  const isCurrent = isRenaming
    ? live === undefined && target.supersededAt === null
    : (live?.id ?? null) === proposal.supersedesId;
  const status = contradictionStatus(proposal, rivals);
  if (status.as === 'contradicts_live' || status.as === 'subsumed') return rivalApprovedMessage(proposal);
  const last = Math.max(standing?.last ?? 0, target?.version ?? 0);
  if (!isCurrent || proposal.version !== (proposal.kind === 'retire' ? live?.version : last + 1))
    return skillChangedMessage(proposal);
  // The reviewer's hash covers the file alone, and org memory is written from the proposal: they have to say the same.
  if (proposal.kind !== 'retire' && !isItsFile(proposal))
    return 'The file is not what this proposal renders to (any more); run a cycle to bring the item up to date.';
  return undefined;
}

/** Throws `conflict` for an item that could not be applied as it is. */
export function requireCurrent(proposal: Proposal, context: ProposalContext): void {
  const why = staleness(proposal, context);
  if (why !== undefined) throw staleError(why);
}

export const staleError = (why: string): DomainError => new DomainError('conflict', 'proposal.stale', why);

export const skillChangedMessage = ({ skillName }: Pick<Proposal, 'skillName'>): string =>
  `The skill "${skillName}" changed since this was proposed; the item is brought up to date or withdrawn within a minute.`;

export const rivalApprovedMessage = ({ skillName }: Pick<Proposal, 'skillName'>): string =>
  `What "${skillName}" contradicts was approved since this was proposed; the item is brought up to date within a minute.`;

export const alreadyDecidedError = (proposal: Pick<Proposal, 'state'>): DomainError =>
  new DomainError('conflict', 'proposal.already_decided', `This item is ${proposal.state} already.`);

const isItsFile = (proposal: Proposal): boolean =>
  sha256(artifactOf({ ...proposal, proposalId: proposal.id }, proposal.proposedSkill, proposal.evidence)) ===
  proposal.artifactSha256;
