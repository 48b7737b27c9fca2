import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { CurrentReviewerOrAdmin } from '../access/identity/caller.decorator.js';
import type { AdminActor, ReviewerActor } from '../journal/actor.js';
import { Access, AccessAny } from '../platform/http/access.decorator.js';
import { Answers } from '../platform/http/answers.decorator.js';
import { Promotion, PromotionList, PromotionQuery } from './promotion.schema.js';
import { Promotions } from './promotions.service.js';

const Id = z.uuid({ error: 'must be a UUID' });

@ApiTags('memory')
@ApiBearerAuth()
@Controller('v1/promotions')
export class PromotionsController {
  constructor(private readonly promotions: Promotions) {}

  @Get()
  @Access('read', 'person', 'service')
  @ApiOperation({ summary: 'Private memories that wait for corroboration, those that stay unresolved, and why' })
  @Answers(200, PromotionList)
  list(@Query({ schema: PromotionQuery }) query: PromotionQuery): Promise<PromotionList> {
    return this.promotions.list(query);
  }

  @Get(':id')
  @Access('read', 'person', 'service')
  @ApiOperation({ summary: 'One memory with everything that speaks for it and against it, and what it rests on' })
  @Answers(200, Promotion)
  show(@Param('id', { schema: Id }) id: string): Promise<Promotion> {
    return this.promotions.show(id);
  }

  @Post(':id/check')
  @AccessAny({ scope: 'decide', kinds: ['person'] }, { scope: 'administer', kinds: ['person'] })
  @ApiOperation({ summary: 'Look for corroboration now, whatever the schedule says' })
  @Answers(200, Promotion)
  check(
    @CurrentReviewerOrAdmin() actor: ReviewerActor | AdminActor,
    @Param('id', { schema: Id }) id: string,
  ): Promise<Promotion> {
    return this.promotions.check(actor, id);
  }
}
