import { Body, Controller, Param, Post, Put, UseFilters } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentReviewer, CurrentReviewerOrAdmin } from '../../access/identity/caller.decorator.js';
import type { AdminActor, ReviewerActor } from '../../journal/actor.js';
import { Access, AccessAny } from '../../platform/http/access.decorator.js';
import { Answers } from '../../platform/http/answers.decorator.js';
import { Rollout, SetRollout } from '../../skills/delivery/rollout.schema.js';
import { SkillName } from '../../skills/document/skill-name.schema.js';
import { ApprovalSummary, Rename } from '../proposals/approvals.schema.js';
import { RefusedDecisions } from './refused-decisions.filter.js';
import { RenameSkill } from './rename.js';
import { SetSkillRollout } from './set-rollout.js';

/** What people decide about a live skill without another wording of it. */
@ApiTags('skills')
@ApiBearerAuth()
@UseFilters(RefusedDecisions)
@Controller('v1/skills')
export class LiveSkillsController {
  constructor(
    private readonly renameSkill: RenameSkill,
    private readonly setSkillRollout: SetSkillRollout,
  ) {}

  @Post(':name/rename')
  @Access('decide', 'person')
  @ApiOperation({ summary: 'Ask for another name: opens an item whose approval moves the skill in one commit' })
  @Answers(200, ApprovalSummary)
  rename(
    @CurrentReviewer() reviewer: ReviewerActor,
    @Param('name', { schema: SkillName }) name: string,
    @Body({ schema: Rename }) { to }: Rename,
  ): Promise<ApprovalSummary> {
    return this.renameSkill.rename(reviewer, name, to);
  }

  @Put(':name/rollout')
  @AccessAny({ scope: 'decide', kinds: ['person'] }, { scope: 'administer', kinds: ['person'] })
  @ApiOperation({ summary: 'Say which share of the agents receives the skill: 5, 25 or 100 %' })
  @Answers(200, Rollout)
  setRollout(
    @CurrentReviewerOrAdmin() actor: ReviewerActor | AdminActor,
    @Param('name', { schema: SkillName }) name: string,
    @Body({ schema: SetRollout }) { percent }: SetRollout,
  ): Promise<Rollout> {
    return this.setSkillRollout.set(actor, name, percent);
  }
}
