import { Body, Param, Post, Put, UseFilters } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { CurrentReviewer, CurrentReviewerOrAdmin } from '../../access/identity/caller.decorator.js';
import type { AdminActor, ReviewerActor } from '../../journal/actor.js';
import { RequireAnyScope, RequireScope } from '../../platform/http/require-scope.decorator.js';
import { ApiController, Refuses, Returns } from '../../platform/http/returns.decorator.js';
import { Rollout, SetRollout } from '../../skills/delivery/rollout.schema.js';
import { SkillName } from '../../skills/document/skill-name.schema.js';
import { ProposalSummary, Rename } from '../proposals/proposals.schema.js';
import { RefusedDecisionFilter } from './refused-decision.filter.js';
import { RenameSkill } from './rename.js';
import { SetSkillRollout } from './set-rollout.js';

/** Decisions about a live skill that do not change its wording. */
@ApiController('skills', 'v1/skills')
@UseFilters(RefusedDecisionFilter)
export class LiveSkillsController {
  constructor(
    private readonly renames: RenameSkill,
    private readonly rollouts: SetSkillRollout,
  ) {}

  @Post(':name/rename')
  @RequireScope('decide', 'person')
  @ApiOperation({ summary: 'Propose another name: opens a proposal whose approval renames the skill in one commit' })
  @Returns(200, ProposalSummary)
  @Refuses(404, 'skill.not_found')
  @Refuses(409, 'skill.name_taken')
  renameSkill(
    @CurrentReviewer() reviewer: ReviewerActor,
    @Param('name', { schema: SkillName }) name: string,
    @Body({ schema: Rename }) { to }: Rename,
  ): Promise<ProposalSummary> {
    return this.renames.rename(reviewer, name, to);
  }

  @Put(':name/rollout')
  @RequireAnyScope({ scope: 'decide', kinds: ['person'] }, { scope: 'administer', kinds: ['person'] })
  @ApiOperation({ summary: 'Set the share of agents that receives the skill: 5, 25 or 100 %' })
  @Returns(200, Rollout)
  @Refuses(404, 'skill.not_found')
  @Refuses(409, 'skill.rollout_changed')
  setSkillRollout(
    @CurrentReviewerOrAdmin() actor: ReviewerActor | AdminActor,
    @Param('name', { schema: SkillName }) name: string,
    @Body({ schema: SetRollout }) { percent }: SetRollout,
  ): Promise<Rollout> {
    return this.rollouts.set(actor, name, percent);
  }
}
