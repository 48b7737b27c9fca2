import { Body, Controller, Headers, Param, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AGENT_HEADER } from '../../access/identity/access.schema.js';
import { CurrentCaller } from '../../access/identity/caller.decorator.js';
import type { Caller } from '../../access/identity/caller.js';
import { Reporters } from '../../access/identity/reporters.service.js';
import { AccessAny } from '../../platform/http/access.decorator.js';
import { Answers } from '../../platform/http/answers.decorator.js';
import { SkillName } from '../document/skill-name.schema.js';
import { SkillUse, UseReceived } from './skill-use.schema.js';
import { SkillUses } from './skill-uses.service.js';

@ApiTags('skills')
@ApiBearerAuth()
@Controller('v1/skills/:name')
export class SkillUsesController {
  constructor(
    private readonly reporters: Reporters,
    private readonly uses: SkillUses,
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
}
