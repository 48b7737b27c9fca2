import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentReviewer } from '../access/caller.decorator.js';
import type { ReviewerActor } from '../journal/actor.js';
import { Access } from '../platform/access.decorator.js';
import { Answers } from '../platform/answers.decorator.js';
import { SkillName } from '../skills/skills.schema.js';
import { ApprovalSummary, Rename } from './approvals.schema.js';
import { Renaming } from './renaming.service.js';

@ApiTags('skills')
@ApiBearerAuth()
@Controller('v1/skills')
export class RenamingController {
  constructor(private readonly renaming: Renaming) {}

  @Post(':name/rename')
  @Access('decide', 'person')
  @ApiOperation({ summary: 'Ask for another name: opens an item whose approval moves the skill in one commit' })
  @Answers(200, ApprovalSummary)
  rename(
    @CurrentReviewer() reviewer: ReviewerActor,
    @Param('name', { schema: SkillName }) name: string,
    @Body({ schema: Rename }) { to }: Rename,
  ): Promise<ApprovalSummary> {
    return this.renaming.rename(reviewer, name, to);
  }
}
