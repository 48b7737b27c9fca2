import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentProposer } from '../access/identity/caller.decorator.js';
import { WriterList, WriterQuery } from '../approvals/queue/writer-record.schema.js';
import { WriterRecords } from '../approvals/queue/writer-records.service.js';
import type { JobActor } from '../journal/actor.js';
import { RequireAnyScope, RequireScope } from '../platform/http/require-scope.decorator.js';
import { AlsoReturns, Refuses, Returns } from '../platform/http/returns.decorator.js';
import {
  CandidateList,
  CandidateQuery,
  FamilyDetails,
  FamilyFingerprint,
  FamilyList,
  FamilyQuery,
} from './cycle/candidates.schema.js';
import { CycleReports } from './cycle/cycle-reports.service.js';
import { Cycle, CycleList, CycleQuery, StartCycle } from './cycle/cycles.schema.js';
import { Evolver } from './cycle/evolver.service.js';
import { ExaminedFamilies } from './cycle/examined-families.service.js';

const Id = z.uuid({ error: 'must be a UUID' });

@ApiTags('evolver')
@ApiBearerAuth()
@Controller('v1/evolver')
export class EvolverController {
  constructor(
    private readonly evolver: Evolver,
    private readonly reports: CycleReports,
    private readonly examined: ExaminedFamilies,
    private readonly writers: WriterRecords,
  ) {}

  @Post('cycles')
  @RequireAnyScope({ scope: 'administer', kinds: ['person'] }, { scope: 'propose', kinds: ['service'] })
  @ApiOperation({ summary: 'Run a cycle now; with dryRun, only report what it would propose' })
  @Returns(200, Cycle)
  @AlsoReturns(202, 'The cycle has started; ask for its report until its state is another one', Cycle)
  @Refuses(409, 'evolver.busy', 'evolver.lease_lost')
  async runEvolverCycle(
    @CurrentProposer() actor: JobActor,
    @Body({ schema: StartCycle }) { dryRun, wait }: StartCycle,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Cycle> {
    const request = { trigger: 'request', dryRun } as const;
    if (wait) return this.evolver.run(actor, request);
    reply.status(202);
    return this.evolver.start(actor, request);
  }

  @Get('reports')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({
    summary: 'List cycles with their reports, newest first: the first 50 rows of each list, and the totals',
  })
  @Returns(200, CycleList)
  listEvolverCycles(@Query({ schema: CycleQuery }) query: CycleQuery): Promise<CycleList> {
    return this.reports.list(query);
  }

  @Get('reports/:id')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'Show one cycle with its whole report' })
  @Returns(200, Cycle)
  @Refuses(404, 'evolver.unknown_cycle')
  getEvolverCycle(@Param('id', { schema: Id }) id: string): Promise<Cycle> {
    return this.reports.show(id);
  }

  @Get('candidates')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({
    summary: 'List the candidates of the newest completed cycle with their verdicts: those that became no draft first',
  })
  @Returns(200, CandidateList)
  listEvolverCandidates(@Query({ schema: CandidateQuery }) query: CandidateQuery): Promise<CandidateList> {
    return this.examined.candidates(query);
  }

  @Get('families')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({
    summary: 'List the families of failures that the newest completed cycle examined, the largest first',
  })
  @Returns(200, FamilyList)
  listFailureFamilies(@Query({ schema: FamilyQuery }) query: FamilyQuery): Promise<FamilyList> {
    return this.examined.families(query);
  }

  @Get('families/:fingerprint')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({
    summary: 'Show a family of the newest completed cycle with its dossier, its candidates and its proposals',
  })
  @Returns(200, FamilyDetails)
  @Refuses(404, 'evolver.unknown_family')
  getFailureFamily(@Param('fingerprint', { schema: FamilyFingerprint }) fingerprint: string): Promise<FamilyDetails> {
    return this.examined.family(fingerprint);
  }

  @Get('writers')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'Show how often reviewers approve, edit and reject what each writer of lessons proposed' })
  @Returns(200, WriterList)
  listLessonWriters(@Query({ schema: WriterQuery }) query: WriterQuery): Promise<WriterList> {
    return this.writers.list(query);
  }
}
