import { Body, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { CurrentAdmin } from '../access/identity/caller.decorator.js';
import type { AdminActor } from '../journal/actor.js';
import { RequireScope } from '../platform/http/require-scope.decorator.js';
import { ApiController, Refuses, Returns } from '../platform/http/returns.decorator.js';
import { NewRetentionRun, RetentionRun, RetentionState } from './retention.schema.js';
import { Retention } from './retention.service.js';

@ApiController('retention', 'v1/retention')
export class RetentionController {
  constructor(private readonly retention: Retention) {}

  @Get()
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'For how long reports and deliveries are kept, and what the last run removed' })
  @Returns(200, RetentionState)
  getRetention(): Promise<RetentionState> {
    return this.retention.state();
  }

  @Post('runs')
  @HttpCode(200)
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Remove old reports and deliveries now, or count them' })
  @Returns(200, RetentionRun)
  @Refuses(409, 'retention.off', 'retention.busy')
  runRetention(
    @CurrentAdmin() actor: AdminActor,
    @Body({ schema: NewRetentionRun }) body: NewRetentionRun,
  ): Promise<RetentionRun> {
    return this.retention.run(actor, body);
  }
}
