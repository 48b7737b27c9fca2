import { Inject, Injectable } from '@nestjs/common';
import { jobActor } from '../../journal/actor.js';
import { MemoryReadService } from '../../memory/store/memory-read.service.js';
import { ScheduledJob } from '../../platform/background/scheduled-jobs.service.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { HOUR_MS } from '../../platform/base/durations.js';
import type { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { TuningPlan } from '../checkpoints/tuning.schema.js';
import { MemoryService } from './memory.service.js';
import { isDue } from './tuning-due.js';
import { TuningRunRepository } from './tuning-run.repository.js';

/** Starts a run when memory has grown enough, if the setting turns it on. */
@Injectable()
export class TuningJob {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly runs: TuningRunRepository,
    private readonly memories: MemoryReadService,
    private readonly memory: MemoryService,
  ) {}

  @ScheduledJob({
    name: 'embedder-tuning',
    schedule: ({ embedderTuning }) => (embedderTuning === 'off' ? { cron: 'off' } : { everyMs: HOUR_MS }),
  })
  async run(): Promise<void> {
    const { client } = this.database;
    const { tuningMaxDocuments, tuningMinDocuments: minDocuments, tuningGrowth: growth } = this.config;
    if (await this.runs.active(client)) return;
    const documents = Math.min(await this.memories.countLive(), tuningMaxDocuments);
    const last = await this.runs.newest(client, { kind: 'base', state: 'completed' });
    if (!isDue(documents, last && (last.documents ?? 0), { minDocuments, growth })) return;
    try {
      await this.memory.start(jobActor('embedder-tuning-schedule'), TuningPlan.parse({}));
    } catch (error) {
      // Another process, or a person, was first; or recall uses no embedder, which the log says.
      if (!(error instanceof DomainError && (error.kind === 'conflict' || error.kind === 'not_supported'))) throw error;
    }
  }
}
