import { Injectable } from '@nestjs/common';
import { type JobActor, requireJob } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { Database } from '../../platform/database/database.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';

/** Expires undecided proposals. */
@Injectable()
export class ExpireProposals {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly proposals: ProposalRepository,
  ) {}

  /** Returns the number of overdue proposals. */
  async expire(actor: JobActor): Promise<number> {
    requireJob(actor);
    return this.database.transaction(async (tx) => {
      const now = this.clock.now();
      const overdue = await this.proposals.findExpired(tx, now);
      for (const proposal of overdue)
        if (await this.proposals.close(tx, [proposal], 'expired', now)) {
          await this.journal.append(tx, actor, {
            action: 'proposal.expired',
            subject: { type: 'proposal', id: proposal.id },
            data: { artifactSha256: proposal.artifactSha256, expiresAt: proposal.expiresAt.toISOString() },
          });
        }
      return overdue.length;
    });
  }
}
