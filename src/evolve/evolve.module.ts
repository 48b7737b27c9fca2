import { Module } from '@nestjs/common';
import { ApprovalQueueModule } from '../approvals/approval-queue.module.js';
import { CaptureModule } from '../capture/capture.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { ProposeModule } from '../propose/propose.module.js';
import { SkillEffectModule } from '../skills/skill-effect.module.js';
import { CycleRepository } from './cycle.repository.js';
import { DraftWording } from './draft-wording.service.js';
import { EffectsController } from './effects.controller.js';
import { Effects } from './effects.service.js';
import { EvolverController } from './evolver.controller.js';
import { EvolverJob } from './evolver.job.js';
import { Evolver } from './evolver.service.js';
import { MinedWindow } from './mined-window.service.js';
import { Placing } from './placing.service.js';
import { SkillCourses } from './skill-courses.service.js';
import { SkillWatchJob } from './skill-watch.job.js';
import { SkillWatch } from './skill-watch.service.js';

@Module({
  imports: [CaptureModule, MemoryModule, SkillEffectModule, ApprovalQueueModule, ProposeModule],
  controllers: [EvolverController, EffectsController],
  providers: [
    CycleRepository,
    Evolver,
    EvolverJob,
    MinedWindow,
    Placing,
    DraftWording,
    Effects,
    SkillCourses,
    SkillWatch,
    SkillWatchJob,
  ],
  exports: [Evolver, EvolverJob, Effects, SkillCourses],
})
export class EvolveModule {}
