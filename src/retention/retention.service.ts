import { Inject, Injectable, Logger } from '@nestjs/common';
import { z } from 'zod';
import { type Actor, jobActor } from '../journal/actor.js';
import { Journal } from '../journal/journal.service.js';
import { Runs } from '../platform/background/runs.js';
import { ScheduledJob } from '../platform/background/scheduled-jobs.service.js';
import { Clock } from '../platform/base/clock.js';
import { DomainError } from '../platform/base/domain.errors.js';
import { HOUR_MS, MINUTE_MS } from '../platform/base/durations.js';
import { Ids, NIL_UUID } from '../platform/base/ids.js';
import type { Config } from '../platform/config/config.js';
import { Database, type Tx } from '../platform/database/database.js';
import { CONFIG } from '../platform/platform.module.js';
import { type Cutoffs, cutoffsAt, isDue } from './cutoffs.js';
import { type Removed, type ReportCursor, RetentionRepository } from './retention.repository.js';
import { type NewRetentionRun, RetentionRun, type RetentionState } from './retention.schema.js';

/** Rows of one transaction: milliseconds, so that reports and recalls do not wait for a run. */
const BATCH = 200;
/** Renewed with each batch. Afterwards another process may begin. */
const LEASE_MS = 5 * MINUTE_MS;
const NOTHING: Removed = { reports: 0, cited: 0, deliveries: 0, retrievals: 0 };
const START: ReportCursor = { receivedAt: new Date(0), id: NIL_UUID };

const Moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());
const RUNS = new Runs(
  'retention',
  z.object({ reportsBefore: Moment.nullable(), deliveriesBefore: Moment.nullable() }),
  RetentionRun.pick({ reports: true, cited: true, deliveries: true, retrievals: true }),
);
type StoredRun = NonNullable<Awaited<ReturnType<typeof RUNS.find>>>;

/** Removes reports and deliveries that are older than the settings keep them, in batches. */
@Injectable()
export class Retention {
  private readonly logger = new Logger(Retention.name);
  private readonly holder: string;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly rows: RetentionRepository,
  ) {
    this.holder = ids.uuid();
  }

  async state(): Promise<RetentionState> {
    const { keepReportsDays, keepDeliveriesDays, evolverWindowDays } = this.config;
    return {
      keepReportsDays: keepReportsDays === 0 ? null : Math.max(keepReportsDays, evolverWindowDays + 1),
      keepDeliveriesDays: keepDeliveriesDays === 0 ? null : keepDeliveriesDays,
      lastRun: await this.last(),
    };
  }

  /** Runs if the settings limit anything and no run started today. */
  @ScheduledJob({
    name: 'retention',
    schedule: ({ keepReportsDays, keepDeliveriesDays }) =>
      keepReportsDays > 0 || keepDeliveriesDays > 0 ? { everyMs: HOUR_MS } : { cron: 'off' },
  })
  async runIfDue(): Promise<RetentionRun | undefined> {
    const { reportsBefore, deliveriesBefore } = this.cutoffs();
    if (reportsBefore === null && deliveriesBefore === null) return undefined;
    const last = await this.last();
    if (!isDue(this.clock.now(), last && new Date(last.startedAt))) return undefined;
    const run = await this.run(jobActor('retention-schedule'), { dryRun: false }, 'schedule');
    this.logger.log(
      `removed ${run.reports} reports, ${run.deliveries} deliveries and ${run.retrievals} retrievals; ${run.cited} old reports are cited and stay`,
    );
    return run;
  }

  /** Removes what is old, and journals what was removed. A dry run only counts. */
  async run(
    actor: Actor,
    { dryRun }: NewRetentionRun,
    trigger: RetentionRun['trigger'] = 'request',
  ): Promise<RetentionRun> {
    const cutoffs = this.cutoffs();
    if (cutoffs.reportsBefore === null && cutoffs.deliveriesBefore === null)
      throw new DomainError(
        'conflict',
        'retention.off',
        'Everything is kept. Set GUILDBOOK_KEEP_REPORTS_DAYS or GUILDBOOK_KEEP_DELIVERIES_DAYS first.',
      );
    return dryRun ? this.count(cutoffs, trigger) : this.remove(actor, cutoffs, trigger);
  }

  private async last(): Promise<RetentionRun | null> {
    const last = await RUNS.newest(this.database.client);
    return last ? shown(last) : null;
  }

  private cutoffs(): Cutoffs {
    return cutoffsAt(this.clock.now(), this.config);
  }

  private async count(cutoffs: Cutoffs, trigger: RetentionRun['trigger']): Promise<RetentionRun> {
    const { client } = this.database;
    const startedAt = this.clock.now().toISOString();
    let [reports, cited, cursor] = [0, 0, START];
    for (let isMore = cutoffs.reportsBefore !== null; isMore; ) {
      const old = await this.rows.oldReports(client, cutoffs.reportsBefore ?? START.receivedAt, cursor, BATCH);
      cited += old.filter(({ isCited }) => isCited).length;
      reports += old.filter(({ isCited }) => !isCited).length;
      cursor = old.at(-1) ?? cursor;
      isMore = old.length === BATCH;
    }
    const { deliveriesBefore } = cutoffs;
    const others = deliveriesBefore === null ? NOTHING : await this.rows.countDeliveries(client, deliveriesBefore);
    return {
      id: null,
      trigger,
      state: 'completed',
      startedAt,
      finishedAt: this.clock.now().toISOString(),
      reportsBefore: isoOf(cutoffs.reportsBefore),
      deliveriesBefore: isoOf(deliveriesBefore),
      reports,
      cited,
      deliveries: others.deliveries,
      retrievals: others.retrievals,
    };
  }

  private async remove(actor: Actor, cutoffs: Cutoffs, trigger: RetentionRun['trigger']): Promise<RetentionRun> {
    const id = this.ids.uuid();
    const startedAt = this.clock.now();
    await this.database.transaction(async (tx) => {
      await this.renew(tx);
      // What they removed is in their row.
      for (const dead of await RUNS.expire(tx, startedAt)) await this.record(tx, jobActor('retention'), dead);
      const input = { reportsBefore: isoOf(cutoffs.reportsBefore), deliveriesBefore: isoOf(cutoffs.deliveriesBefore) };
      await RUNS.start(tx, { id, trigger, dryRun: false, startedAt, input, report: NOTHING });
    });
    try {
      const { reportsBefore, deliveriesBefore } = cutoffs;
      if (reportsBefore !== null) await this.removeReports(id, reportsBefore);
      if (deliveriesBefore !== null) await this.removeDeliveries(id, deliveriesBefore);
      return await this.database.transaction(async (tx) => {
        const { report } = await this.running(tx, id);
        await RUNS.complete(tx, id, report ?? NOTHING, this.clock.now());
        const run = await RUNS.find(tx, id);
        if (!run) throw busy();
        return this.record(tx, actor, run);
      });
    } finally {
      await this.database.transaction((tx) => this.rows.release(tx, this.holder));
    }
  }

  private async removeReports(run: string, before: Date): Promise<void> {
    let cursor: ReportCursor | undefined = START;
    while (cursor) {
      const from: ReportCursor = cursor;
      cursor = await this.database.transaction(async (tx) => {
        await this.renew(tx);
        const old = await this.rows.oldReports(tx, before, from, BATCH);
        const ids = old.filter(({ isCited }) => !isCited).map((report) => report.id);
        const reports = await this.rows.removeReports(tx, ids);
        await this.add(tx, run, { ...NOTHING, reports, cited: old.length - ids.length });
        return old.length === BATCH ? old.at(-1) : undefined;
      });
    }
  }

  private async removeDeliveries(run: string, before: Date): Promise<void> {
    for (let isMore = true; isMore; )
      isMore = await this.database.transaction(async (tx) => {
        await this.renew(tx);
        const deliveries = await this.rows.removeDeliveries(tx, before, BATCH);
        const retrievals = await this.rows.removeRetrievals(tx, before, BATCH);
        await this.add(tx, run, { ...NOTHING, deliveries, retrievals });
        return deliveries === BATCH || retrievals === BATCH;
      });
  }

  private async renew(tx: Tx): Promise<void> {
    const now = this.clock.now();
    if (!(await this.rows.lease(tx, this.holder, now, LEASE_MS))) throw busy();
  }

  /** Adds to the figures of a run, in the transaction that removed the rows. */
  private async add(tx: Tx, id: string, { reports, cited, deliveries, retrievals }: Removed): Promise<void> {
    const { report } = await this.running(tx, id);
    const was = report ?? NOTHING;
    await RUNS.progress(tx, id, {
      reports: was.reports + reports,
      cited: was.cited + cited,
      deliveries: was.deliveries + deliveries,
      retrievals: was.retrievals + retrievals,
    });
  }

  private async running(tx: Tx, id: string): Promise<StoredRun> {
    const run = await RUNS.find(tx, id);
    if (run?.state !== 'running') throw busy();
    return run;
  }

  /** Journals the end of a run. */
  private async record(tx: Tx, actor: Actor, run: StoredRun): Promise<RetentionRun> {
    const ended = shown(run);
    await this.journal.append(tx, actor, {
      action: `retention.${ended.state}`,
      subject: { type: 'retention_run', id: run.id },
      data: { trigger: run.trigger, ...run.input, ...run.report },
    });
    return ended;
  }
}

const busy = (): DomainError =>
  new DomainError('conflict', 'retention.busy', 'Another run removes old reports at this moment.');

const shown = (run: StoredRun): RetentionRun => ({
  id: run.id,
  trigger: run.trigger,
  state: run.state === 'failed' ? 'interrupted' : run.state,
  startedAt: run.startedAt.toISOString(),
  finishedAt: isoOf(run.finishedAt),
  ...run.input,
  ...(run.report ?? NOTHING),
});

const isoOf = (at: Date | null): string | null => at?.toISOString() ?? null;
