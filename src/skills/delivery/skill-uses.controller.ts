import { Body, Headers, Param, Post } from '@nestjs/common';
import { ApiHeader, ApiOperation } from '@nestjs/swagger';
import { AGENT_HEADER } from '../../access/identity/access.schema.js';
import { CurrentCaller } from '../../access/identity/caller.decorator.js';
import type { Caller } from '../../access/identity/caller.js';
import { ReporterResolver } from '../../access/identity/reporter-resolver.service.js';
import { RequireAnyScope } from '../../platform/http/require-scope.decorator.js';
import { ApiController, Refuses, Returns } from '../../platform/http/returns.decorator.js';
import { SkillName } from '../document/skill-name.schema.js';
import { SkillUse, SkillUseResult } from './skill-use.schema.js';
import { SkillUses } from './skill-uses.service.js';

@ApiController('skills', 'v1/skills/:name')
export class SkillUsesController {
  constructor(
    private readonly reporters: ReporterResolver,
    private readonly uses: SkillUses,
  ) {}

  @Post('uses')
  @RequireAnyScope({ scope: 'report', kinds: ['agent'] }, { scope: 'report-for', kinds: ['service', 'person'] })
  @ApiOperation({ summary: 'Report that a skill was offered, loaded or applied. Idempotent by execution and event' })
  @ApiHeader({ name: AGENT_HEADER, required: false, description: 'For importers: the agent that used it' })
  @Returns(202, SkillUseResult)
  @Refuses(404, 'skill.not_found')
  @Refuses(409, 'execution.agent_disabled')
  async reportSkillUse(
    @CurrentCaller() caller: Caller,
    @Param('name', { schema: SkillName }) name: string,
    @Body({ schema: SkillUse }) use: SkillUse,
    @Headers(AGENT_HEADER) agent?: string,
  ): Promise<SkillUseResult> {
    return this.uses.report(await this.reporters.resolve(caller, agent), name, use);
  }
}
