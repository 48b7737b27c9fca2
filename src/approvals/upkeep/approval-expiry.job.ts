import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Approvals } from '../decisions/approvals.service.js';
import { ItemWords } from './item-words.service.js';
import { StaleItems } from './stale-items.service.js';

const EVERY_MS = 60_000;

@Injectable()
export class ApprovalExpiryJob {
  private readonly logger = new Logger(ApprovalExpiryJob.name);

  constructor(
    private readonly approvals: Approvals,
    private readonly stale: StaleItems,
    private readonly words: ItemWords,
  ) {}

  @Interval(EVERY_MS)
  async sweep(): Promise<void> {
    try {
      const expired = await this.approvals.expireOverdue();
      const { rebased, withdrawn } = await this.stale.sweep();
      if (expired + rebased + withdrawn > 0)
        this.logger.log(`undecided items: ${expired} expired, ${rebased} brought up to date, ${withdrawn} withdrawn`);
      const kept = await this.words.complete();
      if (kept > 0) this.logger.log(`${kept} items can be found by their words now`);
    } catch (error) {
      this.logger.error(`the sweep of the queue failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
