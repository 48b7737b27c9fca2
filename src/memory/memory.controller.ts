import { Body, Get, Post, Put, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { CurrentCaller, CurrentReviewer, CurrentReviewerOrAdmin } from '../access/identity/caller.decorator.js';
import type { Caller } from '../access/identity/caller.js';
import type { AdminActor, ReviewerActor } from '../journal/actor.js';
import { PathId } from '../platform/http/request.pipe.js';
import { RequireAnyScope, RequireScope } from '../platform/http/require-scope.decorator.js';
import { ApiController, Refuses, Returns } from '../platform/http/returns.decorator.js';
import { Lessons } from './lessons/lessons.service.js';
import { MemoryKeeping } from './lessons/memory-keeping.service.js';
import {
  CorrectLesson,
  DeleteLesson,
  LessonList,
  LessonQuery,
  MemoryEntry,
  PinLesson,
  RetireLesson,
  ShareLesson,
  UnshareLesson,
  VerifyLesson,
} from './store/memory.schema.js';
import { LessonSharing } from './upkeep/lesson-sharing.service.js';

/** Codes for a caller who is no reviewer of the whole group. */
const NO_REVIEWER_OF_THE_GROUP = [
  'memory.outside_review_scope',
  'access.scope_missing',
  'access.wrong_kind',
  'access.not_a_person',
  'access.not_a_reviewer',
  'access.cross_origin',
] as const;

@ApiController('lessons', 'v1/lessons')
export class MemoryController {
  constructor(
    private readonly lessons: Lessons,
    private readonly keeping: MemoryKeeping,
    private readonly sharing: LessonSharing,
  ) {}

  @Get()
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'Memories, by default the live lessons of all agents, newest first' })
  @Returns(200, LessonList)
  listLessons(@Query({ schema: LessonQuery }) query: LessonQuery): Promise<LessonList> {
    return this.lessons.list(query);
  }

  @Get(':id')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'One lesson, live or ended' })
  @Returns(200, MemoryEntry)
  @Refuses(404, 'memory.unknown_lesson')
  showLesson(@PathId() id: string): Promise<MemoryEntry> {
    return this.keeping.show(id);
  }

  @Post(':id/correct')
  @RequireScope('read', 'person')
  @ApiOperation({ summary: "Correct the texts of a lesson, as its agent's owner or an administrator" })
  @Returns(200, MemoryEntry)
  @Refuses(403, 'memory.not_owner', 'access.wrong_kind', 'access.cross_origin')
  @Refuses(404, 'memory.unknown_lesson')
  @Refuses(409, 'memory.unchanged')
  correctLesson(
    @CurrentCaller() caller: Caller,
    @PathId() id: string,
    @Body({ schema: CorrectLesson }) correction: CorrectLesson,
  ): Promise<MemoryEntry> {
    return this.keeping.correct(caller, id, correction);
  }

  @Post(':id/delete')
  @RequireScope('read', 'person')
  @ApiOperation({ summary: "Delete a lesson and its texts, as its agent's owner or an administrator" })
  @Returns(200, MemoryEntry)
  @Refuses(403, 'memory.not_owner', 'access.wrong_kind', 'access.cross_origin')
  @Refuses(404, 'memory.unknown_lesson')
  async deleteLesson(
    @CurrentCaller() caller: Caller,
    @PathId() id: string,
    @Body({ schema: DeleteLesson }) { reason }: DeleteLesson,
  ): Promise<MemoryEntry> {
    await this.keeping.delete(caller, id, reason, 'agent');
    return this.keeping.show(id);
  }

  @Put(':id/pin')
  @RequireAnyScope({ scope: 'decide', kinds: ['person'] }, { scope: 'administer', kinds: ['person'] })
  @ApiOperation({ summary: 'Pin a lesson, so that the upkeep keeps it, or unpin it' })
  @Returns(200, MemoryEntry)
  @Refuses(404, 'memory.unknown_lesson')
  pinLesson(
    @CurrentReviewerOrAdmin() actor: ReviewerActor | AdminActor,
    @PathId() id: string,
    @Body({ schema: PinLesson }) { pinned }: PinLesson,
  ): Promise<MemoryEntry> {
    return this.keeping.pin(actor, id, pinned);
  }

  @Post(':id/retire')
  @RequireAnyScope({ scope: 'decide', kinds: ['person'] }, { scope: 'administer', kinds: ['person'] })
  @ApiOperation({ summary: 'Retire a lesson that is wrong, with its copies at other agents' })
  @Returns(200, MemoryEntry)
  @Refuses(404, 'memory.unknown_lesson')
  retireLesson(
    @CurrentReviewerOrAdmin() actor: ReviewerActor | AdminActor,
    @PathId() id: string,
    @Body({ schema: RetireLesson }) { reason }: RetireLesson,
  ): Promise<MemoryEntry> {
    return this.keeping.retire(actor, id, reason);
  }

  @Post(':id/share')
  @RequireScope('decide', 'person')
  @ApiOperation({ summary: "Share a lesson with its agent's role or department, as a reviewer for that group" })
  @Returns(201, MemoryEntry)
  @Refuses(403, ...NO_REVIEWER_OF_THE_GROUP)
  @Refuses(404, 'memory.unknown_lesson')
  @Refuses(409, 'memory.already_shared', 'memory.agent_without_group', 'memory.not_shareable', 'memory.is_copy')
  shareLesson(
    @CurrentReviewer() reviewer: ReviewerActor,
    @PathId() id: string,
    @Body({ schema: ShareLesson }) request: ShareLesson,
  ): Promise<MemoryEntry> {
    return this.sharing.share(reviewer, id, request);
  }

  @Post(':id/unshare')
  @RequireScope('decide', 'person')
  @ApiOperation({ summary: 'End a lesson for a role or a department; its source stays with its agent' })
  @Returns(200, MemoryEntry)
  @Refuses(403, ...NO_REVIEWER_OF_THE_GROUP)
  @Refuses(404, 'memory.unknown_lesson')
  unshareLesson(
    @CurrentReviewer() reviewer: ReviewerActor,
    @PathId() id: string,
    @Body({ schema: UnshareLesson }) { reason }: UnshareLesson,
  ): Promise<MemoryEntry> {
    return this.sharing.unshare(reviewer, id, reason);
  }

  @Put(':id/provenance')
  @RequireScope('decide', 'person')
  @ApiOperation({ summary: 'Verify a private lesson as a reviewer, or set it back to unverified' })
  @Returns(200, MemoryEntry)
  @Refuses(404, 'memory.unknown_lesson')
  @Refuses(409, 'memory.provenance_unchanged', 'memory.is_copy')
  verifyLesson(
    @CurrentReviewer() reviewer: ReviewerActor,
    @PathId() id: string,
    @Body({ schema: VerifyLesson }) verification: VerifyLesson,
  ): Promise<MemoryEntry> {
    return this.keeping.verify(reviewer, id, verification);
  }
}
