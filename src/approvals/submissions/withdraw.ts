import { Injectable } from '@nestjs/common';
import { type JobActor, requireJob } from '../../journal/actor.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import { Withdrawals } from '../queue/withdrawals.service.js';
import { VoteRepository } from '../voting/vote.repository.js';

/** Takes back a proposal that another one contains. */
@Injectable()
export class WithdrawProposal {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly items: ApprovalRepository,
    private readonly votes: VoteRepository,
    private readonly withdrawals: Withdrawals,
  ) {}

  /** False when nothing is withdrawn: the item is decided, or a person edited it or voted for it. */
  async withdraw(actor: JobActor, itemId: string, reason: string): Promise<boolean> {
    requireJob(actor);
    return this.database.transaction(async (tx) => {
      const item = await this.items.lock(tx, itemId);
      if (item?.state !== 'pending' || (await this.votes.isTouchedByReviewer(tx, item))) return false;
      const { artifactSha256, skillName } = item;
      return this.withdrawals.withdraw(tx, actor, item, { artifactSha256, skillName, reason });
    });
  }
}
