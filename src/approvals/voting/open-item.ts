import { covers, partName } from '../../access/identity/remit.js';
import type { ReviewerActor } from '../../journal/actor.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { courseOf, type Rival } from '../contradictions/contradiction.js';
import type { Item } from '../proposals/approval-item.js';
import { artifactOf } from '../proposals/artifact.js';
import { entityTag, matches } from '../proposals/entity-tag.js';

/** Which revision a person read, as far as they say. */
export interface Seen {
  readonly artifactSha256?: string;
  readonly ifMatch?: string | undefined;
}

/** What org memory holds under the item's name and at its target, read while the item is locked. */
export interface Surroundings {
  /** The live version of the item's skill, and the highest that was ever approved; undefined when none ever was. */
  readonly standing: { readonly live: { id: string; version: number } | undefined; readonly last: number } | undefined;
  readonly target:
    | { readonly skillName: string | null; readonly version: number | null; readonly supersededAt: string | null }
    | undefined;
  /** What it contradicts, as far as that can have been decided. */
  readonly rivals: readonly Rival[];
}

/** Throws `conflict` when it was decided or has expired, or holds other bytes than were read. */
export function requireOpen(item: Item, { artifactSha256, ifMatch }: Seen, now: Date): void {
  if (item.state !== 'pending') throw alreadyDecided(item);
  requireMatch(item, ifMatch);
  if (item.expiresAt <= now)
    throw new DomainError('conflict', 'approval.expired', 'This item has expired; reopen it, or run a cycle.');
  if (artifactSha256 !== undefined && item.artifactSha256 !== artifactSha256)
    throw new DomainError(
      'conflict',
      'approval.artifact_changed',
      `The item is now at revision ${item.revision} with other bytes than you read; look at it again.`,
    );
}

/** Throws `precondition_failed` when the item is at another revision, or in another state, than `If-Match` names. */
export function requireMatch(item: Item, ifMatch: string | undefined): void {
  if (ifMatch === undefined || matches(ifMatch, entityTag(item))) return;
  throw new DomainError(
    'precondition_failed',
    'approval.not_matched',
    `If-Match names another revision than the current one, ${item.revision}, which is ${item.state}.`,
  );
}

/** Throws `forbidden` when the item is about agents that this person does not decide for. */
export function requireRemit({ remit }: ReviewerActor, { audience }: Pick<Item, 'audience'>): void {
  if (covers(remit, audience)) return;
  const whose = audience.length === 0 ? 'the whole organisation' : audience.slice(0, 5).map(partName).join(', ');
  throw new DomainError(
    'forbidden',
    'approval.outside_remit',
    `This is about ${whose}; you decide for ${remit?.slice(0, 5).map(partName).join(', ')}.`,
  );
}

/** Why the item could not be applied as it is, if it could not: another version approved, or its target retired. */
export function staleness(item: Item, { standing, target, rivals }: Surroundings): string | undefined {
  const live = standing?.live;
  const isRenaming = target !== undefined && target.skillName !== item.skillName;
  const isCurrent = isRenaming
    ? live === undefined && target.supersededAt === null
    : (live?.id ?? null) === item.supersedesId;
  const course = courseOf(item, rivals);
  if (course.as === 'against' || course.as === 'told') return contested(item);
  const last = Math.max(standing?.last ?? 0, target?.version ?? 0);
  if (!isCurrent || item.version !== (item.kind === 'retire' ? live?.version : last + 1)) return moved(item);
  // The reviewer's hash covers the file alone, and org memory is written from the proposal: they have to say the same.
  if (item.kind !== 'retire' && !isItsFile(item))
    return 'The file is not what this proposal renders to (any more); run a cycle to bring the item up to date.';
  return undefined;
}

/** Throws `conflict` for an item that could not be applied as it is. */
export function requireCurrent(item: Item, around: Surroundings): void {
  const why = staleness(item, around);
  if (why !== undefined) throw stale(why);
}

export const stale = (why: string): DomainError => new DomainError('conflict', 'approval.stale', why);

export const moved = ({ skillName }: Pick<Item, 'skillName'>): string =>
  `The skill "${skillName}" changed since this was proposed; the item is brought up to date or withdrawn within a minute.`;

export const contested = ({ skillName }: Pick<Item, 'skillName'>): string =>
  `What "${skillName}" contradicts was approved since this was proposed; the item is brought up to date within a minute.`;

export const alreadyDecided = (item: Pick<Item, 'state'>): DomainError =>
  new DomainError('conflict', 'approval.already_decided', `This item is ${item.state} already.`);

const isItsFile = (item: Item): boolean =>
  sha256(artifactOf({ ...item, approvalId: item.id }, item.proposal, item.evidence)) === item.artifactSha256;
