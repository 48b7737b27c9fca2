import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import { jobActor } from '../../journal/actor.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { stackOf } from '../../platform/base/error-text.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { SkillMerges } from './skill-merges.service.js';

const ACTOR = jobActor('skill-merges');

/** Searches for skills to merge on its schedule. */
@Injectable()
export class SkillMergesJob implements OnApplicationBootstrap {
  private readonly logger = new Logger(SkillMergesJob.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly schedule: SchedulerRegistry,
    private readonly merges: SkillMerges,
  ) {}

  onApplicationBootstrap(): void {
    const { consolidationCron, skillMergesCron: cronTime } = this.config;
    if (consolidationCron === 'off') return;
    const cron = CronJob.from({ cronTime, waitForCompletion: true, onTick: () => this.wake() });
    this.schedule.addCronJob('skill-merges', cron);
    cron.start();
  }

  async wake(): Promise<void> {
    try {
      await this.merges.run(ACTOR, { dryRun: false });
    } catch (error) {
      // Another process runs this tick; one search per tick is enough.
      if (error instanceof DomainError && error.code === 'consolidation.merges_busy') return;
      this.logger.error(stackOf(error));
    }
  }
}
