import { Controller, Get, Param } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../platform/http/require-scope.decorator.js';
import { Returns } from '../platform/http/returns.decorator.js';
import { SkillName } from '../skills/document/skill-name.schema.js';
import { EffectList, SkillEffect } from './effect.schema.js';
import { Effects } from './effects.service.js';

@ApiTags('skills')
@ApiBearerAuth()
@Controller('v1')
export class EffectsController {
  constructor(private readonly effects: Effects) {}

  @Get('effects')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'The effect of each live skill, with its uses' })
  @Returns(200, EffectList)
  list(): Promise<EffectList> {
    return this.effects.forLiveSkills();
  }

  @Get('skills/:name/effect')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'The effect of one skill: failures with and without it, the verdict, its uses' })
  @Returns(200, SkillEffect)
  show(@Param('name', { schema: SkillName }) name: string): Promise<SkillEffect> {
    return this.effects.forSkill(name);
  }
}
