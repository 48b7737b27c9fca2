import { Controller, Get, Param } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller } from '../access/caller.decorator.js';
import type { Caller } from '../access/caller.js';
import { Access } from '../platform/access.decorator.js';
import { Answers } from '../platform/answers.decorator.js';
import { audienceOf } from './audience.js';
import { SkillName } from './skill-name.schema.js';
import { Skill, SkillList } from './skills.schema.js';
import { Skills } from './skills.service.js';

@ApiTags('skills')
@ApiBearerAuth()
@Controller('v1/skills')
export class SkillsController {
  constructor(private readonly skills: Skills) {}

  @Get()
  @Access('read', 'agent', 'person', 'service')
  @ApiOperation({ summary: 'The approved skills' })
  @Answers(200, SkillList)
  list(@CurrentCaller() caller: Caller): Promise<SkillList> {
    return this.skills.list(audienceOf(caller));
  }

  @Get(':name')
  @Access('read', 'agent', 'person', 'service')
  @ApiOperation({ summary: 'One skill: its SKILL.md as approved, and its commits' })
  @Answers(200, Skill)
  show(@CurrentCaller() caller: Caller, @Param('name', { schema: SkillName }) name: string): Promise<Skill> {
    return this.skills.show(name, audienceOf(caller));
  }
}
