import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { CurrentProposer } from '../access/identity/caller.decorator.js';
import type { JobActor } from '../journal/actor.js';
import { RequireAnyScope, RequireScope } from '../platform/http/require-scope.decorator.js';
import { Refuses, Returns } from '../platform/http/returns.decorator.js';
import { Cycle, CycleList, CycleQuery, StartCycle } from './cycle/cycles.schema.js';
import { Evolver } from './cycle/evolver.service.js';

const Id = z.uuid({ error: 'must be a UUID' });

@ApiTags('evolver')
@ApiBearerAuth()
@Controller('v1/evolver')
export class EvolverController {
  constructor(private readonly evolver: Evolver) {}

  @Post('cycles')
  @RequireAnyScope({ scope: 'administer', kinds: ['person'] }, { scope: 'propose', kinds: ['service'] })
  @ApiOperation({ summary: 'Run a cycle now; with dryRun, only report what it would propose' })
  @Returns(200, Cycle)
  @Refuses(409, 'evolver.busy', 'evolver.lease_lost')
  runEvolverCycle(@CurrentProposer() actor: JobActor, @Body({ schema: StartCycle }) body: StartCycle): Promise<Cycle> {
    return this.evolver.run(actor, { trigger: 'request', dryRun: body.dryRun });
  }

  @Get('reports')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({
    summary: 'List cycles with their reports, newest first: the first 50 rows of each list, and the totals',
  })
  @Returns(200, CycleList)
  listEvolverCycles(@Query({ schema: CycleQuery }) query: CycleQuery): Promise<CycleList> {
    return this.evolver.list(query);
  }

  @Get('reports/:id')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'Show one cycle with its whole report' })
  @Returns(200, Cycle)
  @Refuses(404, 'evolver.unknown_cycle')
  getEvolverCycle(@Param('id', { schema: Id }) id: string): Promise<Cycle> {
    return this.evolver.show(id);
  }
}
