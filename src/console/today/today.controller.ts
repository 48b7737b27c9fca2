import { Controller, Get, Inject, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CurrentCaller } from '../../access/identity/caller.decorator.js';
import type { Caller } from '../../access/identity/caller.js';
import { readCookie, setCookie } from '../../access/sign-in/cookie.js';
import { ApprovalKind, MAX_COUNTED, QueuePosition, Risk } from '../../approvals/proposals/approvals.schema.js';
import { Executions } from '../../capture/intake/executions.service.js';
import type { Cycle } from '../../evolve/cycle/cycles.schema.js';
import { EvolverJob } from '../../evolve/cycle/evolver.job.js';
import { Evolver } from '../../evolve/cycle/evolver.service.js';
import type { JournalEntry } from '../../journal/journal.schema.js';
import { Journal } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import type { Config } from '../../platform/config/config.js';
import { Access } from '../../platform/http/access.decorator.js';
import { CONFIG } from '../../platform/platform.module.js';
import { Desk, type DeskPage } from '../frame/desk.service.js';
import { doneOf, readDone } from '../frame/done.js';
import { sendPage } from '../frame/pages.view.js';
import { ConsoleProblems } from '../frame/problems.filter.js';
import { LATER_COOKIE, putOff, VISIT_COOKIE, type Visit, visitOf } from '../frame/visit.js';
import { say } from '../texts/texts.js';
import { moment, relative } from '../texts/times.js';
import { cycleCounts, NEWS, NEWS_LIMIT, newsOf, rowsOf, whyEmpty } from './today.js';

const YEAR_SECONDS = 365 * 86_400;
const CYCLES = 5;

/** A form sends empty fields along; a bookmark may hold anything. */
const given = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => value || undefined, schema.optional()).catch(undefined);
const TodayQuery = z.object({
  q: given(z.string().trim().min(1).max(200)),
  kind: given(ApprovalKind),
  risk: given(Risk),
  after: given(QueuePosition),
  all: given(z.literal('1')),
});
type TodayQuery = z.infer<typeof TodayQuery>;

@ApiExcludeController()
@UseFilters(ConsoleProblems)
@Controller()
export class TodayController {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly desk: Desk,
    private readonly journal: Journal,
    private readonly executions: Executions,
    private readonly evolver: Evolver,
    private readonly schedule: EvolverJob,
  ) {}

  @Get()
  @Access('read', 'person')
  async show(
    @CurrentCaller() caller: Caller,
    @Query({ schema: TodayQuery }) { all, after, ...filters }: TodayQuery,
    @Req() { headers }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const now = this.clock.now();
    const later = putOff(readCookie(headers.cookie, LATER_COOKIE), now);
    const query = Object.fromEntries(Object.entries({ ...filters, after }).filter(([, value]) => value !== undefined));
    const page = await this.desk.page(caller, later, query, { everything: all !== undefined });
    const { items: cycles } = await this.evolver.list(CYCLES);
    const visit = visitOf(readCookie(headers.cookie, VISIT_COOKIE), now, await this.head());
    const isFiltered = Object.keys(query).length > 0;
    const rows = rowsOf(page.items, now);
    const { executions } = rows.length > 0 ? { executions: null } : await this.executions.status();
    const done = readDone(headers.cookie);
    void reply.header('set-cookie', [setCookie(VISIT_COOKIE, visit.cookie, YEAR_SECONDS), ...(done ? [done.end] : [])]);
    await sendPage(reply, caller, {
      template: 'today',
      title: say('today.title'),
      at: 'today',
      ...(done ? { done: doneOf(done) } : {}),
      view: {
        ...{ rows, isFiltered, total: page.total, later: page.later, first: rows[0]?.id ?? null },
        waiting: say(page.total >= MAX_COUNTED ? 'today.waiting-many' : 'today.waiting', { n: page.total }),
        moreSays: page.total >= MAX_COUNTED ? say('today.more-many') : say('today.more', { n: page.total }),
        forOthers: isFiltered ? 0 : page.all - page.total,
        empty: executions === null ? null : this.why(page, cycles, executions, isFiltered),
        isNew: executions === 0,
        more: page.next === null ? null : `/?${new URLSearchParams({ ...query, after: page.next })}`,
        isBehind: after !== undefined,
        filters: filterView(filters),
        next: this.nextCycle(now),
        news: await this.news(visit, caller, now),
        cycle: cycleView(cycles[0], now),
        canRun: caller.isAdmin && caller.scopes.includes('administer'),
      },
    });
  }

  private nextCycle(now: Date): string {
    const next = this.schedule.next();
    return next === null ? say('today.by-request') : say('today.next-cycle', { when: relative(next, now) });
  }

  private async head(): Promise<number> {
    const { items } = await this.journal.list({ after: 0, limit: 1, order: 'newest' });
    return items[0]?.seq ?? 0;
  }

  private async news({ after, since }: Visit, caller: Caller, now: Date) {
    if (since === null) return { when: null, lines: [say('today.first-visit')] };
    const entries = new Map<string, readonly JournalEntry[]>();
    for (const action of NEWS) {
      const { items } = await this.journal.list({ action, after: 0, limit: NEWS_LIMIT, order: 'newest' });
      entries.set(action, items);
    }
    const lines = newsOf(entries, after, caller.id);
    return { when: moment(since.toISOString(), now), lines: lines.length > 0 ? lines : [say('today.nothing-new')] };
  }

  private why(
    { all, total, later }: DeskPage,
    cycles: readonly Cycle[],
    executions: number,
    isFiltered: boolean,
  ): string[] {
    return whyEmpty({
      ...{ isFiltered, forOthers: all - total, later, executions },
      cycle: cycles.find(({ dryRun, report }) => !dryRun && report !== null),
      hasOnlyDryRuns: cycles.length > 0 && cycles.length < CYCLES && cycles.every(({ dryRun }) => dryRun),
      minAgents: this.config.minAgentsForPattern,
      minConfidence: this.config.minConfidenceForOrgPromotion,
    });
  }
}

const filterView = ({ q, kind, risk }: Pick<TodayQuery, 'q' | 'kind' | 'risk'>) => ({
  q: q ?? '',
  kinds: ApprovalKind.options.map((value) => ({ value, says: say(`kind.${value}`), chosen: value === kind })),
  risks: Risk.options.map((value) => ({ value, says: say(`risk.${value}`), chosen: value === risk })),
});

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
