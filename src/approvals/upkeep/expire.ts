import { Injectable } from '@nestjs/common';
import { type JobActor, requireJob } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { Database } from '../../platform/database/database.js';
import { WebhookOutbox } from '../../webhooks/webhook-outbox.service.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import { newsOf } from '../proposals/news.js';

/** Ends the items that nobody decided on in time. */
@Injectable()
export class ExpireProposals {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly items: ApprovalRepository,
    private readonly webhooks: WebhookOutbox,
  ) {}

  /** Returns how many were overdue. */
  async expire(actor: JobActor): Promise<number> {
    requireJob(actor);
    return this.database.transaction(async (tx) => {
      const now = this.clock.now();
      const overdue = await this.items.overdue(tx, now);
      for (const item of overdue)
        if (await this.items.move(tx, [item], 'expired', now)) {
          await this.journal.append(tx, actor, {
            action: 'approval.expired',
            subject: { type: 'approval', id: item.id },
            data: { artifactSha256: item.artifactSha256, expiresAt: item.expiresAt.toISOString() },
          });
          await this.webhooks.announce(tx, newsOf('approval.expired', item));
        }
      return overdue.length;
    });
  }
}
