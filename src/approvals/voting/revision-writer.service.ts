import { Injectable } from '@nestjs/common';
import { createTwoFilesPatch } from 'diff';
import type { ReviewerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import type { Tx } from '../../platform/database/database.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import type { Item, ItemContent } from '../proposals/approval-item.js';
import { existing, toSummary } from '../proposals/approval-summary.js';
import type { ApprovalSummary } from '../proposals/approvals.schema.js';

/** A reviewer's change of a pending item, in the caller's transaction: a revision without votes, journalled with the difference. */
@Injectable()
export class RevisionWriter {
  constructor(
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly items: ApprovalRepository,
  ) {}

  /** `item` is locked, at the revision that `content` replaces. */
  async revise(
    tx: Tx,
    reviewer: ReviewerActor,
    item: Item,
    content: ItemContent,
    action: 'approval.edited' | 'approval.resolved',
  ): Promise<ApprovalSummary> {
    await this.items.refresh(tx, item, content, this.clock.now());
    await this.journal.append(tx, reviewer, {
      action,
      subject: { type: 'approval', id: item.id },
      data: {
        revision: item.revision + 1,
        kind: content.kind,
        artifactSha256: content.artifactSha256,
        insteadOf: item.artifactSha256,
        risk: content.risk,
        difference: createTwoFilesPatch('before', 'after', item.artifact, content.artifact),
      },
    });
    return toSummary(existing(await this.items.find(tx, item.id), item.id), []);
  }
}
