import { setTimeout } from 'node:timers/promises';
import { Body, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentAdmin, CurrentCaller } from '../../access/identity/caller.decorator.js';
import { type Caller, canAdminister, jobRequestedBy } from '../../access/identity/caller.js';
import { ProposalReader } from '../../approvals/queue/proposal-reader.service.js';
import { WriterRecords } from '../../approvals/queue/writer-records.service.js';
import { CycleReports } from '../../evolve/cycle/cycle-reports.service.js';
import { Evolver } from '../../evolve/cycle/evolver.service.js';
import type { AdminActor } from '../../journal/actor.js';
import { Clock } from '../../platform/base/clock.js';
import { PathId } from '../../platform/http/request.pipe.js';
import { RequireScope } from '../../platform/http/require-scope.decorator.js';
import { ConsoleController, PostForm } from '../frame/console-routes.decorator.js';
import { sendPage } from '../frame/pages.view.js';
import { cycleRow, cycleView, writersView } from './cycle-pages.js';

const SHOWN = 40;
/** Days in which the writers of lessons are counted. */
const WRITERS_DAYS = 90;
const REFRESH_SECONDS = 3;
const MAX_WAIT_MS = 2_000;
const CycleForm = z.object({ dryRun: z.literal('true').optional() });
type CycleForm = z.infer<typeof CycleForm>;

@ConsoleController('cycles')
export class CyclesController {
  constructor(
    private readonly clock: Clock,
    private readonly evolver: Evolver,
    private readonly cycles: CycleReports,
    private readonly approvals: ProposalReader,
    private readonly writers: WriterRecords,
  ) {}

  @Get()
  @RequireScope('read', 'person')
  async list(@CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const now = this.clock.now();
    const { items } = await this.cycles.list({ limit: SHOWN });
    const isRunning = items[0]?.state === 'running';
    await sendPage(reply, {
      template: 'cycles',
      title: 'Cycles',
      section: 'cycles',
      ...(isRunning ? { refresh: REFRESH_SECONDS } : {}),
      view: {
        rows: items.map((cycle) => cycleRow(cycle, now)),
        writers: writersView(await this.writers.list({ days: WRITERS_DAYS })),
        canRun: canAdminister(caller),
      },
    });
  }

  @Get(':id')
  @RequireScope('read', 'person')
  async show(@PathId() id: string, @Res() reply: FastifyReply): Promise<void> {
    const now = this.clock.now();
    const cycle = await this.cycles.show(id);
    const ids = (cycle.report?.proposals ?? []).flatMap(({ proposalId }) => proposalId ?? []);
    const view = cycleView(cycle, await this.approvals.approved(ids), now);
    const isRunning = cycle.state === 'running';
    const title = `Cycle of ${view.when.exact}`;
    await sendPage(reply, {
      template: 'cycle',
      title,
      section: 'cycles',
      view: { ...view, title, isRunning, readSoFar: this.evolver.progress(id) ?? null },
      ...(isRunning ? { refresh: REFRESH_SECONDS } : {}),
    });
  }

  @PostForm()
  @RequireScope('administer', 'person')
  async run(
    @CurrentAdmin() actor: AdminActor,
    @Body({ schema: CycleForm }) { dryRun }: CycleForm,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { id, report } = await this.evolver.begin(jobRequestedBy(actor), {
      trigger: 'request',
      dryRun: dryRun !== undefined,
    });
    // Waits for a short cycle; the page of a long one shows its progress. An error is in the report and the log.
    await Promise.race([report.catch(() => undefined), setTimeout(MAX_WAIT_MS, undefined, { ref: false })]);
    await reply.redirect(`/cycles/${id}`, 303);
  }
}
