import { Module } from '@nestjs/common';
import { ApprovalQueueModule } from '../approvals/approval-queue.module.js';
import { CaptureModule } from '../capture/capture.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { ProposeModule } from '../propose/propose.module.js';
import { CycleRepository } from './cycle.repository.js';
import { DraftWording } from './draft-wording.service.js';
import { EvolverController } from './evolver.controller.js';
import { EvolverJob } from './evolver.job.js';
import { Evolver } from './evolver.service.js';
import { MinedWindow } from './mined-window.service.js';
import { Placing } from './placing.service.js';

@Module({
  imports: [CaptureModule, MemoryModule, ApprovalQueueModule, ProposeModule],
  controllers: [EvolverController],
  providers: [CycleRepository, Evolver, EvolverJob, MinedWindow, Placing, DraftWording],
  exports: [Evolver, EvolverJob],
})
export class EvolveModule {}
