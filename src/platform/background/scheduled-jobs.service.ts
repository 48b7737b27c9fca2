import { type BeforeApplicationShutdown, Inject, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../base/clock.js';
import { compareText } from '../base/compare-text.js';
import { DomainError } from '../base/domain.errors.js';
import { MINUTE_MS, SECOND_MS } from '../base/durations.js';
import { messageOf, stackOf } from '../base/error-text.js';
import type { Config } from '../config/config.js';
import { Database } from '../database/database.js';
import { inSpan } from '../telemetry/spans.js';
import { type JobSchedule, nextDue, scheduleText } from './job-schedule.js';
import { ServerProcesses } from './server-processes.service.js';

export interface JobState {
  readonly name: string;
  readonly schedule: string;
  readonly state: 'waiting' | 'running';
  /** Of the last run; of the present one while it runs. */
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  /** `busy`: such a run was under way already, in this process or another one. */
  readonly outcome: 'completed' | 'busy' | 'failed' | null;
  /** The machine of that run, redacted. */
  readonly host: string | null;
  readonly dueAt: Date;
}

interface Job {
  readonly schedule: JobSchedule;
  run(): Promise<unknown>;
}

interface DeclaredJob {
  readonly name: string;
  /** With the cron expression `off`, it is no job of this process. */
  readonly schedule: (config: Config) => JobSchedule;
}

/** Where a service has the jobs of its application. */
const JOBS = 'scheduledJobs';

/**
 * On a method of a service: it runs once for all processes, on this schedule. Its error is logged. The service declares
 * it when its module starts: nothing looks for services at run time.
 */
export const ScheduledJob =
  (declared: DeclaredJob) =>
  (service: object, _method: string | symbol, { value: run }: PropertyDescriptor): void => {
    Inject(ScheduledJobs)(service, JOBS);
    const begin = Reflect.get(service, 'onModuleInit');
    Reflect.set(service, 'onModuleInit', async function (this: { readonly [JOBS]: ScheduledJobs }): Promise<void> {
      await begin?.call(this);
      this[JOBS].declare(declared, () => run.call(this));
    });
  };

interface DueRow {
  readonly name: string;
  readonly holder: string | null;
  readonly dueAt: Date;
}

/** A process that dies during a job is followed by another one after this time and one poll. */
const HOLD_MS = MINUTE_MS;
const RENEW_MS = 20 * SECOND_MS;
/** Such a run is under way, or its process died and still holds what it works on. The job is tried again until it ends. */
const RETRY_MS = 30 * SECOND_MS;

/**
 * Jobs that run once for all processes. Each is a row with the time at which it is due; a process claims it by
 * compare-and-set, holds it while it runs, and writes the next due time at the end. A run that was missed while no
 * process lived is made up once.
 */
export class ScheduledJobs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ScheduledJobs.name);
  private readonly jobs = new Map<string, Job>();
  private readonly running = new Map<string, Promise<void>>();
  private readonly timers: NodeJS.Timeout[] = [];
  private isStopped = false;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly processes: ServerProcesses,
  ) {}

  /** Before the application has started. */
  declare({ name, schedule }: DeclaredJob, run: Job['run']): void {
    const own = schedule(this.config);
    if (!('cron' in own && own.cron === 'off')) this.jobs.set(name, { schedule: own, run });
  }

  async onApplicationBootstrap(): Promise<void> {
    const now = this.clock.now();
    for (const [name, { schedule }] of this.jobs) await this.ensureRow(name, schedule, now);
    const poll = (): void => void this.startDue().catch((error: unknown) => this.logger.warn(messageOf(error)));
    const renew = (): void => void this.renew().catch((error: unknown) => this.logger.warn(messageOf(error)));
    this.timers.push(setInterval(poll, this.config.jobPollMs).unref(), setInterval(renew, RENEW_MS).unref());
  }

  /** Another process may take over at once what this one could not finish. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    for (const timer of this.timers) clearInterval(timer);
    if (this.running.size > 0) await this.hold(this.clock.now()).catch(() => undefined);
  }

  /** Returns when the job is due next by its schedule; undefined if this process does not run it. */
  next(name: string): Date | undefined {
    const job = this.jobs.get(name);
    return job && nextDue(job.schedule, this.clock.now());
  }

  /** The jobs of this process, with what any process did of them, by name. */
  async list(): Promise<JobState[]> {
    const rows = await this.database.client.scheduledJob.findMany({ where: { name: { in: [...this.jobs.keys()] } } });
    const now = this.clock.now();
    return rows
      .map(({ holder, heldUntil, ...row }) => ({
        ...row,
        state: heldUntil !== null && heldUntil > now ? ('running' as const) : ('waiting' as const),
        // A constraint of the table names these values.
        outcome: row.outcome as JobState['outcome'],
      }))
      .sort((a, b) => compareText(a.name, b.name));
  }

  /** Runs every job that is due and that no process holds, and waits for their ends. */
  async runDue(): Promise<void> {
    await this.startDue();
    await Promise.all(this.running.values());
  }

  private async startDue(): Promise<void> {
    const names = [...this.jobs.keys()].filter((name) => !this.running.has(name));
    if (this.isStopped || names.length === 0) return;
    const now = this.clock.now();
    const due = await this.database.client.$queryRaw<DueRow[]>`
      SELECT "name", "holder"::text AS "holder", "due_at" AS "dueAt" FROM "scheduled_job"
       WHERE "name" = ANY (${names}::text[]) AND "due_at" <= ${now} AND ("held_until" IS NULL OR "held_until" <= ${now})`;
    for (const row of due) {
      const job = this.jobs.get(row.name);
      if (!job || this.isStopped || this.running.has(row.name)) continue;
      const run = this.claim(row, now)
        .then((isOurs) => (isOurs ? this.runClaimed(row, job) : undefined))
        .catch((error: unknown) => this.logger.error(stackOf(error)))
        .finally(() => this.running.delete(row.name));
      this.running.set(row.name, run);
    }
  }

  /** Compare-and-set: true for one of the processes that saw this row. */
  private async claim({ name, holder, dueAt }: DueRow, now: Date): Promise<boolean> {
    const { id, host } = this.processes;
    const until = new Date(now.getTime() + HOLD_MS);
    const claimed = await this.database.client.$executeRaw`
      UPDATE "scheduled_job" SET "holder" = ${id}::uuid, "held_until" = ${until}, "host" = ${host},
          "started_at" = ${now}, "finished_at" = NULL, "outcome" = NULL
       WHERE "name" = ${name} AND "due_at" = ${dueAt} AND "holder" IS NOT DISTINCT FROM ${holder}::uuid
         AND ("held_until" IS NULL OR "held_until" <= ${now})`;
    return claimed === 1;
  }

  private async runClaimed({ name, holder, dueAt }: DueRow, job: Job): Promise<void> {
    let outcome: JobState['outcome'] = 'failed';
    try {
      if (holder !== null) this.logger.warn({ event: 'jobs.taken_over', job: name });
      await inSpan(`job ${name}`, {}, () => job.run());
      outcome = 'completed';
    } catch (error) {
      if (isBusy(error)) outcome = 'busy';
      else this.logger.error(`the job ${name} failed: ${stackOf(error)}`);
    }
    const now = this.clock.now();
    // A clock that was set back must not make the job due for the same time again.
    const regular = nextDue(job.schedule, dueAt > now ? dueAt : now);
    const retry = new Date(now.getTime() + RETRY_MS);
    const next = outcome === 'busy' && retry < regular ? retry : regular;
    await this.finish(name, outcome, now, next);
  }

  private async finish(name: string, outcome: JobState['outcome'], now: Date, next: Date): Promise<void> {
    await this.database.client.$executeRaw`
      UPDATE "scheduled_job" SET "holder" = NULL, "held_until" = NULL, "finished_at" = ${now},
          "outcome" = ${outcome}, "due_at" = ${next}
       WHERE "name" = ${name} AND "holder" = ${this.processes.id}::uuid`;
  }

  private async renew(): Promise<void> {
    if (this.running.size > 0) await this.hold(new Date(this.clock.now().getTime() + HOLD_MS));
  }

  private async hold(until: Date): Promise<void> {
    await this.database.client.$executeRaw`
      UPDATE "scheduled_job" SET "held_until" = ${until} WHERE "holder" = ${this.processes.id}::uuid`;
  }

  private async ensureRow(name: string, schedule: JobSchedule, now: Date): Promise<void> {
    const text = scheduleText(schedule);
    await this.database.client.$executeRaw`
      INSERT INTO "scheduled_job" ("name", "schedule", "due_at") VALUES (${name}, ${text}, ${nextDue(schedule, now)})
      ON CONFLICT ("name") DO UPDATE SET "schedule" = excluded."schedule", "due_at" = excluded."due_at"
       WHERE "scheduled_job"."schedule" <> excluded."schedule"`;
  }
}

/** Such a run is under way. A person may have started it. */
const isBusy = (error: unknown): boolean => error instanceof DomainError && /[._]busy$/.test(error.code);
