import { Inject, Injectable, Logger } from '@nestjs/common';
import { type JobResult, ScheduledJobs } from '../platform/background/scheduled-jobs.service.js';
import { DomainError } from '../platform/base/domain.errors.js';
import { HOUR_MS } from '../platform/base/durations.js';
import type { Config } from '../platform/config/config.js';
import { CONFIG } from '../platform/platform.module.js';
import { Retention } from './retention.service.js';

/** Removes old reports and deliveries once a day. Each hour looks whether this day's run is still to come. */
@Injectable()
export class RetentionJob {
  private readonly logger = new Logger(RetentionJob.name);

  constructor(
    private readonly retention: Retention,
    jobs: ScheduledJobs,
    @Inject(CONFIG) { keepReportsDays, keepDeliveriesDays }: Config,
  ) {
    if (keepReportsDays > 0 || keepDeliveriesDays > 0)
      jobs.register('retention', { everyMs: HOUR_MS }, () => this.run());
  }

  private async run(): Promise<JobResult> {
    try {
      const run = await this.retention.runIfDue();
      if (run)
        this.logger.log(
          `removed ${run.reports} reports, ${run.deliveries} deliveries and ${run.retrievals} retrievals; ${run.cited} old reports are cited and stay`,
        );
      return 'completed';
    } catch (error) {
      // A person's request runs it.
      if (error instanceof DomainError && error.code === 'retention.busy') return 'busy';
      throw error;
    }
  }
}
