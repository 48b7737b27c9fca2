import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import { jobActor } from '../../journal/actor.js';
import { stackOf } from '../../platform/base/error-text.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { Consolidation } from './consolidation.service.js';

/** Consolidates the memory of the agents that are due, on its schedule. */
@Injectable()
export class ConsolidationJob implements OnApplicationBootstrap {
  private readonly logger = new Logger(ConsolidationJob.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly schedule: SchedulerRegistry,
    private readonly consolidation: Consolidation,
  ) {}

  onApplicationBootstrap(): void {
    const { consolidationCron: cronTime } = this.config;
    if (cronTime === 'off') return;
    const cron = CronJob.from({ cronTime, waitForCompletion: true, onTick: () => this.wake() });
    this.schedule.addCronJob('consolidation', cron);
    cron.start();
  }

  async wake(): Promise<void> {
    try {
      await this.consolidation.runDue(jobActor('consolidation-schedule'));
    } catch (error) {
      this.logger.error(stackOf(error));
    }
  }
}
