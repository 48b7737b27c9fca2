import { Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AGENT_HEADER } from '../../access/identity/access.schema.js';
import { CurrentCaller } from '../../access/identity/caller.decorator.js';
import type { Caller } from '../../access/identity/caller.js';
import { RequireAnyScope } from '../../platform/http/require-scope.decorator.js';
import { Refuses, Returns } from '../../platform/http/returns.decorator.js';
import { ExportTraceRequest, ExportTraceResponse } from '../traces/otlp.schema.js';
import { Traces } from './traces.service.js';

/** An export has nine levels before the first attribute value, and a value can be a list in a map. */
const OTLP_DEPTH = 32;
/** Seven for each attribute, of which 60,000 fill a body. */
const OTLP_VALUES = 450_000;

@ApiTags('executions')
@ApiBearerAuth()
@Controller('v1/traces')
export class TracesController {
  constructor(private readonly traces: Traces) {}

  @Post()
  @HttpCode(200)
  @RouteConfig({ jsonDepth: OTLP_DEPTH, jsonValues: OTLP_VALUES })
  @RequireAnyScope({ scope: 'report', kinds: ['agent'] }, { scope: 'report-for', kinds: ['service', 'person'] })
  @ApiOperation({
    summary: 'OTLP/HTTP traces with GenAI spans, in JSON. Finished agent runs are reported as executions',
  })
  @ApiHeader({ name: AGENT_HEADER, required: false, description: 'For importers: name of the agent that ran it' })
  @Returns(200, ExportTraceResponse)
  @Refuses(409, 'execution.agent_disabled')
  reportTraces(
    @CurrentCaller() caller: Caller,
    @Body({ schema: ExportTraceRequest }) request: ExportTraceRequest,
    @Headers(AGENT_HEADER) agent?: string,
  ): Promise<ExportTraceResponse> {
    return this.traces.receive(caller, agent, request);
  }
}
