import { Module } from '@nestjs/common';
import { ProposalQueueModule } from '../approvals/proposal-queue.module.js';
import { CaptureModule } from '../capture/capture.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { SkillEffectModule } from '../skills/skill-effect.module.js';
import { DeliveryJudge } from './delivery-judge.service.js';
import { EffectsController } from './effects.controller.js';
import { Effects } from './effects.service.js';
import { SkillTimeline } from './skill-timeline.service.js';
import { SkillWatchJob } from './skill-watch.job.js';
import { SkillWatch } from './skill-watch.service.js';

/**
 * Measures the effect of published skills. It can request a retirement; it can neither decide nor write anything else.
 */
@Module({
  imports: [CaptureModule, MemoryModule, SkillEffectModule, ProposalQueueModule],
  controllers: [EffectsController],
  providers: [Effects, SkillTimeline, SkillWatch, SkillWatchJob, DeliveryJudge],
  exports: [Effects, SkillTimeline, SkillWatchJob],
})
export class EffectModule {}
