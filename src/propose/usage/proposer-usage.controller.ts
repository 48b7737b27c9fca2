import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../platform/http/require-scope.decorator.js';
import { Returns } from '../../platform/http/returns.decorator.js';
import { ProposerUsage, UsageQuery } from '../spending/proposer-usage.schema.js';
import { ProposerUsageService } from './proposer-usage.service.js';

@ApiTags('proposer')
@ApiBearerAuth()
@Controller('v1/proposer')
export class ProposerUsageController {
  constructor(private readonly usages: ProposerUsageService) {}

  @Get('usage')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'Show the state, budgets and usage of the proposer by day, outcome, lesson and skill' })
  @Returns(200, ProposerUsage)
  show(@Query({ schema: UsageQuery }) { days }: UsageQuery): Promise<ProposerUsage> {
    return this.usages.show(days);
  }
}
