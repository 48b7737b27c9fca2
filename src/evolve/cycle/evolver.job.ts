import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import { DomainError } from '../../platform/base/domain.errors.js';
import { stackOf } from '../../platform/base/error-text.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { Evolver, SCHEDULE_ACTOR } from './evolver.service.js';

/** Starts a cycle on the consolidation schedule, once somebody has opted in. */
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
      // A journal that cannot be written now must not keep the server from starting.
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

  /** When the next scheduled cycle runs; null while cycles run by request alone. */
  next(): Date | null {
    return this.config.evolverEnabled ? this.schedule.getCronJob('evolver').nextDate().toJSDate() : null;
  }

  async wake(): Promise<void> {
    try {
      await this.evolver.run(SCHEDULE_ACTOR, { trigger: 'schedule', dryRun: false });
    } catch (error) {
      // Another process was faster: one cycle per tick is what we want. Anything else the cycle has journalled.
      if (error instanceof DomainError && error.code === 'evolver.busy') return;
      this.logger.error(stackOf(error));
    }
  }
}
