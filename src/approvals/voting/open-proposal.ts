import { groupName, reviewScopeCovers } from '../../access/identity/review-scope.js';
import type { ReviewerActor } from '../../journal/actor.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { artifactOf } from '../proposals/artifact.js';
import { entityTag, matches, type Proposal } from '../proposals/proposal.js';
import { keptSkill } from '../proposals/retirement.js';
import { contradictionStatus, type Rival } from './contradiction.js';

/** The revision that a person read, as far as the request names it. */
export interface ReadRevision {
  readonly artifactSha256?: string;
  readonly ifMatch?: string | undefined;
}

/** The org entries under the proposal's skill name and of its target, read while the proposal is locked. */
export interface ProposalContext {
  /** The live version and the highest approved version of the skill; undefined if it was never approved. */
  readonly versions: { readonly live: { id: string; version: number } | undefined; readonly last: number } | undefined;
  readonly target:
    | { readonly skillName: string | null; readonly version: number | null; readonly supersededAt: string | null }
    | undefined;
  /** The rivals that may have been decided. */
  readonly rivals: readonly Rival[];
  /** The version that a merge keeps is no longer live. */
  readonly hasLostKept: boolean;
}

/** Throws `conflict` if the proposal is decided, has expired, or contains other bytes than the person read. */
export function requireOpen(proposal: Proposal, { artifactSha256, ifMatch }: ReadRevision, now: Date): void {
  if (proposal.state !== 'pending') throw alreadyDecidedError(proposal);
  requireMatch(proposal, ifMatch);
  if (proposal.expiresAt <= now)
    throw new DomainError('conflict', 'proposal.expired', 'This proposal has expired. Reopen it, or run a cycle.');
  if (artifactSha256 !== undefined && proposal.artifactSha256 !== artifactSha256)
    throw new DomainError(
      'conflict',
      'proposal.artifact_changed',
      `The proposal is now at revision ${proposal.revision} and differs from the one that you read. Read it again.`,
    );
}

/** Throws `precondition_failed` if the proposal is at another revision or state than `If-Match` names. */
export function requireMatch(proposal: Proposal, ifMatch: string | undefined): void {
  if (ifMatch === undefined || matches(ifMatch, entityTag(proposal))) return;
  throw new DomainError(
    'precondition_failed',
    'proposal.revision_mismatch',
    `If-Match does not name the current revision, ${proposal.revision}, which is ${proposal.state}.`,
  );
}

/** Throws `forbidden` if the audience of the proposal is outside the reviewer's scope. */
export function requireReviewScope({ reviewScope }: ReviewerActor, { audience }: Pick<Proposal, 'audience'>): void {
  if (reviewScopeCovers(reviewScope, audience)) return;
  const concerned = audience.length === 0 ? 'the whole organisation' : audience.slice(0, 5).map(groupName).join(', ');
  throw new DomainError(
    'forbidden',
    'proposal.outside_review_scope',
    `This proposal concerns ${concerned}; your review scope is ${reviewScope?.slice(0, 5).map(groupName).join(', ')}.`,
  );
}

/** Why the proposal cannot be applied, such as another approved version or a retired target; undefined if it can. */
export function staleness(
  proposal: Proposal,
  { versions: standing, target, rivals, hasLostKept }: ProposalContext,
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
  if (hasLostKept) return keptSkillChangedMessage(proposal);
  // The reviewer approves the hash of the file, but org memory is written from the proposed skill: both have to agree.
  if (proposal.kind !== 'retire' && !isItsFile(proposal))
    return 'The file does not match the proposed skill. Run a cycle to update the proposal.';
  return undefined;
}

/** Throws `conflict` if the proposal cannot be applied. */
export function requireCurrent(proposal: Proposal, context: ProposalContext): void {
  const why = staleness(proposal, context);
  if (why !== undefined) throw staleError(why);
}

export const staleError = (why: string): DomainError => new DomainError('conflict', 'proposal.stale', why);

export const skillChangedMessage = ({ skillName }: Pick<Proposal, 'skillName'>): string =>
  `The skill "${skillName}" changed since this was proposed; the proposal is updated or withdrawn within a minute.`;

/** Without the skill that a merge keeps, its approval would leave no skill that says this. */
const keptSkillChangedMessage = (proposal: Pick<Proposal, 'request'>): string =>
  `The skill "${keptSkill(proposal)?.skillName}", which this merge keeps, changed since; the proposal is withdrawn within a minute.`;

export const rivalApprovedMessage = ({ skillName }: Pick<Proposal, 'skillName'>): string =>
  `A proposal that contradicts "${skillName}" was approved since this was proposed; this one is updated within a minute.`;

export const alreadyDecidedError = (proposal: Pick<Proposal, 'state'>): DomainError =>
  new DomainError('conflict', 'proposal.already_decided', `This proposal is already ${proposal.state}.`);

const isItsFile = (proposal: Proposal): boolean =>
  sha256(artifactOf({ ...proposal, proposalId: proposal.id }, proposal.proposedSkill, proposal.evidence)) ===
  proposal.artifactSha256;
