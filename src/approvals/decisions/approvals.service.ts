import { Injectable, Logger } from '@nestjs/common';
import { job, type ReviewerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import { Database } from '../../platform/database/database.js';
import { Publisher } from '../../skills/publishing/publisher.service.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { WebhookOutbox } from '../../webhooks/webhook-outbox.service.js';
import { HandEdits } from '../external/hand-edits.service.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import type { Item } from '../proposals/approval-item.js';
import { existing, toSummary } from '../proposals/approval-summary.js';
import type { ApprovalSummary, Voted } from '../proposals/approvals.schema.js';
import { newsOf } from '../proposals/news.js';
import { retirementOf } from '../proposals/retirement.js';
import { voteOn } from '../voting/ballot.js';
import { alreadyDecided, requireMatch, requireRemit, type Seen } from '../voting/open-item.js';
import { OpenItems } from '../voting/open-items.service.js';
import { Settlement } from '../voting/settlement.service.js';
import { VoteRepository } from '../voting/vote.repository.js';
import { JointApprovals } from './joint-approvals.service.js';

const HOUR = 3_600_000;

/** Where people decide. Deciding verbs take a `ReviewerActor` and nothing else: a job cannot even be passed. */
@Injectable()
export class Approvals {
  private readonly logger = new Logger(Approvals.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly items: ApprovalRepository,
    private readonly votes: VoteRepository,
    private readonly open: OpenItems,
    private readonly org: OrgEntries,
    private readonly settlement: Settlement,
    private readonly joint: JointApprovals,
    private readonly publisher: Publisher,
    private readonly handEdits: HandEdits,
    private readonly webhooks: WebhookOutbox,
  ) {}

  /**
   * Approves exactly the bytes that the reviewer read: in one transaction the vote and, where it is enough, org memory,
   * the publication and the journal, or none of them. Throws `conflict` when the item changed, was decided or has expired.
   */
  async approve(reviewer: ReviewerActor, id: string, artifactSha256: string, ifMatch?: string): Promise<Voted> {
    const { item, approvers, says } = await this.joint.cast({ reviewer, id, seen: { artifactSha256, ifMatch } });
    if (item.state === 'approved' && item.supersedesId !== null && item.kind !== 'retire')
      this.logger.log({ event: 'ORG_SKILL_SUPERSEDED', memory: item.supersedesId, approval: id });
    this.follow(item);
    return { ...toSummary(item, approvers), says };
  }

  /** Rejects with a reason, which the evolver remembers (E1.6). Throws `conflict` when it was decided before. */
  async reject(reviewer: ReviewerActor, id: string, reason: string, seen: Seen = {}): Promise<ApprovalSummary> {
    const { text } = redact(reason);
    const { item: decided, rejected } = await this.database.transaction(async (tx) => {
      const item = await this.open.take(tx, reviewer, id, seen);
      const at = this.clock.now();
      const decisionId = this.ids.uuid();
      await this.votes.add(tx, {
        id: decisionId,
        item,
        principalId: reviewer.id,
        verdict: 'rejected',
        reason: text,
        at,
      });
      if (!(await this.items.move(tx, [item], 'rejected', at))) throw alreadyDecided(item);
      const journal = await this.journal.append(tx, reviewer, {
        action: 'approval.rejected',
        subject: { type: 'approval', id },
        data: { artifactSha256: item.artifactSha256, revision: item.revision, reason: text },
      });
      if (item.edit?.from === 'main') await this.settlement.restore(tx, reviewer, item, journal);
      await this.webhooks.announce(tx, newsOf('approval.rejected', item));
      const rejected = { ...item, state: 'rejected' as const, decidedAt: at, updatedAt: at };
      return { item, rejected: toSummary(rejected, []) };
    });
    this.follow(decided);
    return rejected;
  }

  /**
   * Takes an approval back: the skill is retired by this person's decision, which is an item of its own, and the file
   * goes with a commit. Throws `conflict` when the approval's skill is not live any more.
   */
  async revoke(reviewer: ReviewerActor, id: string, reason: string, ifMatch?: string): Promise<ApprovalSummary> {
    const { text } = redact(reason);
    const retired = await this.database.transaction(async (tx) => {
      const approved = existing(await this.items.lock(tx, id), id);
      requireRemit(reviewer, approved);
      requireMatch(approved, ifMatch);
      const live = await this.org.liveSkill(approved.skillName, tx);
      if (live?.approvalId !== id)
        throw new DomainError('conflict', 'approval.not_live', 'No live skill stands on this approval.');
      const now = this.clock.now();
      const retirement = await this.items.create(tx, retirementOf(approved, live.id), {
        id: this.ids.uuid(),
        fingerprint: `revoke:${live.id}`,
        createdAt: now,
        expiresAt: new Date(now.getTime() + HOUR),
      });
      const [settled] = await this.settlement.settle(tx, [{ ...voteOn(reviewer, retirement, []), reason: text }]);
      return existing(settled, retirement.id);
    });
    this.publisher.wake();
    return toSummary(retired.item, retired.approvers);
  }

  /** Ends what nobody decided in time; the number of items. */
  async expireOverdue(): Promise<number> {
    return this.database.transaction(async (tx) => {
      const now = this.clock.now();
      const overdue = await this.items.overdue(tx, now);
      for (const item of overdue)
        if (await this.items.move(tx, [item], 'expired', now)) {
          await this.journal.append(tx, job('approval-expiry'), {
            action: 'approval.expired',
            subject: { type: 'approval', id: item.id },
            data: { artifactSha256: item.artifactSha256, expiresAt: item.expiresAt.toISOString() },
          });
          await this.webhooks.announce(tx, newsOf('approval.expired', item));
        }
      return overdue.length;
    });
  }

  /** What a decision on a hand edit, or on a skill that has one, leaves in the folder is brought in line with it. */
  private follow({ edit, supersedesId }: Item): void {
    this.publisher.wake();
    if (edit !== null || supersedesId !== null) this.handEdits.wake();
  }
}
