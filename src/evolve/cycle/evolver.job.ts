import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { type JobResult, ScheduledJobs } from '../../platform/background/scheduled-jobs.service.js';
import { DomainError } from '../../platform/base/domain.errors.js';
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
  ) {
    const cron = config.evolverCron === 'auto' ? EACH_MINUTE : config.evolverCron;
    if (config.evolverEnabled) jobs.register(NAME, { cron }, () => this.run());
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.evolverEnabled) return;
    // The server must start even if the journal cannot be written.
    await this.evolver.journalDisabled().catch((error: unknown) => this.logger.error(String(error)));
  }

  /** Returns when a cycle is started next, if it is due; null if cycles run only on request. */
  next(): Date | null {
    return this.jobs.next(NAME) ?? null;
  }

  async run(): Promise<JobResult> {
    if (!(await this.evolver.isDue())) return 'completed';
    try {
      await this.evolver.run(SCHEDULE_ACTOR, { trigger: 'schedule', dryRun: false });
      return 'completed';
    } catch (error) {
      if (error instanceof DomainError && error.code === 'evolver.busy') return 'busy';
      throw error;
    }
  }
}
