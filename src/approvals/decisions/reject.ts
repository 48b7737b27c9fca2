import { Injectable } from '@nestjs/common';
import type { ReviewerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import { Database } from '../../platform/database/database.js';
import { Publisher } from '../../skills/publishing/publisher.service.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { WebhookOutbox } from '../../webhooks/webhook-outbox.service.js';
import { HandEdits } from '../external/hand-edits.service.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import { concernsLiveSkill } from '../proposals/approval-item.js';
import { toSummary } from '../proposals/approval-summary.js';
import type { ApprovalSummary } from '../proposals/approvals.schema.js';
import { newsOf } from '../proposals/news.js';
import { DecisionApplier } from '../voting/decision-applier.service.js';
import { alreadyDecided, type Seen } from '../voting/open-item.js';
import { OpenItems } from '../voting/open-items.service.js';
import { VoteRepository } from '../voting/vote.repository.js';

/** Rejects a proposal with a reason, which the evolver remembers. */
@Injectable()
export class RejectProposal {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly items: ApprovalRepository,
    private readonly votes: VoteRepository,
    private readonly open: OpenItems,
    private readonly applier: DecisionApplier,
    private readonly webhooks: WebhookOutbox,
    private readonly publisher: Publisher,
    private readonly handEdits: HandEdits,
  ) {}

  /** Throws `conflict` when the item changed, was decided or has expired, `forbidden` outside the remit. */
  async reject(reviewer: ReviewerActor, id: string, reason: string, seen: Seen = {}): Promise<ApprovalSummary> {
    const { text } = redact(reason);
    const rejected = await this.database.transaction(async (tx) => {
      const item = await this.open.take(tx, reviewer, id, seen);
      const at = this.clock.now();
      const decision = { id: this.ids.uuid(), principalId: reviewer.id, verdict: 'rejected' as const, reason: text };
      await this.votes.add(tx, { ...decision, item, at });
      if (!(await this.items.move(tx, [item], 'rejected', at))) throw alreadyDecided(item);
      const journal = await this.journal.append(tx, reviewer, {
        action: 'approval.rejected',
        subject: { type: 'approval', id },
        data: { artifactSha256: item.artifactSha256, revision: item.revision, reason: text },
      });
      if (item.edit?.from === 'main') await this.applier.restore(tx, reviewer, item, journal);
      await this.webhooks.announce(tx, newsOf('approval.rejected', item));
      return { ...item, state: 'rejected' as const, decidedAt: at, updatedAt: at };
    });
    this.publisher.wake();
    if (concernsLiveSkill(rejected)) this.handEdits.wake();
    return toSummary(rejected, []);
  }
}
