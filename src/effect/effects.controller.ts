import { Get, Param } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../platform/http/require-scope.decorator.js';
import { ApiController, Refuses, Returns } from '../platform/http/returns.decorator.js';
import { SkillName } from '../skills/document/skill-name.schema.js';
import { DeliveredByMoment, EffectList, SkillEffect } from './effect.schema.js';
import { Effects } from './effects.service.js';

@ApiController('effects', 'v1')
export class EffectsController {
  constructor(private readonly effects: Effects) {}

  @Get('effects')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'The effect of each live skill, with its uses' })
  @Returns(200, EffectList)
  listSkillEffects(): Promise<EffectList> {
    return this.effects.forLiveSkills();
  }

  @Get('deliveries')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'What hooks delivered to sessions, by moment, and what became of it' })
  @Returns(200, DeliveredByMoment)
  listDeliveries(): Promise<DeliveredByMoment> {
    return this.effects.byMoment();
  }

  @Get('skills/:name/effect')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'The effect of one skill: failures with and without it, the verdict, its uses' })
  @Returns(200, SkillEffect)
  @Refuses(404, 'skill.not_found')
  getSkillEffect(@Param('name', { schema: SkillName }) name: string): Promise<SkillEffect> {
    return this.effects.forSkill(name);
  }
}
