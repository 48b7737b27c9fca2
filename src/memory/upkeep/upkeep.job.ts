import { Inject, Injectable } from '@nestjs/common';
import { jobActor } from '../../journal/actor.js';
import { type JobResult, ScheduledJobs } from '../../platform/background/scheduled-jobs.service.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { Upkeep } from './upkeep.service.js';

/** Runs the upkeep on its schedule. */
@Injectable()
export class UpkeepJob {
  constructor(
    @Inject(CONFIG) { upkeepCron: cron }: Config,
    jobs: ScheduledJobs,
    private readonly upkeep: Upkeep,
  ) {
    if (cron !== 'off') jobs.register('memory-upkeep', { cron }, () => this.run());
  }

  async run(): Promise<JobResult> {
    try {
      await this.upkeep.run(jobActor('memory-upkeep-schedule'), { trigger: 'schedule', dryRun: false });
      return 'completed';
    } catch (error) {
      if (error instanceof DomainError && error.code === 'memory.upkeep_busy') return 'busy';
      throw error;
    }
  }
}
