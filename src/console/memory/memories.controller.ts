import { Body, Controller, Get, Param, Post, Query, Res, UseFilters } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentCaller, CurrentReviewer, CurrentReviewerOrAdmin } from '../../access/identity/caller.decorator.js';
import type { Caller } from '../../access/identity/caller.js';
import type { AdminActor, ReviewerActor } from '../../journal/actor.js';
import { LessonKeeping } from '../../memory/lessons/lesson-keeping.service.js';
import { JudgeLesson } from '../../memory/store/memory.schema.js';
import { Clock } from '../../platform/base/clock.js';
import { Access, AccessAny } from '../../platform/http/access.decorator.js';
import { PromotionState } from '../../promote/promotion.schema.js';
import { Promotions } from '../../promote/promotions.service.js';
import { decides } from '../frame/desk.service.js';
import { sendPage } from '../frame/pages.view.js';
import { ConsoleProblems } from '../frame/problems.filter.js';
import { say } from '../texts/texts.js';
import { memoryRow, memoryView } from './memory-pages.js';

const PAGE = 50;
const Id = z.uuid({ error: 'must be a UUID' });
const PageQuery = z.object({
  state: PromotionState.default('unresolved').catch('unresolved'),
  after: z.uuid().optional().catch(undefined),
});
type PageQuery = z.infer<typeof PageQuery>;

@ApiExcludeController()
@UseFilters(ConsoleProblems)
@Controller('memories')
export class MemoriesPageController {
  constructor(
    private readonly clock: Clock,
    private readonly promotions: Promotions,
    private readonly keeping: LessonKeeping,
  ) {}

  @Get()
  @Access('read', 'person')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: PageQuery }) { state, after }: PageQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const now = this.clock.now();
    const { items, next, counts } = await this.promotions.list({ state, after, limit: PAGE });
    const tabs = PromotionState.options.map((one) => ({
      ...{ path: `/memories?state=${one}`, current: one === state },
      text: say(`memories.state.${one}`, { n: counts[one] ?? 0 }),
    }));
    const more = next === null ? null : `/memories?${new URLSearchParams({ state, after: next })}`;
    const rows = items.map((item) => memoryRow(item, now));
    await sendPage(reply, caller, {
      ...{ template: 'memories', title: say('memories.title'), at: 'fleet', view: { tabs, rows, more } },
    });
  }

  @Get(':id')
  @Access('read', 'person')
  async show(
    @CurrentCaller() caller: Caller,
    @Param('id', { schema: Id }) id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const judge = decides(caller);
    const can = { judge, check: judge || (caller.isAdmin && caller.scopes.includes('administer')) };
    const view = memoryView(await this.promotions.show(id), can, this.clock.now());
    await sendPage(reply, caller, { template: 'memory', title: say('memory.title'), at: 'fleet', view });
  }

  @Post(':id/judge')
  @Access('decide', 'person')
  @RouteConfig({ takesForm: true })
  async judge(
    @CurrentReviewer() reviewer: ReviewerActor,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: JudgeLesson }) judgement: JudgeLesson,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.keeping.judge(reviewer, id, judgement);
    await this.promotions.check(reviewer, id);
    await reply.redirect(`/memories/${id}`, 303);
  }

  @Post(':id/check')
  @AccessAny({ scope: 'decide', kinds: ['person'] }, { scope: 'administer', kinds: ['person'] })
  @RouteConfig({ takesForm: true })
  async check(
    @CurrentReviewerOrAdmin() actor: ReviewerActor | AdminActor,
    @Param('id', { schema: Id }) id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.promotions.check(actor, id);
    await reply.redirect(`/memories/${id}`, 303);
  }
}
