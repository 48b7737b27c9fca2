import { applyDecorators, Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiExtension, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AGENT_HEADER } from '../../access/identity/access.schema.js';
import { CurrentCaller } from '../../access/identity/caller.decorator.js';
import type { Caller } from '../../access/identity/caller.js';
import { ProtobufBody } from '../../platform/http/protobuf-body.decorator.js';
import { RequireAnyScope } from '../../platform/http/require-scope.decorator.js';
import { Refuses, Returns } from '../../platform/http/returns.decorator.js';
import {
  ExportLogsRequest,
  ExportLogsResponse,
  ExportMetricsRequest,
  ExportMetricsResponse,
  ExportTraceRequest,
  ExportTraceResponse,
} from '../traces/otlp.schema.js';
import { Telemetry } from './telemetry.service.js';

/** An export has nine levels before the first attribute value, and a value can be a list in a map. */
const OTLP_DEPTH = 32;
/** Seven for each attribute, of which 60,000 fill a body. */
const OTLP_VALUES = 450_000;

/** A route of OTLP/HTTP. */
const TakesOtlp = (otlp: 'traces' | 'logs' | 'metrics', summary: string) =>
  applyDecorators(
    HttpCode(200),
    RouteConfig({ otlp, jsonDepth: OTLP_DEPTH, jsonValues: OTLP_VALUES }),
    RequireAnyScope({ scope: 'report', kinds: ['agent'] }, { scope: 'report-for', kinds: ['service', 'person'] }),
    ApiOperation({ summary }),
    ApiExtension('x-otlp', true),
    ApiHeader({ name: AGENT_HEADER, required: false, description: 'For importers: name of the agent that ran it' }),
    Refuses(409, 'execution.agent_disabled'),
  );

@ApiTags('executions')
@ApiBearerAuth()
@Controller('v1')
export class TelemetryController {
  constructor(private readonly telemetry: Telemetry) {}

  @Post('traces')
  @TakesOtlp('traces', 'OTLP/HTTP traces with spans of agents. Finished agent runs are reported as executions')
  @Returns(200, ExportTraceResponse)
  reportTraces(
    @CurrentCaller() caller: Caller,
    @Body({ schema: ExportTraceRequest }) request: ExportTraceRequest,
    @ProtobufBody() protobuf?: Uint8Array,
    @Headers(AGENT_HEADER) agent?: string,
  ): Promise<ExportTraceResponse> {
    return this.telemetry.receiveTraces(caller, agent, { signal: 'traces', request, protobuf });
  }

  @Post('logs')
  @TakesOtlp('logs', 'OTLP/HTTP log records with events of agents, for the same executions')
  @Returns(200, ExportLogsResponse)
  reportLogs(
    @CurrentCaller() caller: Caller,
    @Body({ schema: ExportLogsRequest }) request: ExportLogsRequest,
    @ProtobufBody() protobuf?: Uint8Array,
    @Headers(AGENT_HEADER) agent?: string,
  ): Promise<ExportLogsResponse> {
    return this.telemetry.receiveLogs(caller, agent, { signal: 'logs', request, protobuf });
  }

  @Post('metrics')
  @TakesOtlp('metrics', 'OTLP/HTTP metrics: received and dropped, for exporters that send all signals')
  @Returns(200, ExportMetricsResponse)
  dropMetrics(@Body({ schema: ExportMetricsRequest }) _metrics: ExportMetricsRequest): ExportMetricsResponse {
    return {};
  }
}
