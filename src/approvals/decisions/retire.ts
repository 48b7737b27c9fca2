import { Injectable } from '@nestjs/common';
import type { ReviewerActor } from '../../journal/actor.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { HOUR_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import { Database } from '../../platform/database/database.js';
import { Publisher } from '../../skills/publishing/publisher.service.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { requireFound, toSummary } from '../proposals/proposal-summary.js';
import type { ProposalSummary } from '../proposals/proposals.schema.js';
import { retirementProposal } from '../proposals/retirement.js';
import { voteOn } from '../voting/approval-request.js';
import { requireMatch, requireReviewScope } from '../voting/open-proposal.js';
import { VoteCaster } from '../voting/vote-caster.service.js';

/**
 * Retires the skill of an approved proposal: a retirement proposal that this reviewer approves at once, with its own
 * journal entry.
 */
@Injectable()
export class RetireSkill {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly proposals: ProposalRepository,
    private readonly org: OrgEntries,
    private readonly caster: VoteCaster,
    private readonly publisher: Publisher,
  ) {}

  /** Throws `conflict` if the skill of the proposal is no longer live, `forbidden` outside the review scope. */
  async retire(reviewer: ReviewerActor, id: string, reason: string, ifMatch?: string): Promise<ProposalSummary> {
    const { text } = redact(reason);
    const retired = await this.database.transaction(async (tx) => {
      const approved = requireFound(await this.proposals.lock(tx, id), id);
      requireReviewScope(reviewer, approved);
      requireMatch(approved, ifMatch);
      const live = await this.org.liveSkill(approved.skillName, tx);
      if (live?.proposalId !== id)
        throw new DomainError('conflict', 'proposal.not_live', 'No live skill was published from this proposal.');
      const now = this.clock.now();
      const retirement = await this.proposals.create(tx, retirementProposal(approved, live.id), {
        id: this.ids.uuid(),
        fingerprint: `revoke:${live.id}`,
        createdAt: now,
        expiresAt: new Date(now.getTime() + HOUR_MS),
      });
      const [result] = await this.caster.cast(tx, [{ ...voteOn(reviewer, retirement, []), reason: text }]);
      return requireFound(result, retirement.id);
    });
    this.publisher.wake();
    return toSummary(retired.proposal, retired.approvers);
  }
}
