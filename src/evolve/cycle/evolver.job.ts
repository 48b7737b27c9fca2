import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ScheduledJob, ScheduledJobs } from '../../platform/background/scheduled-jobs.service.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { EACH_MINUTE } from './cycles.schema.js';
import { Evolver, SCHEDULE_ACTOR } from './evolver.service.js';

const NAME = 'evolver';

/** Starts a cycle on the configured schedule, if the evolver is enabled and a cycle is due. */
@Injectable()
export class EvolverJob implements OnApplicationBootstrap {
  private readonly logger = new Logger(EvolverJob.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly jobs: ScheduledJobs,
    private readonly evolver: Evolver,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.evolverEnabled) return;
    // The server must start even if the journal cannot be written.
    await this.evolver.journalDisabled().catch((error: unknown) => this.logger.error(String(error)));
  }

  /** Returns when a cycle is started next, if it is due; null if cycles run only on request. */
  next(): Date | null {
    return this.jobs.next(NAME) ?? null;
  }

  @ScheduledJob({
    name: NAME,
    schedule: ({ evolverEnabled, evolverCron: cron }) => ({
      cron: evolverEnabled ? (cron === 'auto' ? EACH_MINUTE : cron) : 'off',
    }),
  })
  async run(): Promise<void> {
    if (await this.evolver.isDue()) await this.evolver.run(SCHEDULE_ACTOR, { trigger: 'schedule', dryRun: false });
  }
}
