import { Controller, Get, Param } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access } from '../platform/access.decorator.js';
import { Answers } from '../platform/answers.decorator.js';
import { Skill, SkillList, SkillName } from './skills.schema.js';
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
  list(): Promise<SkillList> {
    return this.skills.list();
  }

  @Get(':name')
  @Access('read', 'agent', 'person', 'service')
  @ApiOperation({ summary: 'One skill: its SKILL.md as approved, and its commits' })
  @Answers(200, Skill)
  show(@Param('name', { schema: SkillName }) name: string): Promise<Skill> {
    return this.skills.show(name);
  }
}
