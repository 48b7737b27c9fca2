import { Body, Controller, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { CurrentReviewer, CurrentReviewerOrAdmin } from '../access/identity/caller.decorator.js';
import type { AdminActor, ReviewerActor } from '../journal/actor.js';
import { Access, AccessAny } from '../platform/http/access.decorator.js';
import { Answers } from '../platform/http/answers.decorator.js';
import { LessonKeeping } from './lessons/lesson-keeping.service.js';
import { Lessons } from './lessons/lessons.service.js';
import { JudgeLesson, LessonList, LessonQuery, MemoryEntry, PinLesson, RetractLesson } from './store/memory.schema.js';

const Id = z.uuid({ error: 'must be a UUID' });

@ApiTags('memory')
@ApiBearerAuth()
@Controller('v1/lessons')
export class MemoryController {
  constructor(
    private readonly lessons: Lessons,
    private readonly keeping: LessonKeeping,
  ) {}

  @Get()
  @Access('read', 'person', 'service')
  @ApiOperation({ summary: "The agents' private lessons, newest first, with their provenance" })
  @Answers(200, LessonList)
  list(@Query({ schema: LessonQuery }) query: LessonQuery): Promise<LessonList> {
    return this.lessons.list(query);
  }

  @Put(':id/pin')
  @AccessAny({ scope: 'decide', kinds: ['person'] }, { scope: 'administer', kinds: ['person'] })
  @ApiOperation({ summary: 'Keep a lesson from the upkeep, or leave it to it again' })
  @Answers(200, MemoryEntry)
  pin(
    @CurrentReviewerOrAdmin() actor: ReviewerActor | AdminActor,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: PinLesson }) { pinned }: PinLesson,
  ): Promise<MemoryEntry> {
    return this.keeping.pin(actor, id, pinned);
  }

  @Post(':id/retract')
  @AccessAny({ scope: 'decide', kinds: ['person'] }, { scope: 'administer', kinds: ['person'] })
  @ApiOperation({ summary: 'End a lesson that is wrong, with its copies at other agents' })
  @Answers(200, MemoryEntry)
  retract(
    @CurrentReviewerOrAdmin() actor: ReviewerActor | AdminActor,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: RetractLesson }) { reason }: RetractLesson,
  ): Promise<MemoryEntry> {
    return this.keeping.retract(actor, id, reason);
  }

  @Put(':id/provenance')
  @Access('decide', 'person')
  @ApiOperation({ summary: "A reviewer's word on a private lesson: verified, or not any more" })
  @Answers(200, MemoryEntry)
  judge(
    @CurrentReviewer() reviewer: ReviewerActor,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: JudgeLesson }) judgement: JudgeLesson,
  ): Promise<MemoryEntry> {
    return this.keeping.judge(reviewer, id, judgement);
  }
}
