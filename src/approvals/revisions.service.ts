import { Injectable } from '@nestjs/common';
import { createTwoFilesPatch } from 'diff';
import type { ReviewerActor } from '../journal/actor.js';
import { Journal } from '../journal/journal.service.js';
import { Clock } from '../platform/clock.js';
import { Database } from '../platform/database.js';
import { DomainError } from '../platform/domain.errors.js';
import { ApprovalRepository } from './approval.repository.js';
import { existing, toSummary } from './approval-summary.js';
import type { ApprovalSummary, EditProposal } from './approvals.schema.js';
import { ItemContents } from './item-contents.service.js';
import { OpenItems } from './open-items.service.js';
import { makeSafe } from './submission.js';

/** People's own hand in a waiting item: each change is a revision without votes, and names who made it. */
@Injectable()
export class Revisions {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly items: ApprovalRepository,
    private readonly open: OpenItems,
    private readonly contents: ItemContents,
  ) {}

  /**
   * Puts another wording in the place of the revision that was read. Throws `conflict` when that one is not the current
   * one any more, `invalid` when it changes nothing or cannot be published.
   */
  async edit(
    reviewer: ReviewerActor,
    id: string,
    { artifactSha256, proposal }: EditProposal,
  ): Promise<ApprovalSummary> {
    return this.database.transaction(async (tx) => {
      const item = await this.open.take(tx, id, artifactSha256);
      if (item.kind === 'retire')
        throw new DomainError('conflict', 'approval.not_editable', 'A retirement says nothing that could be edited.');
      await this.open.requireCurrent(tx, item);
      const { edit, ...rest } = item;
      const content = await this.contents.of(
        tx,
        id,
        { ...rest, editorId: reviewer.id, ...(edit ? { edit } : {}) },
        makeSafe({ proposal, evidence: item.evidence }),
        item,
      );
      if (content.artifactSha256 === item.artifactSha256)
        throw new DomainError('invalid', 'approval.unchanged', 'The proposal says what the item says already.');
      await this.items.refresh(tx, item, content, this.clock.now());
      const revision = item.revision + 1;
      await this.journal.append(tx, reviewer, {
        action: 'approval.edited',
        subject: { type: 'approval', id },
        data: {
          revision,
          artifactSha256: content.artifactSha256,
          insteadOf: item.artifactSha256,
          risk: content.risk,
          difference: createTwoFilesPatch('before', 'after', item.artifact, content.artifact),
        },
      });
      return toSummary(existing(await this.items.find(tx, id), id), []);
    });
  }
}
