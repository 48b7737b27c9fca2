import { Body, Controller, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { CurrentReviewer, CurrentReviewerOrAdmin } from '../access/identity/caller.decorator.js';
import type { AdminActor, ReviewerActor } from '../journal/actor.js';
import { RequireAnyScope, RequireScope } from '../platform/http/require-scope.decorator.js';
import { Refuses, Returns } from '../platform/http/returns.decorator.js';
import { LessonCuration } from './lessons/lesson-curation.service.js';
import { Lessons } from './lessons/lessons.service.js';
import { LessonList, LessonQuery, MemoryEntry, PinLesson, RetireLesson, VerifyLesson } from './store/memory.schema.js';

const Id = z.uuid({ error: 'must be a UUID' });

@ApiTags('lessons')
@ApiBearerAuth()
@Controller('v1/lessons')
export class MemoryController {
  constructor(
    private readonly lessons: Lessons,
    private readonly curation: LessonCuration,
  ) {}

  @Get()
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: "The agents' private lessons, newest first, with their provenance" })
  @Returns(200, LessonList)
  listLessons(@Query({ schema: LessonQuery }) query: LessonQuery): Promise<LessonList> {
    return this.lessons.list(query);
  }

  @Put(':id/pin')
  @RequireAnyScope({ scope: 'decide', kinds: ['person'] }, { scope: 'administer', kinds: ['person'] })
  @ApiOperation({ summary: 'Pin a lesson, so that the upkeep keeps it, or unpin it' })
  @Returns(200, MemoryEntry)
  @Refuses(404, 'memory.unknown_lesson')
  pinLesson(
    @CurrentReviewerOrAdmin() actor: ReviewerActor | AdminActor,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: PinLesson }) { pinned }: PinLesson,
  ): Promise<MemoryEntry> {
    return this.curation.pin(actor, id, pinned);
  }

  @Post(':id/retire')
  @RequireAnyScope({ scope: 'decide', kinds: ['person'] }, { scope: 'administer', kinds: ['person'] })
  @ApiOperation({ summary: 'Retire a lesson that is wrong, with its copies at other agents' })
  @Returns(200, MemoryEntry)
  @Refuses(404, 'memory.unknown_lesson')
  retireLesson(
    @CurrentReviewerOrAdmin() actor: ReviewerActor | AdminActor,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: RetireLesson }) { reason }: RetireLesson,
  ): Promise<MemoryEntry> {
    return this.curation.retire(actor, id, reason);
  }

  @Put(':id/provenance')
  @RequireScope('decide', 'person')
  @ApiOperation({ summary: 'Verify a private lesson as a reviewer, or set it back to unverified' })
  @Returns(200, MemoryEntry)
  @Refuses(404, 'memory.unknown_lesson')
  @Refuses(409, 'memory.provenance_unchanged', 'memory.is_copy')
  verifyLesson(
    @CurrentReviewer() reviewer: ReviewerActor,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: VerifyLesson }) verification: VerifyLesson,
  ): Promise<MemoryEntry> {
    return this.curation.verify(reviewer, id, verification);
  }
}
