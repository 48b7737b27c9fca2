import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import { jobActor } from '../../journal/actor.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { stackOf } from '../../platform/base/error-text.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { Upkeep } from './upkeep.service.js';

/** Runs the upkeep on its schedule. */
@Injectable()
export class UpkeepJob implements OnApplicationBootstrap {
  private readonly logger = new Logger(UpkeepJob.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly schedule: SchedulerRegistry,
    private readonly upkeep: Upkeep,
  ) {}

  onApplicationBootstrap(): void {
    const { upkeepCron: cronTime } = this.config;
    if (cronTime === 'off') return;
    const cron = CronJob.from({
      cronTime,
      waitForCompletion: true,
      onTick: () => this.wake(),
    });
    this.schedule.addCronJob('memory-upkeep', cron);
    cron.start();
  }

  async wake(): Promise<void> {
    try {
      await this.upkeep.run(jobActor('memory-upkeep-schedule'), { trigger: 'schedule', dryRun: false });
    } catch (error) {
      // Another process runs this tick; one run per tick is enough.
      if (error instanceof DomainError && error.code === 'memory.upkeep_busy') return;
      this.logger.error(stackOf(error));
    }
  }
}
