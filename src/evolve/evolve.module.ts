import { Module } from '@nestjs/common';
import { ApprovalQueueModule } from '../approvals/approval-queue.module.js';
import { CaptureModule } from '../capture/capture.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { ProposeModule } from '../propose/propose.module.js';
import { CycleRepository } from './cycle/cycle.repository.js';
import { EvolverJob } from './cycle/evolver.job.js';
import { Evolver } from './cycle/evolver.service.js';
import { MinedWindow } from './cycle/mined-window.service.js';
import { Placing } from './cycle/placing.service.js';
import { EvolverController } from './evolver.controller.js';
import { DraftWording } from './wording/draft-wording.service.js';

@Module({
  imports: [CaptureModule, MemoryModule, ApprovalQueueModule, ProposeModule],
  controllers: [EvolverController],
  providers: [CycleRepository, Evolver, EvolverJob, MinedWindow, Placing, DraftWording],
  exports: [Evolver, EvolverJob],
})
export class EvolveModule {}
