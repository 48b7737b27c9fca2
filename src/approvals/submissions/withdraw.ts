import { Injectable } from '@nestjs/common';
import { type JobActor, requireJob } from '../../journal/actor.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { ProposalWithdrawer } from '../queue/proposal-withdrawer.service.js';
import { VoteRepository } from '../voting/vote.repository.js';

/** Withdraws a proposal that another one subsumes. */
@Injectable()
export class WithdrawProposal {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly proposals: ProposalRepository,
    private readonly votes: VoteRepository,
    private readonly withdrawals: ProposalWithdrawer,
  ) {}

  /** False if nothing is withdrawn: the proposal is decided, or a person edited it or voted for it. */
  async withdraw(actor: JobActor, proposalId: string, reason: string): Promise<boolean> {
    requireJob(actor);
    return this.database.transaction(async (tx) => {
      const proposal = await this.proposals.lock(tx, proposalId);
      if (proposal?.state !== 'pending' || (await this.votes.isTouchedByReviewer(tx, proposal))) return false;
      const { artifactSha256, skillName } = proposal;
      return this.withdrawals.withdraw(tx, actor, proposal, { artifactSha256, skillName, reason });
    });
  }
}
