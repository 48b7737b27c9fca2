import { Get, Post, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { CurrentReviewerOrAdmin } from '../access/identity/caller.decorator.js';
import type { AdminActor, ReviewerActor } from '../journal/actor.js';
import { PathId } from '../platform/http/request.pipe.js';
import { RequireAnyScope, RequireScope } from '../platform/http/require-scope.decorator.js';
import { ApiController, Refuses, Returns } from '../platform/http/returns.decorator.js';
import { Promotion, PromotionList, PromotionQuery } from './promotion.schema.js';
import { PromotionService } from './promotion.service.js';

@ApiController('promotions', 'v1/promotions')
export class PromotionsController {
  constructor(private readonly promotions: PromotionService) {}

  @Get()
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'List private memories that wait for corroboration, with the reasons of unresolved ones' })
  @Returns(200, PromotionList)
  listPromotions(@Query({ schema: PromotionQuery }) query: PromotionQuery): Promise<PromotionList> {
    return this.promotions.list(query);
  }

  @Get(':id')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'Show one memory with all evidence for and against it, and the memories that it rests on' })
  @Returns(200, Promotion)
  @Refuses(404, 'promotion.unknown')
  getPromotion(@PathId() id: string): Promise<Promotion> {
    return this.promotions.show(id);
  }

  @Post(':id/check')
  @RequireAnyScope({ scope: 'decide', kinds: ['person'] }, { scope: 'administer', kinds: ['person'] })
  @ApiOperation({ summary: 'Check the evidence for a memory now, ahead of the schedule' })
  @Returns(200, Promotion)
  @Refuses(404, 'promotion.unknown')
  checkPromotion(
    @CurrentReviewerOrAdmin() actor: ReviewerActor | AdminActor,
    @PathId() id: string,
  ): Promise<Promotion> {
    return this.promotions.checkNow(actor, id);
  }
}
