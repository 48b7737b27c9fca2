import { Body, Controller, Get, Headers, Param, Post, Query } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiConsumes, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { AGENT_HEADER } from '../access/identity/access.schema.js';
import { CurrentCaller } from '../access/identity/caller.decorator.js';
import type { Caller } from '../access/identity/caller.js';
import { ReporterResolver } from '../access/identity/reporter-resolver.service.js';
import { RequireAnyScope, RequireScope } from '../platform/http/require-scope.decorator.js';
import { Refuses, Returns } from '../platform/http/returns.decorator.js';
import { Executions } from './intake/executions.service.js';
import { ReportBatches } from './intake/report-batches.service.js';
import { ExecutionReport } from './report/execution-report.schema.js';
import {
  BatchReceipt,
  ExecutionDetail,
  ExecutionList,
  ExecutionQuery,
  LearningStatus,
  ReportLines,
  ReportReceipt,
} from './store/executions.schema.js';

const Id = z.uuid({ error: 'must be a UUID' });

@ApiTags('executions')
@ApiBearerAuth()
@Controller('v1/executions')
export class ExecutionsController {
  constructor(
    private readonly executions: Executions,
    private readonly batches: ReportBatches,
    private readonly reporters: ReporterResolver,
  ) {}

  @Post()
  @RequireAnyScope({ scope: 'report', kinds: ['agent'] }, { scope: 'report-for', kinds: ['service', 'person'] })
  @ApiOperation({ summary: 'Report a finished execution. Idempotent by executionId; unknown fields are refused' })
  @ApiHeader({ name: AGENT_HEADER, required: false, description: 'For importers: name of the agent that ran it' })
  @Returns(202, ReportReceipt)
  @Refuses(409, 'execution.content_differs', 'execution.agent_disabled')
  async reportExecution(
    @CurrentCaller() caller: Caller,
    @Body({ schema: ExecutionReport }) report: ExecutionReport,
    @Headers(AGENT_HEADER) agent?: string,
  ): Promise<ReportReceipt> {
    return this.executions.report(await this.reporters.resolve(caller, agent), report);
  }

  @Post('batch')
  @RouteConfig({ takesLines: true })
  @RequireAnyScope({ scope: 'report', kinds: ['agent'] }, { scope: 'report-for', kinds: ['service', 'person'] })
  @ApiOperation({
    summary: 'Report up to 1,000 finished executions, one JSON document per line; each line has its own result',
  })
  @ApiConsumes('application/x-ndjson')
  @ApiHeader({ name: AGENT_HEADER, required: false, description: 'For importers: name of the agent that ran them' })
  @Returns(200, BatchReceipt)
  @Refuses(409, 'execution.agent_disabled')
  async reportExecutionBatch(
    @CurrentCaller() caller: Caller,
    @Body({ schema: ReportLines }) lines: ReportLines,
    @Headers(AGENT_HEADER) agent?: string,
  ): Promise<BatchReceipt> {
    return this.batches.receive(await this.reporters.resolve(caller, agent), lines);
  }

  @Get()
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'Reported executions, newest first' })
  @Returns(200, ExecutionList)
  listExecutions(@Query({ schema: ExecutionQuery }) { limit, after }: ExecutionQuery): Promise<ExecutionList> {
    return this.executions.list(limit, after);
  }

  @Get('status')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'Progress of capture and proposer, and the skipped executions by reason' })
  @Returns(200, LearningStatus)
  getLearningStatus(): Promise<LearningStatus> {
    return this.executions.status();
  }

  @Get(':id')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'One execution, as redacted on receipt' })
  @Returns(200, ExecutionDetail)
  @Refuses(404, 'execution.not_found')
  getExecution(@Param('id', { schema: Id }) id: string): Promise<ExecutionDetail> {
    return this.executions.show(id);
  }
}
