import { Inject, Injectable } from '@nestjs/common';
import { jobActor } from '../../journal/actor.js';
import { type JobResult, ScheduledJobs } from '../../platform/background/scheduled-jobs.service.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { Consolidation } from './consolidation.service.js';

/** Consolidates the memory of the agents that are due, on its schedule. */
@Injectable()
export class ConsolidationJob {
  constructor(
    @Inject(CONFIG) { consolidationCron: cron }: Config,
    jobs: ScheduledJobs,
    private readonly consolidation: Consolidation,
  ) {
    if (cron !== 'off') jobs.register('consolidation', { cron }, () => this.run());
  }

  async run(): Promise<JobResult> {
    await this.consolidation.runDue(jobActor('consolidation-schedule'));
    return 'completed';
  }
}
