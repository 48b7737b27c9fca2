import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { CurrentAdmin } from '../access/identity/caller.decorator.js';
import type { AdminActor } from '../journal/actor.js';
import { PathId } from '../platform/http/request.pipe.js';
import { RequireScope } from '../platform/http/require-scope.decorator.js';
import { ApiController, Refuses, Returns } from '../platform/http/returns.decorator.js';
import {
  ActiveEmbedder,
  CancelledRun,
  EmbedderCheckpoint,
  EmbedderCheckpointList,
  GuardedOperation,
  RollbackTarget,
  TuningPlan,
  TuningPreflight,
  TuningRun,
  TuningRunPage,
  TuningRunQuery,
  TuningStatus,
} from './checkpoints/tuning.schema.js';
import { MemoryService } from './runs/memory.service.js';

@ApiController('tuning', 'v1/memory/tuning')
export class TuningController {
  constructor(private readonly memory: MemoryService) {}

  @Post('preflight')
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'What a tuning run would read, and whether its result could be deployed' })
  @Returns(200, TuningPreflight)
  @Refuses(501, 'not_supported')
  preflightTuning(
    @CurrentAdmin() _actor: AdminActor,
    @Body({ schema: TuningPlan }) plan: TuningPlan,
  ): Promise<TuningPreflight> {
    return this.memory.preflight(plan);
  }

  @Post('runs')
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Start a tuning run: it goes on in the background, also after a restart' })
  @Returns(202, TuningRun)
  @Refuses(409, 'tuning.busy')
  @Refuses(501, 'not_supported')
  startTuning(@CurrentAdmin() actor: AdminActor, @Body({ schema: TuningPlan }) plan: TuningPlan): Promise<TuningRun> {
    return this.memory.start(actor, plan);
  }

  @Get('runs')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'A page of the tuning runs, newest first, and how many there are' })
  @Returns(200, TuningRunPage)
  listTuningRuns(@Query({ schema: TuningRunQuery }) query: TuningRunQuery): Promise<TuningRunPage> {
    return this.memory.listRuns(query);
  }

  @Get('status')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'The active tuning run and its progress, or else the newest one' })
  @Returns(200, TuningStatus)
  getTuningStatus(): Promise<TuningStatus> {
    return this.memory.status();
  }

  @Get('runs/:id')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'One tuning run: its stage, its progress and its verdict' })
  @Returns(200, TuningStatus)
  @Refuses(404, 'tuning.unknown_run')
  getTuningRun(@PathId() id: string): Promise<TuningStatus> {
    return this.memory.status(id);
  }

  @Post('runs/:id/resume')
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Resume a tuning run that failed or was cancelled' })
  @Returns(202, TuningRun)
  @Refuses(404, 'tuning.unknown_run')
  @Refuses(409, 'tuning.busy', 'tuning.not_resumable')
  @Refuses(501, 'not_supported')
  resumeTuning(@CurrentAdmin() actor: AdminActor, @PathId() id: string): Promise<TuningRun> {
    return this.memory.resume(actor, id);
  }

  @Post('cancel')
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Cancel the active tuning run; needs confirm and a reason' })
  @Returns(200, CancelledRun)
  cancelTuning(
    @CurrentAdmin() actor: AdminActor,
    @Body({ schema: GuardedOperation }) operation: GuardedOperation,
  ): Promise<CancelledRun> {
    return this.memory.cancel(actor, operation);
  }

  @Get('embedder')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'The embedder in service' })
  @Returns(200, ActiveEmbedder)
  getActiveEmbedder(): Promise<ActiveEmbedder> {
    return this.memory.activeEmbedder();
  }

  @Get('checkpoints')
  @RequireScope('read', 'person', 'service')
  @ApiOperation({ summary: 'What tuning runs made, newest first; deleted ones keep their numbers' })
  @Returns(200, EmbedderCheckpointList)
  listEmbedderCheckpoints(): Promise<EmbedderCheckpointList> {
    return this.memory.listCheckpoints();
  }

  @Post('checkpoints/:id/rollback')
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Put a checkpoint, or the configured embedder, in service; needs confirm and a reason' })
  @Returns(200, ActiveEmbedder)
  @Refuses(404, 'tuning.unknown_checkpoint')
  @Refuses(409, 'tuning.already_active')
  @Refuses(501, 'not_supported')
  rollbackEmbedder(
    @CurrentAdmin() actor: AdminActor,
    @Param('id', { schema: RollbackTarget }) id: RollbackTarget,
    @Body({ schema: GuardedOperation }) operation: GuardedOperation,
  ): Promise<ActiveEmbedder> {
    return this.memory.rollback(actor, id, operation);
  }

  @Post('checkpoints/:id/delete')
  @RequireScope('administer', 'person')
  @ApiOperation({ summary: 'Delete the model of a checkpoint that is not in service; needs confirm and a reason' })
  @Returns(200, EmbedderCheckpoint)
  @Refuses(404, 'tuning.unknown_checkpoint')
  @Refuses(409, 'tuning.checkpoint_active', 'tuning.checkpoint_in_use', 'tuning.checkpoint_deleted')
  deleteEmbedderCheckpoint(
    @CurrentAdmin() actor: AdminActor,
    @PathId() id: string,
    @Body({ schema: GuardedOperation }) operation: GuardedOperation,
  ): Promise<EmbedderCheckpoint> {
    return this.memory.deleteCheckpoint(actor, id, operation);
  }
}
