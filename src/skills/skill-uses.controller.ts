import { Body, Controller, Headers, Param, Post, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AGENT_HEADER } from '../access/access.schema.js';
import { CurrentCaller, CurrentReviewerOrAdmin } from '../access/caller.decorator.js';
import type { Caller } from '../access/caller.js';
import { Reporters } from '../access/reporters.service.js';
import type { AdminActor, ReviewerActor } from '../journal/actor.js';
import { AccessAny } from '../platform/access.decorator.js';
import { Answers } from '../platform/answers.decorator.js';
import { Rollout, SetRollout } from './rollout.schema.js';
import { Rollouts } from './rollouts.service.js';
import { SkillUse, UseReceived } from './skill-use.schema.js';
import { SkillUses } from './skill-uses.service.js';
import { SkillName } from './skills.schema.js';

@ApiTags('skills')
@ApiBearerAuth()
@Controller('v1/skills/:name')
export class SkillUsesController {
  constructor(
    private readonly reporters: Reporters,
    private readonly uses: SkillUses,
    private readonly rollouts: Rollouts,
  ) {}

  @Post('uses')
  @AccessAny({ scope: 'report', kinds: ['agent'] }, { scope: 'report-for', kinds: ['service', 'person'] })
  @ApiOperation({ summary: 'Report that a skill was offered, loaded or applied. Idempotent by execution and event' })
  @ApiHeader({ name: AGENT_HEADER, required: false, description: 'For importers: the agent that used it' })
  @Answers(202, UseReceived)
  async report(
    @CurrentCaller() caller: Caller,
    @Param('name', { schema: SkillName }) name: string,
    @Body({ schema: SkillUse }) use: SkillUse,
    @Headers(AGENT_HEADER) agent?: string,
  ): Promise<UseReceived> {
    return this.uses.report(await this.reporters.reporter(caller, agent), name, use);
  }

  @Put('rollout')
  @AccessAny({ scope: 'decide', kinds: ['person'] }, { scope: 'administer', kinds: ['person'] })
  @ApiOperation({ summary: 'Say which share of the agents receives the skill: 5, 25 or 100 %' })
  @Answers(200, Rollout)
  setRollout(
    @CurrentReviewerOrAdmin() actor: ReviewerActor | AdminActor,
    @Param('name', { schema: SkillName }) name: string,
    @Body({ schema: SetRollout }) { percent }: SetRollout,
  ): Promise<Rollout> {
    return this.rollouts.set(actor, name, percent);
  }
}
