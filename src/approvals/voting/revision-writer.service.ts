import { Injectable } from '@nestjs/common';
import { createTwoFilesPatch } from 'diff';
import type { ReviewerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import type { Tx } from '../../platform/database/database.js';
import type { Proposal, ProposalContent } from '../proposals/proposal.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { requireFound, toSummary } from '../proposals/proposal-summary.js';
import type { ProposalSummary } from '../proposals/proposals.schema.js';

/**
 * Writes a reviewer's revision of a pending proposal, without votes and journalled with the diff, in the caller's
 * transaction.
 */
@Injectable()
export class RevisionWriter {
  constructor(
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly proposals: ProposalRepository,
  ) {}

  /** `proposal` has to be locked, at the revision that `content` replaces. */
  async revise(
    tx: Tx,
    reviewer: ReviewerActor,
    proposal: Proposal,
    content: ProposalContent,
    action: 'proposal.edited' | 'proposal.resolved',
  ): Promise<ProposalSummary> {
    await this.proposals.revise(tx, proposal, content, this.clock.now());
    await this.journal.append(tx, reviewer, {
      action,
      subject: { type: 'proposal', id: proposal.id },
      data: {
        revision: proposal.revision + 1,
        kind: content.kind,
        artifactSha256: content.artifactSha256,
        insteadOf: proposal.artifactSha256,
        risk: content.risk,
        difference: createTwoFilesPatch('before', 'after', proposal.artifact, content.artifact),
      },
    });
    return toSummary(requireFound(await this.proposals.find(tx, proposal.id), proposal.id), []);
  }
}
