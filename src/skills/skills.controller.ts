import { Get, Param } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { CurrentCaller } from '../access/identity/caller.decorator.js';
import type { Caller } from '../access/identity/caller.js';
import { RequireScope } from '../platform/http/require-scope.decorator.js';
import { ApiController, Refuses, Returns } from '../platform/http/returns.decorator.js';
import { Skill, SkillList } from './catalogue/skills.schema.js';
import { Skills } from './catalogue/skills.service.js';
import { audienceOf } from './delivery/audience.js';
import { SkillName } from './document/skill-name.schema.js';

@ApiController('skills', 'v1/skills')
export class SkillsController {
  constructor(private readonly skills: Skills) {}

  @Get()
  @RequireScope('read', 'agent', 'person', 'service')
  @ApiOperation({ summary: 'The approved skills' })
  @Returns(200, SkillList)
  listSkills(@CurrentCaller() caller: Caller): Promise<SkillList> {
    return this.skills.list(audienceOf(caller));
  }

  @Get(':name')
  @RequireScope('read', 'agent', 'person', 'service')
  @ApiOperation({ summary: 'One skill: its SKILL.md as approved, and its commits' })
  @Returns(200, Skill)
  @Refuses(404, 'skill.not_found')
  getSkill(@CurrentCaller() caller: Caller, @Param('name', { schema: SkillName }) name: string): Promise<Skill> {
    return this.skills.show(name, audienceOf(caller));
  }
}
