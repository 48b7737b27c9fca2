import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { jobActor } from '../../journal/actor.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { messageOf } from '../../platform/base/error-text.js';
import { ExpireProposals } from './expire.js';
import { ProposalWordIndexer } from './proposal-word-indexer.service.js';
import { RebaseProposals } from './rebase.js';

const EVERY_MS = MINUTE_MS;
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

  @Interval(EVERY_MS)
  async sweep(): Promise<void> {
    try {
      const expired = await this.expireProposals.expire(EXPIRY);
      const { rebased, withdrawn } = await this.rebaseProposals.rebase(SWEEP);
      if (expired + rebased + withdrawn > 0)
        this.logger.log(`pending proposals: ${expired} expired, ${rebased} updated, ${withdrawn} withdrawn`);
      const kept = await this.words.indexMissing();
      if (kept > 0) this.logger.log(`proposals indexed for the search: ${kept}`);
    } catch (error) {
      this.logger.error(`the upkeep of the approval queue failed: ${messageOf(error)}`);
    }
  }
}
