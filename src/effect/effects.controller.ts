import { Controller, Get, Param } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access } from '../platform/http/access.decorator.js';
import { Answers } from '../platform/http/answers.decorator.js';
import { SkillName } from '../skills/document/skill-name.schema.js';
import { EffectList, SkillEffect } from './effect.schema.js';
import { Effects } from './effects.service.js';

@ApiTags('skills')
@ApiBearerAuth()
@Controller('v1')
export class EffectsController {
  constructor(private readonly effects: Effects) {}

  @Get('effects')
  @Access('read', 'person', 'service')
  @ApiOperation({ summary: 'Whether the live skills help, with their uses' })
  @Answers(200, EffectList)
  list(): Promise<EffectList> {
    return this.effects.all();
  }

  @Get('skills/:name/effect')
  @Access('read', 'person', 'service')
  @ApiOperation({ summary: 'Whether one skill helps: failures with it and without, the verdict, its uses' })
  @Answers(200, SkillEffect)
  show(@Param('name', { schema: SkillName }) name: string): Promise<SkillEffect> {
    return this.effects.of(name);
  }
}
