import { Inject, Injectable } from '@nestjs/common';
import { jobActor } from '../../journal/actor.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { HOUR_MS } from '../../platform/base/durations.js';
import type { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { type JobResult, ScheduledJobs } from '../../platform/processes/scheduled-jobs.service.js';
import { type TuningKind, TuningPlan } from '../checkpoints/tuning.schema.js';
import { MemoryService } from './memory.service.js';
import { TrainingSets } from './training-set.service.js';
import { dueKind, type TuningSize } from './tuning-due.js';
import { TuningRunRepository } from './tuning-run.repository.js';

/** Starts a run when memory has grown enough, if the setting turns it on. */
@Injectable()
export class TuningJob {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly runs: TuningRunRepository,
    private readonly sets: TrainingSets,
    private readonly memory: MemoryService,
    jobs: ScheduledJobs,
  ) {
    if (config.embedderTuning !== 'off') jobs.register('embedder-tuning', { everyMs: HOUR_MS }, () => this.run());
  }

  async run(): Promise<JobResult> {
    await this.startIfDue();
    return 'completed';
  }

  /** Returns the kind of the run that it started. */
  async startIfDue(): Promise<TuningKind | undefined> {
    const {
      embedderTuning: mode,
      tuningMaxDocuments,
      tuningMinDocuments: minDocuments,
      tuningGrowth: growth,
    } = this.config;
    if (mode === 'off' || (await this.runs.active(this.database.client))) return undefined;
    const { documents, queries } = await this.sets.collect({}, tuningMaxDocuments);
    const [base, adapter] = [await this.lastOf('base'), await this.lastOf('adapter')];
    const last = { ...(base ? { base } : {}), ...(adapter ? { adapter } : {}) };
    const now = { documents: documents.length, pairs: queries.length };
    const kind = dueKind(now, last, { mode, minDocuments, growth });
    if (kind === undefined) return undefined;
    try {
      await this.memory.start(jobActor('embedder-tuning-schedule'), TuningPlan.parse({ kind }));
      return kind;
    } catch (error) {
      // Another process, or a person, was first; or recall uses no embedder, which the log says.
      if (error instanceof DomainError && (error.kind === 'conflict' || error.kind === 'not_supported'))
        return undefined;
      throw error;
    }
  }

  private async lastOf(kind: TuningKind): Promise<TuningSize | undefined> {
    const run = await this.runs.newest(this.database.client, { kind, state: 'completed' });
    return run && { documents: run.documents ?? 0, pairs: run.pairs ?? 0 };
  }
}
