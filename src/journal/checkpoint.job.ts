import { Inject, Injectable } from '@nestjs/common';
import { type JobResult, ScheduledJobs } from '../platform/background/scheduled-jobs.service.js';
import { MINUTE_MS } from '../platform/base/durations.js';
import type { Config } from '../platform/config/config.js';
import { CONFIG } from '../platform/platform.module.js';
import { JournalAudit } from './journal-audit.service.js';

/** Signs the head of the journal at intervals. */
@Injectable()
export class CheckpointJob {
  constructor(
    @Inject(CONFIG) { journalCheckpointMinutes }: Config,
    jobs: ScheduledJobs,
    private readonly audit: JournalAudit,
  ) {
    jobs.register('journal-checkpoint', { everyMs: journalCheckpointMinutes * MINUTE_MS }, () => this.run());
  }

  async run(): Promise<JobResult> {
    await this.audit.sign();
    return 'completed';
  }
}
