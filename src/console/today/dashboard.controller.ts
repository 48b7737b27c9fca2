import { Get, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CurrentCaller } from '../../access/identity/caller.decorator.js';
import { type Caller, canAdminister, canDecideProposals } from '../../access/identity/caller.js';
import { readCookie, setCookie } from '../../access/sign-in/cookie.js';
import {
  MAX_COUNTED,
  ProposalKind,
  ProposalVerdict,
  QueuePosition,
  Risk,
} from '../../approvals/proposals/proposals.schema.js';
import { Executions } from '../../capture/intake/executions.service.js';
import { VERDICT_TEXTS } from '../../evidence/predicate/check-words.js';
import { CycleReports } from '../../evolve/cycle/cycle-reports.service.js';
import type { Cycle } from '../../evolve/cycle/cycles.schema.js';
import { EvolverJob } from '../../evolve/cycle/evolver.job.js';
import type { JournalEntry } from '../../journal/journal.schema.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { RequireScope } from '../../platform/http/require-scope.decorator.js';
import { PromotionService } from '../../promote/promotion.service.js';
import { ConsoleController } from '../frame/console-routes.decorator.js';
import { flashView, readFlash } from '../frame/flash-message.js';
import { moment, nextCycleText } from '../frame/in-words.js';
import { sendPage } from '../frame/pages.view.js';
import { KIND_TEXTS } from '../frame/proposal-texts.js';
import { ReviewQueue, type ReviewQueuePage } from '../frame/review-queue.service.js';
import { SNOOZED_COOKIE, snoozedProposals, VISIT_COOKIE, type Visit, visitOf } from '../frame/visit.js';
import {
  cycleCounts,
  emptyQueueReasons,
  lessonsView,
  queueRows,
  REVIEW_EVENT_LIMIT,
  REVIEW_EVENTS,
  reviewEventLines,
} from './dashboard.js';

const YEAR_SECONDS = 365 * 86_400;
const CYCLES = 5;
/** Lessons to verify; the others are on their page. */
const LESSONS = 5;

/** An optional filter. A form sends empty fields, and a bookmark may contain anything: invalid values are ignored. */
const optionalField = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => value || undefined, schema.optional()).catch(undefined);
const DashboardQuery = z.object({
  q: optionalField(z.string().trim().min(1).max(200)),
  kind: optionalField(ProposalKind),
  risk: optionalField(Risk),
  verdict: optionalField(ProposalVerdict),
  after: optionalField(QueuePosition),
  all: optionalField(z.literal('1')),
});
type DashboardQuery = z.infer<typeof DashboardQuery>;

@ConsoleController()
export class DashboardController {
  constructor(
    private readonly clock: Clock,
    private readonly queue: ReviewQueue,
    private readonly journal: Journal,
    private readonly executions: Executions,
    private readonly cycles: CycleReports,
    private readonly schedule: EvolverJob,
    private readonly promotions: PromotionService,
  ) {}

  @Get()
  @RequireScope('read', 'person')
  async show(
    @CurrentCaller() caller: Caller,
    @Query({ schema: DashboardQuery }) { all, after, ...filters }: DashboardQuery,
    @Req() { headers }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const now = this.clock.now();
    const snoozed = snoozedProposals(readCookie(headers.cookie, SNOOZED_COOKIE), now);
    const query = Object.fromEntries(Object.entries({ ...filters, after }).filter(([, value]) => value !== undefined));
    const page = await this.queue.page(caller, snoozed, query, { everything: all !== undefined });
    const { items: cycles } = await this.cycles.list({ limit: CYCLES });
    const visit = visitOf(readCookie(headers.cookie, VISIT_COOKIE), now, await this.head());
    const isFiltered = Object.keys(query).length > 0;
    const rows = queueRows(page.items, now);
    const { executions } = rows.length > 0 ? { executions: null } : await this.executions.status();
    const flash = readFlash(headers.cookie);
    void reply.header('set-cookie', [
      setCookie(VISIT_COOKIE, visit.cookie, YEAR_SECONDS),
      ...(flash ? [flash.end] : []),
    ]);
    await sendPage(reply, {
      template: 'dashboard',
      title: 'Dashboard',
      section: 'dashboard',
      ...(flash ? { flash: flashView(flash) } : {}),
      view: {
        rows,
        isFiltered,
        total: page.total,
        snoozed: page.snoozed,
        first: rows[0]?.id ?? null,
        isMany: page.total >= MAX_COUNTED,
        forOthers: isFiltered ? 0 : page.all - page.total,
        empty: executions === null ? null : this.why(page, cycles, executions, isFiltered),
        isNew: executions === 0,
        more: page.next === null ? null : `/?${new URLSearchParams({ ...query, after: page.next })}`,
        isBehind: after !== undefined,
        filters: { q: '', kind: '', risk: '', verdict: '', ...filters, ...FILTERS },
        next: nextCycleText(this.schedule.next(), now),
        reviewEvents: await this.reviewEvents(visit, caller, now),
        cycle: cycleView(cycles[0], now),
        canRun: canAdminister(caller),
        lessons: lessonsView(await this.promotions.waiting(LESSONS), canDecideProposals(caller)),
      },
    });
  }

  private async head(): Promise<number> {
    const { items } = await this.journal.list({ after: 0, limit: 1, order: 'newest' });
    return items[0]?.seq ?? 0;
  }

  private async reviewEvents({ after, since }: Visit, caller: Caller, now: Date) {
    if (since === null) return { when: null, lines: ['This is your first visit in this browser.'] };
    const entries = new Map<string, readonly JournalEntry[]>();
    for (const [action] of REVIEW_EVENTS) {
      const { items } = await this.journal.list({ action, after: 0, limit: REVIEW_EVENT_LIMIT, order: 'newest' });
      entries.set(action, items);
    }
    const lines = reviewEventLines(entries, after, caller.id);
    return { when: moment(since.toISOString(), now), lines: lines.length > 0 ? lines : ['Nothing new.'] };
  }

  private why(
    { all, total, snoozed }: ReviewQueuePage,
    cycles: readonly Cycle[],
    executions: number,
    isFiltered: boolean,
  ): string[] {
    return emptyQueueReasons({
      isFiltered,
      forOthers: all - total,
      snoozed,
      executions,
      cycle: cycles.find(({ dryRun, report }) => !dryRun && report !== null),
      hasOnlyDryRuns: cycles.length > 0 && cycles.length < CYCLES && cycles.every(({ dryRun }) => dryRun),
    });
  }
}

const FILTERS = {
  kinds: Object.entries(KIND_TEXTS).map(([kind, says]) => ({ kind, says })),
  risks: Risk.options,
  verdicts: ProposalVerdict.options.map((verdict) => ({ verdict, says: VERDICT_TEXTS[verdict] })),
};

function cycleView(cycle: Cycle | undefined, now: Date) {
  if (!cycle) return null;
  return {
    when: moment(cycle.startedAt, now),
    isDry: cycle.dryRun,
    isRunning: cycle.state === 'running',
    error: cycle.error,
    counts: cycleCounts(cycle),
    read: cycle.report ? { n: cycle.report.executionsRead, patterns: cycle.report.patterns } : null,
  };
}
