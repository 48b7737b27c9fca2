import { Injectable } from '@nestjs/common';
import type { JobActor } from '../../journal/actor.js';
import { Journal, type JournalRecord } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import type { Tx } from '../../platform/database/database.js';
import { WebhookOutbox } from '../../webhooks/webhook-outbox.service.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import type { Item } from '../proposals/approval-item.js';
import { newsOf } from '../proposals/news.js';

/** The end of an item that has nothing left to decide: moved, journalled and told, or none of them. */
@Injectable()
export class Withdrawals {
  constructor(
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly items: ApprovalRepository,
    private readonly webhooks: WebhookOutbox,
  ) {}

  /** `data` is what the journal keeps of it. False when somebody was faster, and then nothing is done. */
  async withdraw(tx: Tx, actor: JobActor, item: Item, data: NonNullable<JournalRecord['data']>): Promise<boolean> {
    if (!(await this.items.move(tx, [item], 'withdrawn', this.clock.now()))) return false;
    await this.journal.append(tx, actor, {
      action: 'approval.withdrawn',
      subject: { type: 'approval', id: item.id },
      data,
    });
    await this.webhooks.announce(tx, newsOf('approval.withdrawn', item));
    return true;
  }
}
