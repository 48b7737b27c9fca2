import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { type AdminActor, type JobActor, jobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { type Run, Runs, shownTimes, undoUntil } from '../../platform/background/runs.js';
import { ScheduledJob } from '../../platform/background/scheduled-jobs.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import { sumBy } from '../../platform/base/sum.js';
import type { Config } from '../../platform/config/config.js';
import { Database, type Tx, WorkerDatabase } from '../../platform/database/database.js';
import { releaseLease, takeLease, whileRenewing } from '../../platform/database/lease.js';
import { CONFIG } from '../../platform/platform.module.js';
import { LessonRepository } from '../lessons/lesson.repository.js';
import type { EndReason, LessonEnd } from '../lessons/retention-candidate.js';
import { selectLessonsToEnd } from './eviction.js';
import { type LessonCopy, PropagationWorker } from './propagation-worker.service.js';
import { pruningStrategy } from './pruning.strategy.js';
import { UpkeepRepository } from './upkeep.repository.js';
import {
  type UpkeepQuery,
  UpkeepReport,
  type UpkeepRun,
  type UpkeepRunList,
  type UpkeepUndoResult,
} from './upkeep.schema.js';

const LEASE = 'memory-upkeep';
/** A run of a killed process keeps the next one from starting for as long. */
const LEASE_MS = MINUTE_MS;
const RENEW_MS = LEASE_MS / 4;
/** Most lessons that one transaction ends and one journal entry names. */
const CHUNK = 500;
const MAX_REPORTED = 500;
const UPKEEP = jobActor('memory-upkeep');

const RUNS = new Runs('upkeep', z.object({}), UpkeepReport);
type StoredRun = Run<object, UpkeepReport>;
type AgentLessonEnd = LessonEnd & { readonly agent: string };

/**
 * Ends private lessons that are too old or too rarely used, and copies lessons to peers. It runs under the database
 * role of background work, which cannot change org memory, regardless of what a strategy returns.
 */
@Injectable()
export class Upkeep {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly worker: WorkerDatabase,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly lessons: LessonRepository,
    private readonly repository: UpkeepRepository,
    private readonly propagation: PropagationWorker,
  ) {}

  @ScheduledJob({ name: 'memory-upkeep', schedule: ({ upkeepCron: cron }) => ({ cron }) })
  runScheduled(): Promise<UpkeepRun> {
    return this.run(jobActor('memory-upkeep-schedule'), { trigger: 'schedule', dryRun: false });
  }

  /** Runs once. Throws `conflict` while another run is in progress, in any process. */
  async run(actor: JobActor, { trigger, dryRun }: Pick<UpkeepRun, 'trigger' | 'dryRun'>): Promise<UpkeepRun> {
    const id = this.ids.uuid();
    const startedAt = this.clock.now();
    const { client } = this.worker;
    if (!(await this.takeLease(id)))
      throw new DomainError('conflict', 'memory.upkeep_busy', 'The upkeep is already running; wait for its report.');
    try {
      await RUNS.expire(client, startedAt);
      await RUNS.start(client, { id, trigger, dryRun, startedAt, input: {} });
      const report = await whileRenewing(
        RENEW_MS,
        () => this.takeLease(id),
        () => this.maintainLessons(id, dryRun, startedAt),
      );
      return await this.worker.transaction(async (tx) => {
        await RUNS.complete(tx, id, report, this.clock.now());
        await this.journal.append(tx, actor, {
          action: 'memory.upkeep_completed',
          subject: { type: 'upkeep_run', id },
          data: { trigger, dryRun, ended: report.ended, copied: report.copied },
        });
        return this.toUpkeepRun(await this.find(tx, id));
      });
    } finally {
      await releaseLease(client, LEASE, id);
    }
  }

  private takeLease(id: string): Promise<boolean> {
    return takeLease(this.worker.client, LEASE, id, this.clock.now(), LEASE_MS);
  }

  async list(query: UpkeepQuery): Promise<UpkeepRunList> {
    const runs = await RUNS.list(this.database.client, { id: query.id }, query.limit);
    return { items: runs.map((run) => this.toUpkeepRun(run)) };
  }

  async show(id: string): Promise<UpkeepRun> {
    return this.toUpkeepRun(await this.find(this.database.client, id));
  }

  /** Restores what a run ended, within the grace period. Restored lessons are pinned. */
  undo(actor: AdminActor, id: string): Promise<UpkeepUndoResult> {
    return this.database.transaction(async (tx) => {
      const run = await this.find(tx, id);
      const until = this.undoUntil(run);
      const now = this.clock.now();
      if (!until || until < now)
        throw new DomainError(
          'conflict',
          'memory.upkeep_not_undoable',
          'This run cannot be undone: it ended nothing, or its grace period is over.',
        );
      if (!(await RUNS.setUndone(tx, id, now)))
        throw new DomainError('conflict', 'memory.upkeep_undone', 'This run has already been undone.');
      const restored = await this.repository.restore(tx, id, now);
      await this.journal.append(tx, actor, {
        action: 'memory.upkeep_undone',
        subject: { type: 'upkeep_run', id },
        data: { restored },
      });
      return { run: this.toUpkeepRun({ ...run, undoneAt: now }), restored };
    });
  }

  private async maintainLessons(run: string, dryRun: boolean, now: Date): Promise<UpkeepReport> {
    const { config } = this;
    const { memoryCapacity: capacity } = config;
    const maxEntries = Math.max(1, Math.floor(capacity * config.pruningCapacityShare));
    const pruning = pruningStrategy(config.pruning, { maxAgeDays: config.pruningMaxAgeDays, maxEntries });
    const endings: AgentLessonEnd[] = [];
    const sizes = new Map<string, number>();
    let lessons = 0;
    const holders = await this.repository.holders(this.worker.client);
    for (const agent of holders) {
      const store = await this.repository.lessonsOf(this.worker.client, agent.id);
      const plan = selectLessonsToEnd(store, pruning, { capacity, neverRetrievedDays: config.neverRetrievedDays }, now);
      const ended = dryRun ? plan : await this.end(run, agent.id, plan, now);
      for (const { id, why } of ended) endings.push({ id, why, agent: agent.name });
      lessons += store.length;
      sizes.set(agent.id, store.length - ended.length);
    }
    const endedIds = new Set(endings.map(({ id }) => id));
    const copies = await this.propagation.propagate({ dryRun, sizes, endedIds });
    return this.reportOf(holders.length, lessons, endings, copies);
  }

  /** Ends lessons in chunks with one journal entry each. Lessons that were pinned or replaced since the plan are kept. */
  private async end(run: string, agentId: string, plan: readonly LessonEnd[], at: Date): Promise<LessonEnd[]> {
    const ended: LessonEnd[] = [];
    for (let from = 0; from < plan.length; from += CHUNK)
      await this.worker.transaction(async (tx) => {
        const chunk = plan.slice(from, from + CHUNK);
        const lessons = await this.lessons.endByRun(tx, { run, agentId }, chunk, at);
        ended.push(...lessons);
        if (lessons.length > 0)
          await this.journal.append(tx, UPKEEP, {
            action: 'memory.lessons_pruned',
            subject: { type: 'agent', id: agentId },
            data: { run, lessons },
          });
      });
    return ended;
  }

  private reportOf(
    agents: number,
    lessons: number,
    endings: readonly AgentLessonEnd[],
    copies: readonly LessonCopy[],
  ): UpkeepReport {
    const counted = (why: EndReason): number => endings.filter((one) => one.why === why).length;
    return {
      pruning: this.config.pruning,
      propagation: this.config.propagation,
      agents,
      lessons,
      ended: {
        ttl: counted('ttl'),
        pareto: counted('pareto'),
        never_retrieved: counted('never_retrieved'),
        evicted: counted('evicted'),
      },
      copied: copies.length,
      endings: endings.slice(0, MAX_REPORTED),
      copies: copies.slice(0, MAX_REPORTED).map(({ source, from, to }) => ({ source, from: from.name, to: to.name })),
    };
  }

  private async find(tx: Tx, id: string): Promise<StoredRun> {
    const run = await RUNS.find(tx, id);
    if (!run) throw new DomainError('not_found', 'memory.unknown_run', `There is no upkeep run ${id}.`);
    return run;
  }

  private undoUntil(run: StoredRun): Date | undefined {
    const ended = sumBy(Object.values(run.report?.ended ?? {}), (count) => count);
    return undoUntil(run, ended, this.config.upkeepUndoDays);
  }

  private toUpkeepRun(run: StoredRun): UpkeepRun {
    const { id, trigger, dryRun, report } = run;
    return { id, trigger, dryRun, report, ...shownTimes(run, this.undoUntil(run)) };
  }
}
