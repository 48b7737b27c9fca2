import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { CurrentAdmin } from '../../access/identity/caller.decorator.js';
import { askedBy } from '../../access/identity/caller.js';
import type { AdminActor } from '../../journal/actor.js';
import { Access } from '../../platform/http/access.decorator.js';
import { Answers } from '../../platform/http/answers.decorator.js';
import { StartUpkeep, UpkeepQuery, UpkeepRun, UpkeepRunList, UpkeepUndone } from './upkeep.schema.js';
import { Upkeep } from './upkeep.service.js';

const Id = z.uuid({ error: 'must be a UUID' });

@ApiTags('memory')
@ApiBearerAuth()
@Controller('v1/memory/upkeep')
export class UpkeepController {
  constructor(private readonly upkeep: Upkeep) {}

  @Post()
  @Access('administer', 'person')
  @ApiOperation({ summary: 'Evict, prune and copy private lessons now; with dryRun, only say what would happen' })
  @Answers(200, UpkeepRun)
  run(@CurrentAdmin() actor: AdminActor, @Body({ schema: StartUpkeep }) { dryRun }: StartUpkeep): Promise<UpkeepRun> {
    return this.upkeep.run(askedBy(actor), { trigger: 'request', dryRun });
  }

  @Get()
  @Access('read', 'person', 'service')
  @ApiOperation({ summary: 'The runs of the upkeep and their reports, newest first' })
  @Answers(200, UpkeepRunList)
  list(@Query({ schema: UpkeepQuery }) { limit }: UpkeepQuery): Promise<UpkeepRunList> {
    return this.upkeep.list(limit);
  }

  @Get(':id')
  @Access('read', 'person', 'service')
  @ApiOperation({ summary: 'One run and its report' })
  @Answers(200, UpkeepRun)
  show(@Param('id', { schema: Id }) id: string): Promise<UpkeepRun> {
    return this.upkeep.show(id);
  }

  @Post(':id/undo')
  @Access('administer', 'person')
  @ApiOperation({ summary: 'Bring back, pinned, what the run ended; within its days of grace' })
  @Answers(200, UpkeepUndone)
  undo(@CurrentAdmin() actor: AdminActor, @Param('id', { schema: Id }) id: string): Promise<UpkeepUndone> {
    return this.upkeep.undo(actor, id);
  }
}
