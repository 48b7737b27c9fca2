import { Inject, Injectable } from '@nestjs/common';
import { jobActor } from '../../journal/actor.js';
import { type JobResult, ScheduledJobs } from '../../platform/background/scheduled-jobs.service.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { SkillMerges } from './skill-merges.service.js';

const ACTOR = jobActor('skill-merges');

/** Searches for skills to merge on its schedule. */
@Injectable()
export class SkillMergesJob {
  constructor(
    @Inject(CONFIG) { consolidationCron, skillMergesCron: cron }: Config,
    jobs: ScheduledJobs,
    private readonly merges: SkillMerges,
  ) {
    if (consolidationCron !== 'off') jobs.register('skill-merges', { cron }, () => this.run());
  }

  async run(): Promise<JobResult> {
    try {
      await this.merges.run(ACTOR, { dryRun: false });
      return 'completed';
    } catch (error) {
      if (error instanceof DomainError && error.code === 'consolidation.merges_busy') return 'busy';
      throw error;
    }
  }
}
