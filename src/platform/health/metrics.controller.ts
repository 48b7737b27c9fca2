import { Controller, Get, Header, Headers, NotFoundException } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { DomainError } from '../base/domain.errors.js';
import { Public } from '../http/public.decorator.js';
import { AlsoReturns, Refuses } from '../http/returns.decorator.js';
import { Telemetry } from '../telemetry/telemetry.service.js';

/** The version that the text has; Prometheus reads it in each of its releases. */
const EXPOSITION = 'text/plain; version=0.0.4; charset=utf-8';

@ApiTags('health')
@Controller()
export class MetricsController {
  constructor(private readonly telemetry: Telemetry) {}

  /** Public to the guard, because its token is that of a setting and opens nothing else. */
  @Public('anonymous')
  @Get('metrics')
  @Header('content-type', EXPOSITION)
  @ApiBearerAuth()
  @ApiOperation({ summary: 'Metrics of this process for Prometheus, with the token of GUILDBOOK_METRICS_TOKEN' })
  @AlsoReturns(200, 'Metrics in the text format of Prometheus', z.string(), 'text/plain')
  @Refuses(401, 'access.unknown')
  @Refuses(404, 'route.not_found')
  @Refuses(429, 'request.rate_limited')
  async getMetrics(@Headers('authorization') authorization?: string): Promise<string> {
    const access = this.telemetry.prometheusAccess(authorization);
    if (access === 'off') throw new NotFoundException('There is no such route.');
    if (access === 'refused')
      throw new DomainError('unauthenticated', 'access.unknown', 'Send the token of GUILDBOOK_METRICS_TOKEN.');
    return this.telemetry.prometheusText();
  }
}
