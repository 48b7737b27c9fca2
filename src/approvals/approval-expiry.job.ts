import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Approvals } from './approvals.service.js';

const EVERY_MS = 60_000;

@Injectable()
export class ApprovalExpiryJob {
  private readonly logger = new Logger(ApprovalExpiryJob.name);

  constructor(private readonly approvals: Approvals) {}

  @Interval(EVERY_MS)
  async sweep(): Promise<void> {
    try {
      const expired = await this.approvals.expireOverdue();
      if (expired > 0) this.logger.log(`${expired} undecided approval items expired`);
    } catch (error) {
      this.logger.error(`the expiry sweep failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
