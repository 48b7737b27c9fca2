import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DomainError } from '../platform/base/domain.errors.js';
import { HOUR_MS } from '../platform/base/durations.js';
import { stackOf } from '../platform/base/error-text.js';
import { redact } from '../untrusted/redaction/redact.js';
import { Retention } from './retention.service.js';

/** Removes old reports once a day. */
@Injectable()
export class RetentionJob {
  private readonly logger = new Logger(RetentionJob.name);

  constructor(private readonly retention: Retention) {}

  @Interval(HOUR_MS)
  async wake(): Promise<void> {
    try {
      const run = await this.retention.runIfDue();
      if (run)
        this.logger.log(
          `removed ${run.reports} reports, ${run.deliveries} deliveries and ${run.retrievals} retrievals; ${run.cited} old reports are cited and stay`,
        );
    } catch (error) {
      // Another process runs it.
      if (error instanceof DomainError && error.code === 'retention.busy') return;
      this.logger.error(redact(stackOf(error)).text);
    }
  }
}
