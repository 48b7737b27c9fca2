import { Body, Get, Post, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { CurrentAdmin } from '../../access/identity/caller.decorator.js';
import { jobRequestedBy } from '../../access/identity/caller.js';
import type { AdminActor } from '../../journal/actor.js';
import { PathId } from '../../platform/http/request.pipe.js';
import { RequireScope } from '../../platform/http/require-scope.decorator.js';
import { ApiController, Refuses, Returns } from '../../platform/http/returns.decorator.js';
import { StartUpkeep, UpkeepQuery, UpkeepRun, UpkeepRunList, UpkeepUndoResult } from './upkeep.schema.js';
import { Upkeep } from './upkeep.service.js';

@ApiController('upkeep', 'v1/memory/upkeep')
export class UpkeepController {
  constructor(private readonly upkeep: Upkeep) {}

  @Post()
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Prune, evict and copy private lessons now; with dryRun, only report what would happen' })
  @Returns(200, UpkeepRun)
  @Refuses(409, 'memory.upkeep_busy')
  runUpkeep(
    @CurrentAdmin() actor: AdminActor,
    @Body({ schema: StartUpkeep }) { dryRun }: StartUpkeep,
  ): Promise<UpkeepRun> {
    return this.upkeep.run(jobRequestedBy(actor), { trigger: 'request', dryRun });
  }

  @Get()
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'Upkeep runs and their reports, newest first' })
  @Returns(200, UpkeepRunList)
  listUpkeepRuns(@Query({ schema: UpkeepQuery }) query: UpkeepQuery): Promise<UpkeepRunList> {
    return this.upkeep.list(query);
  }

  @Get(':id')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'One upkeep run and its report' })
  @Returns(200, UpkeepRun)
  @Refuses(404, 'memory.unknown_run')
  getUpkeepRun(@PathId() id: string): Promise<UpkeepRun> {
    return this.upkeep.show(id);
  }

  @Post(':id/undo')
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Restore, pinned, the lessons that the run ended; within the grace period' })
  @Returns(200, UpkeepUndoResult)
  @Refuses(404, 'memory.unknown_run')
  @Refuses(409, 'memory.upkeep_undone', 'memory.upkeep_not_undoable')
  undoUpkeepRun(@CurrentAdmin() actor: AdminActor, @PathId() id: string): Promise<UpkeepUndoResult> {
    return this.upkeep.undo(actor, id);
  }
}
