import { Injectable } from '@nestjs/common';
import type { ReviewerActor } from '../journal/actor.js';
import { Journal } from '../journal/journal.service.js';
import type { Lesson } from '../memory/lesson.schema.js';
import { OrgMemory } from '../memory/org-memory.service.js';
import { Clock } from '../platform/clock.js';
import type { Tx } from '../platform/database.js';
import { DomainError } from '../platform/domain.errors.js';
import { Ids } from '../platform/ids.js';
import { PublicationOutbox } from '../skills/publication-outbox.service.js';
import { redactDeep } from '../untrusted/redact-deep.js';
import { WebhookOutbox } from '../webhooks/webhook-outbox.service.js';
import { ApprovalRepository } from './approval.repository.js';
import type { Item } from './approval-item.js';
import { newsOf } from './news.js';

/** What an approval does, in the caller's transaction: the decision, org memory, the outbox and the journal. */
@Injectable()
export class Settlement {
  constructor(
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly items: ApprovalRepository,
    private readonly orgMemory: OrgMemory,
    private readonly outbox: PublicationOutbox,
    private readonly webhooks: WebhookOutbox,
  ) {}

  /** Throws `conflict` when somebody else decided first. `reason` is only asked for where something is taken away. */
  async settle(tx: Tx, reviewer: ReviewerActor, item: Item, reason?: string): Promise<Item> {
    const at = this.clock.now();
    await this.items.decide(tx, {
      id: this.ids.uuid(),
      item,
      principalId: reviewer.id,
      verdict: 'approved',
      at,
      ...(reason === undefined ? {} : { reason }),
    });
    if (!(await this.items.move(tx, item, 'approved', at))) throw alreadyDecided(item);
    await (item.kind === 'retire' ? this.retire(tx, reviewer, item) : this.admit(tx, reviewer, item));
    const { id: approvalId, kind, skillName, version, artifact, artifactSha256, revision } = item;
    const journal = await this.journal.append(tx, reviewer, {
      action: 'approval.approved',
      subject: { type: 'approval', id: approvalId },
      data: { kind, artifactSha256, revision, skillName, version, ...(reason === undefined ? {} : { reason }) },
    });
    if (item.supersedesId !== null)
      await this.journal.append(tx, reviewer, {
        action: kind === 'retire' ? 'ORG_SKILL_RETIRED' : 'ORG_SKILL_SUPERSEDED',
        subject: { type: 'memory', id: item.supersedesId },
        data: { by: approvalId, skillName },
      });
    const outboxKind = kind === 'retire' ? 'retire' : 'publish';
    await this.outbox.add(tx, reviewer, {
      approvalId,
      kind: outboxKind,
      skillName,
      version,
      artifact,
      artifactSha256,
      journal,
    });
    await this.webhooks.announce(tx, newsOf('approval.approved', item));
    return { ...item, state: 'approved', decidedAt: at, updatedAt: at };
  }

  private async admit(tx: Tx, reviewer: ReviewerActor, item: Item): Promise<void> {
    await this.orgMemory.admit(tx, reviewer, {
      approvalId: item.id,
      name: item.skillName,
      version: item.version,
      lesson: redactDeep(lessonOf(item)).value,
      artifactSha256: item.artifactSha256,
      supersedes: item.supersedesId,
    });
  }

  private async retire(tx: Tx, reviewer: ReviewerActor, { supersedesId }: Item): Promise<void> {
    if (supersedesId === null) throw new Error('a retirement names the entry that it ends');
    await this.orgMemory.retire(tx, reviewer, supersedesId);
  }
}

export const alreadyDecided = (item: Item): DomainError =>
  new DomainError('conflict', 'approval.already_decided', `This item is ${item.state} already.`);

function lessonOf({ proposal, confidence }: Item): Lesson {
  const { discovery, condition, action, rationale, steps, tags } = proposal;
  return { discovery, activation: { condition, action, rationale }, steps, confidence, tags };
}
