import { Injectable } from '@nestjs/common';
import type { ReviewerActor } from '../../journal/actor.js';
import { canonicalJson } from '../../platform/base/canonical-json.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Database } from '../../platform/database/database.js';
import { sanitizeWording, toNewProposal } from '../proposals/new-proposal.js';
import { ProposalBuilder } from '../proposals/proposal-builder.service.js';
import type { EditProposal, ProposalSummary } from '../proposals/proposals.schema.js';
import { withEditor } from '../proposals/quorum.js';
import { OpenProposals } from '../voting/open-proposals.service.js';
import { RevisionWriter } from '../voting/revision-writer.service.js';

/** Edits a pending proposal: a revision without votes, with this reviewer as its author. */
@Injectable()
export class EditWording {
  constructor(
    private readonly database: Database,
    private readonly open: OpenProposals,
    private readonly builder: ProposalBuilder,
    private readonly revisions: RevisionWriter,
  ) {}

  /**
   * Replaces the revision that the reviewer read. Throws `conflict` if it is no longer the current one, `invalid` if
   * the edit changes nothing or cannot be published.
   */
  async edit(
    reviewer: ReviewerActor,
    id: string,
    { artifactSha256, proposedSkill }: EditProposal,
    ifMatch?: string,
  ): Promise<ProposalSummary> {
    return this.database.transaction(async (tx) => {
      const proposal = await this.open.lockInScope(tx, reviewer, id, { artifactSha256, ifMatch });
      if (proposal.kind === 'retire')
        throw new DomainError('conflict', 'proposal.not_editable', 'A retirement has no text to edit.');
      await this.open.requireCurrent(tx, proposal);
      const content = await this.builder.build(
        tx,
        id,
        { ...toNewProposal(proposal), ...withEditor(proposal, reviewer.id) },
        sanitizeWording(proposedSkill, proposal, reviewer.id),
        proposal,
      );
      // The tags are not in the file.
      const isSame = canonicalJson(content.proposedSkill) === canonicalJson(proposal.proposedSkill);
      if (isSame && content.artifactSha256 === proposal.artifactSha256)
        throw new DomainError('invalid', 'proposal.unchanged', 'The edit does not change the proposal.');
      return this.revisions.revise(tx, reviewer, proposal, content, 'proposal.edited');
    });
  }
}
