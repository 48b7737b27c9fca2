import { Module } from '@nestjs/common';
import { ApprovalQueueModule } from '../approvals/approval-queue.module.js';
import { CaptureModule } from '../capture/capture.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { SkillEffectModule } from '../skills/skill-effect.module.js';
import { EffectsController } from './effects.controller.js';
import { Effects } from './effects.service.js';
import { SkillCourses } from './skill-courses.service.js';
import { SkillWatchJob } from './skill-watch.job.js';
import { SkillWatch } from './skill-watch.service.js';

/** Measures what published skills change. It can ask for a retirement, and decide or write nothing. */
@Module({
  imports: [CaptureModule, MemoryModule, SkillEffectModule, ApprovalQueueModule],
  controllers: [EffectsController],
  providers: [Effects, SkillCourses, SkillWatch, SkillWatchJob],
  exports: [Effects, SkillCourses, SkillWatchJob],
})
export class EffectModule {}
