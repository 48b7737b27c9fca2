import { Injectable } from '@nestjs/common';
import type { ReviewerActor } from '../../journal/actor.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Database } from '../../platform/database/database.js';
import type { ApprovalSummary, EditProposal } from '../proposals/approvals.schema.js';
import { ItemContents } from '../proposals/item-contents.service.js';
import { reworded } from '../proposals/quorum.js';
import { makeSafe, submissionOf } from '../proposals/submission.js';
import { OpenItems } from '../voting/open-items.service.js';
import { RevisionWriter } from '../voting/revision-writer.service.js';

/** Gives a pending item another wording: a revision without votes, which names this reviewer as its writer. */
@Injectable()
export class EditWording {
  constructor(
    private readonly database: Database,
    private readonly open: OpenItems,
    private readonly contents: ItemContents,
    private readonly revisions: RevisionWriter,
  ) {}

  /**
   * Puts another wording in the place of the revision that was read. Throws `conflict` when that one is not the current
   * one any more, `invalid` when it changes nothing or cannot be published.
   */
  async edit(
    reviewer: ReviewerActor,
    id: string,
    { artifactSha256, proposal }: EditProposal,
    ifMatch?: string,
  ): Promise<ApprovalSummary> {
    return this.database.transaction(async (tx) => {
      const item = await this.open.take(tx, reviewer, id, { artifactSha256, ifMatch });
      if (item.kind === 'retire')
        throw new DomainError('conflict', 'approval.not_editable', 'A retirement says nothing that could be edited.');
      await this.open.requireCurrent(tx, item);
      const content = await this.contents.of(
        tx,
        id,
        { ...submissionOf(item), ...reworded(item, reviewer.id) },
        makeSafe({ proposal, evidence: item.evidence }),
        item,
      );
      if (content.artifactSha256 === item.artifactSha256)
        throw new DomainError('invalid', 'approval.unchanged', 'The proposal says what the item says already.');
      return this.revisions.revise(tx, reviewer, item, content, 'approval.edited');
    });
  }
}
