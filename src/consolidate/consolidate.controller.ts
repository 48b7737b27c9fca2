import { Body, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { CurrentAdmin } from '../access/identity/caller.decorator.js';
import { jobRequestedBy } from '../access/identity/caller.js';
import type { AdminActor } from '../journal/actor.js';
import { PathId } from '../platform/http/request.pipe.js';
import { RequireScope } from '../platform/http/require-scope.decorator.js';
import { ApiController, Refuses, Returns } from '../platform/http/returns.decorator.js';
import { Consolidation } from './consolidation.service.js';
import { ConsolidationPauses } from './consolidation-pauses.service.js';
import {
  ConsolidationPause,
  ConsolidationPauseList,
  ConsolidationQuery,
  ConsolidationRun,
  ConsolidationRunList,
  ConsolidationStarted,
  ConsolidationUndoResult,
  NewConsolidationPause,
  StartConsolidation,
} from './consolidation-run.schema.js';

@ApiController('consolidation', 'v1/consolidation')
export class ConsolidateController {
  constructor(
    private readonly consolidation: Consolidation,
    private readonly pauses: ConsolidationPauses,
  ) {}

  @Post('runs')
  @RequireScope('administer', 'person')
  @ApiOperation({
    summary:
      'Consolidate the lessons and the session memory of one agent or of all now; with dryRun, only report the changes',
  })
  @Returns(200, ConsolidationStarted)
  @Refuses(404, 'access.unknown_agent')
  @Refuses(409, 'consolidation.busy', 'consolidation.paused')
  runConsolidation(
    @CurrentAdmin() actor: AdminActor,
    @Body({ schema: StartConsolidation }) start: StartConsolidation,
  ): Promise<ConsolidationStarted> {
    return this.consolidation.run(jobRequestedBy(actor), start);
  }

  @Get('runs')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'Consolidation runs and their reports, newest first' })
  @Returns(200, ConsolidationRunList)
  listConsolidationRuns(
    @Query({ schema: ConsolidationQuery }) query: ConsolidationQuery,
  ): Promise<ConsolidationRunList> {
    return this.consolidation.list(query);
  }

  @Get('runs/:id')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'One consolidation run and its report' })
  @Returns(200, ConsolidationRun)
  @Refuses(404, 'consolidation.unknown_run')
  getConsolidationRun(@PathId() id: string): Promise<ConsolidationRun> {
    return this.consolidation.show(id);
  }

  @Post('runs/:id/undo')
  @RequireScope('administer', 'person')
  @ApiOperation({
    summary: 'End what the run wrote and restore the lessons and entries that it ended; within the grace period',
  })
  @Returns(200, ConsolidationUndoResult)
  @Refuses(404, 'consolidation.unknown_run')
  @Refuses(409, 'consolidation.undone', 'consolidation.not_undoable', 'consolidation.later_run')
  undoConsolidationRun(@CurrentAdmin() actor: AdminActor, @PathId() id: string): Promise<ConsolidationUndoResult> {
    return this.consolidation.undo(actor, id);
  }

  @Get('pauses')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'Agents whose consolidation is paused' })
  @Returns(200, ConsolidationPauseList)
  listConsolidationPauses(): Promise<ConsolidationPauseList> {
    return this.pauses.list();
  }

  @Post('pauses')
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Pause the consolidation of one agent or of all' })
  @Returns(200, ConsolidationPause)
  @Refuses(404, 'access.unknown_agent')
  @Refuses(409, 'consolidation.already_paused')
  pauseConsolidation(
    @CurrentAdmin() actor: AdminActor,
    @Body({ schema: NewConsolidationPause }) pause: NewConsolidationPause,
  ): Promise<ConsolidationPause> {
    return this.pauses.pause(actor, pause);
  }

  @Delete('pauses/:id')
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Resume the consolidation' })
  @Returns(204)
  @Refuses(404, 'consolidation.pause_not_found')
  resumeConsolidation(@CurrentAdmin() actor: AdminActor, @PathId() id: string): Promise<void> {
    return this.pauses.resume(actor, id);
  }
}
