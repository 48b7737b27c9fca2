import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { CurrentReviewerOrAdmin } from '../access/identity/caller.decorator.js';
import type { AdminActor, ReviewerActor } from '../journal/actor.js';
import { RequireAnyScope, RequireScope } from '../platform/http/require-scope.decorator.js';
import { Returns } from '../platform/http/returns.decorator.js';
import { Promotion, PromotionList, PromotionQuery } from './promotion.schema.js';
import { PromotionService } from './promotion.service.js';

const Id = z.uuid({ error: 'must be a UUID' });

@ApiTags('memory')
@ApiBearerAuth()
@Controller('v1/promotions')
export class PromotionsController {
  constructor(private readonly promotions: PromotionService) {}

  @Get()
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'List private memories that wait for corroboration, with the reasons of unresolved ones' })
  @Returns(200, PromotionList)
  list(@Query({ schema: PromotionQuery }) query: PromotionQuery): Promise<PromotionList> {
    return this.promotions.list(query);
  }

  @Get(':id')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'Show one memory with all evidence for and against it, and the memories that it rests on' })
  @Returns(200, Promotion)
  show(@Param('id', { schema: Id }) id: string): Promise<Promotion> {
    return this.promotions.show(id);
  }

  @Post(':id/check')
  @RequireAnyScope({ scope: 'decide', kinds: ['person'] }, { scope: 'administer', kinds: ['person'] })
  @ApiOperation({ summary: 'Check the evidence for a memory now, ahead of the schedule' })
  @Returns(200, Promotion)
  check(
    @CurrentReviewerOrAdmin() actor: ReviewerActor | AdminActor,
    @Param('id', { schema: Id }) id: string,
  ): Promise<Promotion> {
    return this.promotions.checkNow(actor, id);
  }
}
