import { Injectable } from '@nestjs/common';
import type { ReviewerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import { Database } from '../../platform/database/database.js';
import { Publisher } from '../../skills/publishing/publisher.service.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { ExternalEditSubmitter } from '../external/external-edit-submitter.service.js';
import { touchesLiveSkill } from '../proposals/proposal.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { toSummary } from '../proposals/proposal-summary.js';
import type { ProposalSummary } from '../proposals/proposals.schema.js';
import { DecisionApplier } from '../voting/decision-applier.service.js';
import { countDecision } from '../voting/decision-metrics.js';
import { alreadyDecidedError, type ReadRevision } from '../voting/open-proposal.js';
import { OpenProposals } from '../voting/open-proposals.service.js';
import { VoteRepository } from '../voting/vote.repository.js';

/** Rejects a proposal with a reason. The evolver does not propose the pattern again without much more evidence. */
@Injectable()
export class RejectProposal {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly proposals: ProposalRepository,
    private readonly votes: VoteRepository,
    private readonly open: OpenProposals,
    private readonly applier: DecisionApplier,
    private readonly publisher: Publisher,
    private readonly handEdits: ExternalEditSubmitter,
  ) {}

  /** Throws `conflict` if the proposal changed, is decided or has expired, `forbidden` outside the review scope. */
  async reject(reviewer: ReviewerActor, id: string, reason: string, seen: ReadRevision = {}): Promise<ProposalSummary> {
    const { text } = redact(reason);
    const rejected = await this.database.transaction(async (tx) => {
      const proposal = await this.open.lockInScope(tx, reviewer, id, seen);
      const at = this.clock.now();
      const decision = { id: this.ids.uuid(), principalId: reviewer.id, verdict: 'rejected' as const, reason: text };
      await this.votes.add(tx, { ...decision, proposal, votesNeeded: proposal.votesNeeded, at });
      if (!(await this.proposals.close(tx, [proposal], 'rejected', at))) throw alreadyDecidedError(proposal);
      const journal = await this.journal.append(tx, reviewer, {
        action: 'proposal.rejected',
        subject: { type: 'proposal', id },
        data: { artifactSha256: proposal.artifactSha256, revision: proposal.revision, reason: text },
      });
      if (proposal.edit?.from === 'main') await this.applier.restore(tx, reviewer, proposal, journal);
      return { ...proposal, state: 'rejected' as const, decidedAt: at, updatedAt: at };
    });
    countDecision('rejected', rejected);
    this.publisher.wake();
    if (touchesLiveSkill(rejected)) this.handEdits.wake();
    return toSummary(rejected, []);
  }
}
