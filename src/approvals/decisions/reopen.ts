import { Inject, Injectable } from '@nestjs/common';
import type { ReviewerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { Database, isUniqueViolation, type Tx } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { WebhookOutbox } from '../../webhooks/webhook-outbox.service.js';
import { Contradictions } from '../contradictions/contradictions.service.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import type { Item, ItemContent } from '../proposals/approval-item.js';
import { existing, toSummary } from '../proposals/approval-summary.js';
import type { ApprovalSummary } from '../proposals/approvals.schema.js';
import { expiryOf } from '../proposals/expiry.js';
import { ItemContents } from '../proposals/item-contents.service.js';
import { newsOf } from '../proposals/news.js';
import { retirementOf } from '../proposals/retirement.js';
import { withoutEdit } from '../proposals/submission.js';
import { requireMatch, requireRemit } from '../voting/open-item.js';
import { OpenItems } from '../voting/open-items.service.js';

/** Asks again what was rejected, expired or withdrawn: a new item, since what was decided is frozen. */
@Injectable()
export class ReopenProposal {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly items: ApprovalRepository,
    private readonly contents: ItemContents,
    private readonly open: OpenItems,
    private readonly webhooks: WebhookOutbox,
    private readonly contradictions: Contradictions,
  ) {}

  /** Throws `conflict` when the item is pending or approved, its pattern waits already, or its skill moved on. */
  async reopen(reviewer: ReviewerActor, id: string, reason: string, ifMatch?: string): Promise<ApprovalSummary> {
    const { text } = redact(reason);
    try {
      return await this.database.transaction(async (tx) => {
        const old = existing(await this.items.lock(tx, id), id);
        requireRemit(reviewer, old);
        requireMatch(old, ifMatch);
        requireReopenable(old);
        const now = this.clock.now();
        const newId = this.ids.uuid();
        const item = await this.items.create(tx, await this.contentOf(tx, newId, old), {
          ...{ id: newId, fingerprint: old.fingerprint, reopenedFromId: old.id, createdAt: now },
          ...(old.request ? { request: old.request } : {}),
          expiresAt: expiryOf(now, this.config),
        });
        await this.open.requireCurrent(tx, item);
        await this.journal.append(tx, reviewer, {
          action: 'approval.reopened',
          subject: { type: 'approval', id: item.id },
          data: { from: old.id, was: old.state, reason: text, artifactSha256: item.artifactSha256 },
        });
        await this.webhooks.announce(tx, newsOf('approval.submitted', item));
        await this.contradictions.inherit(tx, reviewer, old.id, item.id);
        return toSummary(existing(await this.items.find(tx, item.id), item.id), []);
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new DomainError('conflict', 'approval.pending_already', 'This pattern waits for a decision already.');
    }
  }

  /** A retirement names the live bytes. Everything else has the item's id in its file, and so is rendered anew. */
  private async contentOf(tx: Tx, id: string, old: Item): Promise<ItemContent> {
    if (old.kind === 'retire' && old.supersedesId !== null) return retirementOf(old, old.supersedesId);
    return this.contents.of(tx, id, withoutEdit(old), old, old);
  }
}

function requireReopenable({ state, edit }: Item): void {
  if (state === 'pending' || state === 'approved')
    throw new DomainError('conflict', 'approval.not_reopenable', `This item is ${state}; there is nothing to reopen.`);
  if (edit !== null)
    throw new DomainError(
      'conflict',
      'approval.not_reopenable',
      'This item followed a file that somebody changed: change the file again, and it is asked about again.',
    );
}
