import { Injectable } from '@nestjs/common';
import type { ReviewerActor } from '../journal/actor.js';
import type { ChainPosition } from '../journal/chain.js';
import { Journal } from '../journal/journal.service.js';
import type { Lesson } from '../memory/lesson.schema.js';
import { OrgEntries } from '../memory/org-entries.service.js';
import { OrgMemory } from '../memory/org-memory.service.js';
import { Clock } from '../platform/clock.js';
import type { Tx } from '../platform/database.js';
import { DomainError } from '../platform/domain.errors.js';
import { Ids } from '../platform/ids.js';
import { PublicationOutbox } from '../skills/publication-outbox.service.js';
import { Rollouts } from '../skills/rollouts.service.js';
import { redactDeep } from '../untrusted/redact-deep.js';
import { WebhookOutbox } from '../webhooks/webhook-outbox.service.js';
import { ApprovalRepository } from './approval.repository.js';
import type { Item } from './approval-item.js';
import { newsOf } from './news.js';
import { alreadyDecided } from './open-items.service.js';
import { isEnough, tally, whatIsMissing } from './quorum.js';
import { VoteRepository } from './vote.repository.js';

/** An item after a vote: approved, or pending still with what is missing. */
export interface Settled {
  readonly item: Item;
  readonly approvers: readonly string[];
  readonly says: string | null;
}

/** How an item came to be approved, as the journal keeps it. */
export interface CarriedOut {
  readonly at: Date;
  readonly approvers: readonly string[];
  readonly action: 'approval.approved' | 'approval.overridden';
  readonly data: Readonly<Record<string, unknown>>;
}

/** What an approval does, in the caller's transaction: the decision, org memory, the outbox and the journal. */
@Injectable()
export class Settlement {
  constructor(
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly items: ApprovalRepository,
    private readonly votes: VoteRepository,
    private readonly org: OrgEntries,
    private readonly orgMemory: OrgMemory,
    private readonly outbox: PublicationOutbox,
    private readonly rollouts: Rollouts,
    private readonly webhooks: WebhookOutbox,
  ) {}

  /**
   * Records the reviewer's vote, and does what was approved once there are enough; until then the item comes back
   * pending. Throws `conflict` for a second vote, and when somebody else decided first. `reason` is only asked for where
   * something is taken away.
   */
  async settle(tx: Tx, reviewer: ReviewerActor, item: Item, reason?: string): Promise<Settled> {
    const at = this.clock.now();
    const before = await this.approvers(tx, item);
    if (before.includes(reviewer.id))
      throw new DomainError(
        'conflict',
        'approval.voted_already',
        'You approved this revision already. Somebody else has to, whichever credential you use.',
      );
    await this.votes.add(tx, {
      id: this.ids.uuid(),
      item,
      principalId: reviewer.id,
      verdict: 'approved',
      at,
      ...(reason === undefined ? {} : { reason }),
    });
    // The vote was taken, so its person is an active reviewer of such items: no need to ask again.
    const approvers = [...before, reviewer.id];
    const votes = tally(item, approvers);
    if (!isEnough(votes)) {
      await this.journal.append(tx, reviewer, {
        action: 'approval.voted',
        subject: { type: 'approval', id: item.id },
        data: { artifactSha256: item.artifactSha256, revision: item.revision, ...votes },
      });
      return { item, approvers, says: whatIsMissing(votes, await this.votes.reviewers(tx, item.id)) };
    }
    return this.carryOut(tx, reviewer, item, {
      ...{ at, approvers, action: 'approval.approved' },
      data: { votes: approvers.length, ...(reason === undefined ? {} : { reason }) },
    });
  }

  /** Does what enough people decided: the item moves, and org memory, the outbox and the journal with it. */
  async carryOut(
    tx: Tx,
    reviewer: ReviewerActor,
    item: Item,
    { at, approvers, action, data }: CarriedOut,
  ): Promise<Settled> {
    if (!(await this.items.move(tx, item, 'approved', at))) throw alreadyDecided(item);
    await (item.kind === 'retire' ? this.retire(tx, reviewer, item) : this.admit(tx, reviewer, item));
    // Before the journal, whose head every other decision waits for from its entry on.
    await this.webhooks.announce(tx, newsOf('approval.approved', item));
    const { id: approvalId, kind, skillName, version, artifact, artifactSha256, revision } = item;
    const journal = await this.journal.append(tx, reviewer, {
      action,
      subject: { type: 'approval', id: approvalId },
      data: { kind, artifactSha256, revision, skillName, version, ...data },
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
      renamedFrom: await this.earlierName(tx, item),
      version,
      artifact,
      artifactSha256,
      journal,
    });
    return { item: { ...item, state: 'approved', decidedAt: at, updatedAt: at }, approvers, says: null };
  }

  private async approvers(tx: Tx, item: Item): Promise<string[]> {
    return (await this.votes.approvers(tx, [item])).get(item.id) ?? [];
  }

  /** Puts the live skill's file back on main, where this person rejected what somebody had committed in its place. */
  async restore(tx: Tx, reviewer: ReviewerActor, item: Item, journal: ChainPosition): Promise<void> {
    const live = await this.org.liveSkill(item.skillName, tx);
    const approved = live?.approvalId ? await this.items.find(tx, live.approvalId) : undefined;
    if (!approved || live?.id !== item.supersedesId) return;
    const { skillName, version, artifact, artifactSha256 } = approved;
    await this.outbox.add(tx, reviewer, {
      ...{ approvalId: item.id, kind: 'restore', skillName, renamedFrom: null },
      ...{ version, artifact, artifactSha256, journal },
    });
  }

  private async earlierName(tx: Tx, { supersedesId, skillName }: Item): Promise<string | null> {
    const replaced = supersedesId === null ? undefined : await this.org.find(supersedesId, tx);
    return replaced && replaced.skillName !== skillName ? replaced.skillName : null;
  }

  private async admit(tx: Tx, reviewer: ReviewerActor, item: Item): Promise<void> {
    const entry = await this.orgMemory.admit(tx, reviewer, {
      approvalId: item.id,
      name: item.skillName,
      version: item.version,
      lesson: redactDeep(lessonOf(item)).value,
      artifactSha256: item.artifactSha256,
      supersedes: item.supersedesId,
    });
    await this.rollouts.begin(tx, reviewer, entry, item.supersedesId);
  }

  private async retire(tx: Tx, reviewer: ReviewerActor, { supersedesId }: Item): Promise<void> {
    if (supersedesId === null) throw new Error('a retirement names the entry that it ends');
    await this.orgMemory.retire(tx, reviewer, supersedesId);
  }
}

function lessonOf({ proposal, confidence }: Item): Lesson {
  const { discovery, condition, action, rationale, steps, tags } = proposal;
  return { discovery, activation: { condition, action, rationale }, steps, confidence, tags };
}
