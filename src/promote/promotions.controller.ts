import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { CurrentReviewerOrAdmin } from '../access/identity/caller.decorator.js';
import type { AdminActor, ReviewerActor } from '../journal/actor.js';
import { RequireAnyScope, RequireScope } from '../platform/http/require-scope.decorator.js';
import { Refuses, Returns } from '../platform/http/returns.decorator.js';
import { Promotion, PromotionList, PromotionQuery } from './promotion.schema.js';
import { PromotionService } from './promotion.service.js';

const Id = z.uuid({ error: 'must be a UUID' });

@ApiTags('promotions')
@ApiBearerAuth()
@Controller('v1/promotions')
export class PromotionsController {
  constructor(private readonly promotions: PromotionService) {}

  @Get()
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'Private memories that wait for corroboration, those that stay unresolved, and why' })
  @Returns(200, PromotionList)
  listPromotions(@Query({ schema: PromotionQuery }) query: PromotionQuery): Promise<PromotionList> {
    return this.promotions.list(query);
  }

  @Get(':id')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'One memory with everything that speaks for it and against it, and what it rests on' })
  @Returns(200, Promotion)
  @Refuses(404, 'promotion.unknown')
  getPromotion(@Param('id', { schema: Id }) id: string): Promise<Promotion> {
    return this.promotions.show(id);
  }

  @Post(':id/check')
  @RequireAnyScope({ scope: 'decide', kinds: ['person'] }, { scope: 'administer', kinds: ['person'] })
  @ApiOperation({ summary: 'Look for corroboration now, whatever the schedule says' })
  @Returns(200, Promotion)
  @Refuses(404, 'promotion.unknown')
  checkPromotion(
    @CurrentReviewerOrAdmin() actor: ReviewerActor | AdminActor,
    @Param('id', { schema: Id }) id: string,
  ): Promise<Promotion> {
    return this.promotions.checkNow(actor, id);
  }
}
