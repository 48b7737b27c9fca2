import { Module } from '@nestjs/common';
import { ProposalQueueModule } from '../approvals/proposal-queue.module.js';
import { CaptureModule } from '../capture/capture.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { ProposeModule } from '../propose/propose.module.js';
import { SkillEffectModule } from '../skills/skill-effect.module.js';
import { ClaimEmbedding } from './claims/claim-embedding.service.js';
import { CycleRepository } from './cycle/cycle.repository.js';
import { CycleReports } from './cycle/cycle-reports.service.js';
import { DraftSubmitter } from './cycle/draft-submitter.service.js';
import { EvolverJob } from './cycle/evolver.job.js';
import { Evolver } from './cycle/evolver.service.js';
import { ExaminedFamilies } from './cycle/examined-families.service.js';
import { EvolverController } from './evolver.controller.js';
import { MiningStateRepository } from './window/mining-state.repository.js';
import { MiningState } from './window/mining-state.service.js';
import { SavedCounts } from './window/saved-counts.service.js';
import { WindowReader } from './window/window-reader.service.js';
import { DraftWording } from './wording/draft-wording.service.js';

@Module({
  imports: [CaptureModule, MemoryModule, ProposalQueueModule, ProposeModule, SkillEffectModule],
  controllers: [EvolverController],
  providers: [
    CycleRepository,
    CycleReports,
    Evolver,
    EvolverJob,
    ExaminedFamilies,
    MiningState,
    MiningStateRepository,
    SavedCounts,
    WindowReader,
    DraftSubmitter,
    DraftWording,
    ClaimEmbedding,
  ],
  exports: [ClaimEmbedding, CycleReports, Evolver, EvolverJob, ExaminedFamilies],
})
export class EvolveModule {}
