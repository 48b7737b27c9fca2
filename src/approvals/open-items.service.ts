import { Injectable } from '@nestjs/common';
import { covers, partName } from '../access/remit.js';
import type { ReviewerActor } from '../journal/actor.js';
import { OrgEntries } from '../memory/org-entries.service.js';
import { Clock } from '../platform/clock.js';
import type { Tx } from '../platform/database.js';
import { DomainError } from '../platform/domain.errors.js';
import { ApprovalRepository } from './approval.repository.js';
import type { Item } from './approval-item.js';
import { existing } from './approval-summary.js';
import { renderArtifact } from './artifact.js';
import { entityTag, matches } from './entity-tag.js';

/** Which revision a person read, as far as they say. */
export interface Seen {
  readonly artifactSha256?: string;
  readonly ifMatch?: string | undefined;
}

/** Items that can still be decided on, for whoever is about to write one. */
@Injectable()
export class OpenItems {
  constructor(
    private readonly clock: Clock,
    private readonly items: ApprovalRepository,
    private readonly org: OrgEntries,
  ) {}

  /** Locks the item as `lock` does. Throws `forbidden` when this person does not decide for the agents it is about. */
  async take(tx: Tx, reviewer: ReviewerActor, id: string, seen: Seen = {}): Promise<Item> {
    const item = await this.lock(tx, id, seen);
    requireRemit(reviewer, item);
    return item;
  }

  /** Throws `conflict` when it was decided or has expired, or holds other bytes than were read. */
  async lock(tx: Tx, id: string, { artifactSha256, ifMatch }: Seen = {}): Promise<Item> {
    const item = existing(await this.items.lock(tx, id), id);
    if (item.state !== 'pending') throw alreadyDecided(item);
    if (ifMatch !== undefined && !matches(ifMatch, entityTag(item)))
      throw new DomainError(
        'precondition_failed',
        'approval.not_matched',
        `If-Match names another revision than the current one, ${item.revision}.`,
      );
    if (item.expiresAt <= this.clock.now())
      throw new DomainError('conflict', 'approval.expired', 'This item has expired; reopen it, or run a cycle.');
    if (artifactSha256 !== undefined && item.artifactSha256 !== artifactSha256)
      throw new DomainError(
        'conflict',
        'approval.artifact_changed',
        `The item is now at revision ${item.revision} with other bytes than you read; look at it again.`,
      );
    return item;
  }

  /** Throws `conflict` when the item could not be applied as it is. */
  async requireCurrent(tx: Tx, item: Item): Promise<void> {
    const why = await this.staleness(tx, item);
    if (why !== undefined) throw new DomainError('conflict', 'approval.stale', why);
  }

  /** What the item was rendered against may have moved on: another version approved, or its target retired. */
  async staleness(tx: Tx, item: Item): Promise<string | undefined> {
    const { live, last: lastOfName } = await this.org.standing(item.skillName, tx);
    const target = item.supersedesId === null ? undefined : await this.org.find(item.supersedesId, tx);
    const isRenaming = target !== undefined && target.skillName !== item.skillName;
    const isCurrent = isRenaming
      ? live === undefined && target.supersededAt === null
      : (live?.id ?? null) === item.supersedesId;
    const last = Math.max(lastOfName, target?.version ?? 0);
    if (!isCurrent || item.version !== (item.kind === 'retire' ? live?.version : last + 1))
      return `The skill "${item.skillName}" changed since this was proposed; the item is brought up to date or withdrawn within a minute.`;
    // The reviewer's hash covers the file alone, and org memory is written from the proposal: they have to say the same.
    if (item.kind !== 'retire' && !isItsFile(item))
      return 'The file is not what this proposal renders to (any more); run a cycle to bring the item up to date.';
    return undefined;
  }
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

export const alreadyDecided = (item: Item): DomainError =>
  new DomainError('conflict', 'approval.already_decided', `This item is ${item.state} already.`);

const isItsFile = (item: Item): boolean =>
  renderArtifact({ ...item, approvalId: item.id }, item.proposal, item.evidence).sha256 === item.artifactSha256;
