import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { job } from '../../journal/actor.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { messageOf } from '../../platform/base/thrown.js';
import { ExpireProposals } from './expire.js';
import { ItemWords } from './item-words.service.js';
import { RebaseProposals } from './rebase.js';

const EVERY_MS = MINUTE_MS;
const EXPIRY = job('approval-expiry');
const SWEEP = job('approval-sweep');

@Injectable()
export class ApprovalExpiryJob {
  private readonly logger = new Logger(ApprovalExpiryJob.name);

  constructor(
    private readonly expireProposals: ExpireProposals,
    private readonly rebaseProposals: RebaseProposals,
    private readonly words: ItemWords,
  ) {}

  @Interval(EVERY_MS)
  async sweep(): Promise<void> {
    try {
      const expired = await this.expireProposals.expire(EXPIRY);
      const { rebased, withdrawn } = await this.rebaseProposals.rebase(SWEEP);
      if (expired + rebased + withdrawn > 0)
        this.logger.log(`undecided items: ${expired} expired, ${rebased} brought up to date, ${withdrawn} withdrawn`);
      const kept = await this.words.complete();
      if (kept > 0) this.logger.log(`${kept} items can be found by their words now`);
    } catch (error) {
      this.logger.error(`the sweep of the queue failed: ${messageOf(error)}`);
    }
  }
}
