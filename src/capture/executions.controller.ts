import { Body, Controller, Get, Headers, Param, Post, Query } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiConsumes, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { AGENT_HEADER } from '../access/identity/access.schema.js';
import { CurrentCaller } from '../access/identity/caller.decorator.js';
import type { Caller } from '../access/identity/caller.js';
import { Reporters } from '../access/identity/reporters.service.js';
import { Access, AccessAny } from '../platform/http/access.decorator.js';
import { Answers } from '../platform/http/answers.decorator.js';
import { Executions } from './intake/executions.service.js';
import { ReportBatches } from './intake/report-batches.service.js';
import { ExecutionReport } from './report/execution-report.schema.js';
import {
  ExecutionDetail,
  ExecutionList,
  ExecutionQuery,
  LearningStatus,
  Received,
  ReceivedBatch,
  ReportLines,
} from './store/executions.schema.js';

const Id = z.uuid({ error: 'must be a UUID' });

@ApiTags('executions')
@ApiBearerAuth()
@Controller('v1/executions')
export class ExecutionsController {
  constructor(
    private readonly executions: Executions,
    private readonly batches: ReportBatches,
    private readonly reporters: Reporters,
  ) {}

  @Post()
  @AccessAny({ scope: 'report', kinds: ['agent'] }, { scope: 'report-for', kinds: ['service', 'person'] })
  @ApiOperation({ summary: 'Report a finished execution. Idempotent by executionId; unknown fields are refused' })
  @ApiHeader({ name: AGENT_HEADER, required: false, description: 'For importers: the agent that ran it' })
  @Answers(202, Received)
  async report(
    @CurrentCaller() caller: Caller,
    @Body({ schema: ExecutionReport }) report: ExecutionReport,
    @Headers(AGENT_HEADER) agent?: string,
  ): Promise<Received> {
    return this.executions.report(await this.reporters.reporter(caller, agent), report);
  }

  @Post('batch')
  @RouteConfig({ takesLines: true })
  @AccessAny({ scope: 'report', kinds: ['agent'] }, { scope: 'report-for', kinds: ['service', 'person'] })
  @ApiOperation({
    summary: 'Report up to 1,000 finished executions, a line of JSON each; every line has its own answer',
  })
  @ApiConsumes('application/x-ndjson')
  @ApiHeader({ name: AGENT_HEADER, required: false, description: 'For importers: the agent that ran them' })
  @Answers(200, ReceivedBatch)
  async batch(
    @CurrentCaller() caller: Caller,
    @Body({ schema: ReportLines }) lines: ReportLines,
    @Headers(AGENT_HEADER) agent?: string,
  ): Promise<ReceivedBatch> {
    return this.batches.take(await this.reporters.reporter(caller, agent), lines);
  }

  @Get()
  @Access('read', 'person', 'service')
  @ApiOperation({ summary: 'What was reported, newest first' })
  @Answers(200, ExecutionList)
  list(@Query({ schema: ExecutionQuery }) { limit, after }: ExecutionQuery): Promise<ExecutionList> {
    return this.executions.list(limit, after);
  }

  @Get('status')
  @Access('read', 'person', 'service')
  @ApiOperation({ summary: 'How far capture and proposer have come, and what did not teach, by reason' })
  @Answers(200, LearningStatus)
  status(): Promise<LearningStatus> {
    return this.executions.status();
  }

  @Get(':id')
  @Access('read', 'person', 'service')
  @ApiOperation({ summary: 'One execution, as sanitised on receipt' })
  @Answers(200, ExecutionDetail)
  show(@Param('id', { schema: Id }) id: string): Promise<ExecutionDetail> {
    return this.executions.show(id);
  }
}
