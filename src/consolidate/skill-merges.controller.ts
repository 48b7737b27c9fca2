import { Body, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { CurrentProposer } from '../access/identity/caller.decorator.js';
import type { JobActor } from '../journal/actor.js';
import { RequireAnyScope } from '../platform/http/require-scope.decorator.js';
import { ApiController, Refuses, Returns } from '../platform/http/returns.decorator.js';
import { MergeSearch, StartMergeSearch } from './merges.schema.js';
import { SkillMerges } from './skill-merges.service.js';

@ApiController('consolidation', 'v1/consolidation/merges')
export class SkillMergesController {
  constructor(private readonly merges: SkillMerges) {}

  @Post()
  @RequireAnyScope({ scope: 'administer', kinds: ['person'] }, { scope: 'propose', kinds: ['service'] })
  @ApiOperation({ summary: 'Propose to merge live skills that say the same; with dryRun, only show the pairs' })
  @Returns(200, MergeSearch)
  @Refuses(409, 'consolidation.merges_busy')
  proposeSkillMerges(
    @CurrentProposer() actor: JobActor,
    @Body({ schema: StartMergeSearch }) body: StartMergeSearch,
  ): Promise<MergeSearch> {
    return this.merges.run(actor, body);
  }
}
