import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import { DomainError } from '../../platform/base/domain.errors.js';
import { stackOf } from '../../platform/base/error-text.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { Evolver, SCHEDULE_ACTOR } from './evolver.service.js';

/** Starts a cycle on the configured schedule, if the evolver is enabled. */
@Injectable()
export class EvolverJob implements OnApplicationBootstrap {
  private readonly logger = new Logger(EvolverJob.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly schedule: SchedulerRegistry,
    private readonly evolver: Evolver,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (!this.config.evolverEnabled) {
      // The server must start even if the journal cannot be written.
      await this.evolver.journalDisabled().catch((error: unknown) => this.logger.error(String(error)));
      return;
    }
    const cron = CronJob.from({
      cronTime: this.config.evolverCron,
      waitForCompletion: true,
      onTick: () => this.wake(),
    });
    this.schedule.addCronJob('evolver', cron);
    cron.start();
  }

  /** Returns when the next scheduled cycle runs; null if cycles run only on request. */
  next(): Date | null {
    return this.config.evolverEnabled ? this.schedule.getCronJob('evolver').nextDate().toJSDate() : null;
  }

  async wake(): Promise<void> {
    try {
      await this.evolver.run(SCHEDULE_ACTOR, { trigger: 'schedule', dryRun: false });
    } catch (error) {
      // Another process runs this cycle, and one cycle per tick is enough. The cycle has journalled all other errors.
      if (error instanceof DomainError && error.code === 'evolver.busy') return;
      this.logger.error(stackOf(error));
    }
  }
}
