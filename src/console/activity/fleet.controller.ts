import { Get, Inject, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ProposalReader } from '../../approvals/queue/proposal-reader.service.js';
import { Executions } from '../../capture/intake/executions.service.js';
import { CycleReports } from '../../evolve/cycle/cycle-reports.service.js';
import { Lessons } from '../../memory/lessons/lessons.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DAY_MS } from '../../platform/base/durations.js';
import type { Config } from '../../platform/config/config.js';
import { PathId } from '../../platform/http/request.pipe.js';
import { RequireScope } from '../../platform/http/require-scope.decorator.js';
import { CONFIG } from '../../platform/platform.module.js';
import { ConsoleController } from '../frame/console-routes.decorator.js';
import { sendPage } from '../frame/pages.view.js';
import { executionView, fleetView } from './fleet.js';
import { proposalCalls } from './proposal-calls.js';

const PAGE = 40;
const LESSONS = 5;
const FleetQuery = z.object({
  after: z.uuid().optional().catch(undefined),
  /** Only what this proposal counts. */
  proposal: z.uuid().optional().catch(undefined),
  /** Only those of this agent. */
  agent: z.string().trim().min(1).max(200).optional().catch(undefined),
});
type FleetQuery = z.infer<typeof FleetQuery>;

const ExecutionPlaceQuery = z.object({
  /** Marks the calls that this proposal counts. */
  proposal: z.uuid().optional().catch(undefined),
  /** Shows the part with this call. */
  at: z.coerce.number().int().min(0).max(1_000_000).optional().catch(undefined),
});
type ExecutionPlaceQuery = z.infer<typeof ExecutionPlaceQuery>;

/** The pages of reported executions and of what was learned from them. */
@ConsoleController()
export class FleetController {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly executions: Executions,
    private readonly proposals: ProposalReader,
    private readonly cycles: CycleReports,
    private readonly lessons: Lessons,
  ) {}

  @Get('fleet')
  @RequireScope('read', 'person')
  async fleet(
    @Query({ schema: FleetQuery }) { after, proposal, agent }: FleetQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const now = this.clock.now();
    const { items, next, total } = await this.executions.list({ limit: PAGE, after, proposal, agent });
    const { items: cycles } = await this.cycles.list({ limit: 5 });
    const view = fleetView({
      recent: items,
      next,
      listed: { total, proposal, agent },
      now,
      status: await this.executions.status(),
      agents: await this.executions.countRunsByAgent(new Date(now.getTime() - this.config.evolverWindowDays * DAY_MS)),
      cycle: cycles.find(({ report }) => report !== null),
      tally: await this.lessons.countByProvenance(),
      lessons: (await this.lessons.list({ scope: 'agent', state: 'live', limit: LESSONS })).items,
    });
    await sendPage(reply, { template: 'fleet', title: 'Fleet', section: 'fleet', view });
  }

  @Get('executions/:id')
  @RequireScope('read', 'person')
  async execution(
    @PathId() id: string,
    @Query({ schema: ExecutionPlaceQuery }) { proposal: proposalId, at }: ExecutionPlaceQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const execution = await this.executions.show(id);
    const claim = proposalId === undefined ? undefined : await this.proposals.predicateOf(proposalId);
    const view = executionView(execution, {
      now: this.clock.now(),
      at,
      ...(proposalId && claim ? { proposal: { id: proposalId, roles: proposalCalls(claim, execution.report) } } : {}),
    });
    await sendPage(reply, { template: 'execution', title: view.taskTitle, section: 'fleet', view });
  }
}
