import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access } from '../../platform/http/access.decorator.js';
import { Answers } from '../../platform/http/answers.decorator.js';
import { ProposerUsage, UsageQuery } from '../spending/proposer-usage.schema.js';
import { ProposerUsages } from './proposer-usage.service.js';

@ApiTags('proposer')
@ApiBearerAuth()
@Controller('v1/proposer')
export class ProposerUsageController {
  constructor(private readonly usages: ProposerUsages) {}

  @Get('usage')
  @Access('read', 'person', 'service')
  @ApiOperation({ summary: 'What the proposer does, its budgets, and what it used: by day, outcome, lesson and skill' })
  @Answers(200, ProposerUsage)
  show(@Query({ schema: UsageQuery }) { days }: UsageQuery): Promise<ProposerUsage> {
    return this.usages.show(days);
  }
}
