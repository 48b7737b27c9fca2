import { Injectable } from '@nestjs/common';
import { type JobActor, requireJob } from '../../journal/actor.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { ProposalWithdrawer } from '../queue/proposal-withdrawer.service.js';

/** Withdraws retirement requests for skills that were replaced or retired meanwhile. */
@Injectable()
export class WithdrawStaleRequests {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly proposals: ProposalRepository,
    private readonly org: OrgEntries,
    private readonly withdrawals: ProposalWithdrawer,
  ) {}

  /** Returns the number of withdrawn requests. */
  async withdrawStale(actor: JobActor): Promise<number> {
    requireJob(actor);
    const pending = await this.proposals.pendingRequests(this.database.client);
    let withdrawn = 0;
    for (const { id, skillName, supersedesId } of pending) {
      if ((await this.org.liveSkill(skillName))?.id === supersedesId) continue;
      const data = { skillName, why: 'the skill was replaced or retired' };
      const isDone = await this.database.transaction(async (tx) => {
        const proposal = await this.proposals.lock(tx, id);
        return proposal?.state === 'pending' && (await this.withdrawals.withdraw(tx, actor, proposal, data));
      });
      if (isDone) withdrawn += 1;
    }
    return withdrawn;
  }
}
