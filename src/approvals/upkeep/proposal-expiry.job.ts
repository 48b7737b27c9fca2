import { Injectable, Logger } from '@nestjs/common';
import { jobActor } from '../../journal/actor.js';
import { ScheduledJob } from '../../platform/background/scheduled-jobs.service.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { ExpireProposals } from './expire.js';
import { ProposalWordIndexer } from './proposal-word-indexer.service.js';
import { RebaseProposals } from './rebase.js';

const EXPIRY = jobActor('proposal-expiry');
const SWEEP = jobActor('proposal-sweep');

@Injectable()
export class ProposalExpiryJob {
  private readonly logger = new Logger(ProposalExpiryJob.name);

  constructor(
    private readonly expireProposals: ExpireProposals,
    private readonly rebaseProposals: RebaseProposals,
    private readonly words: ProposalWordIndexer,
  ) {}

  @ScheduledJob({ name: 'proposal-expiry', schedule: () => ({ everyMs: MINUTE_MS }) })
  async sweep(): Promise<void> {
    const expired = await this.expireProposals.expire(EXPIRY);
    const { rebased, withdrawn } = await this.rebaseProposals.rebase(SWEEP);
    if (expired + rebased + withdrawn > 0)
      this.logger.log(`pending proposals: ${expired} expired, ${rebased} updated, ${withdrawn} withdrawn`);
    const kept = await this.words.indexMissing();
    if (kept > 0) this.logger.log(`proposals indexed for the search: ${kept}`);
  }
}
