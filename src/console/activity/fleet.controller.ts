import { Get, Inject, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
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

/** The pages of reported executions and of what was learned from them. */
@ConsoleController()
export class FleetController {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly executions: Executions,
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
  async execution(@PathId() id: string, @Res() reply: FastifyReply): Promise<void> {
    const view = executionView(await this.executions.show(id), this.clock.now());
    await sendPage(reply, { template: 'execution', title: view.taskTitle, section: 'fleet', view });
  }
}
