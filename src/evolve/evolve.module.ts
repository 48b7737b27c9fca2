import { Module } from '@nestjs/common';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { CaptureModule } from '../capture/capture.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { CycleRepository } from './cycle.repository.js';
import { EvolverController } from './evolver.controller.js';
import { EvolverJob } from './evolver.job.js';
import { Evolver } from './evolver.service.js';

@Module({
  imports: [CaptureModule, MemoryModule, ApprovalsModule],
  controllers: [EvolverController],
  providers: [CycleRepository, Evolver, EvolverJob],
  exports: [Evolver],
})
export class EvolveModule {}
