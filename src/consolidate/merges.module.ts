import { Module } from '@nestjs/common';
import { ProposalQueueModule } from '../approvals/proposal-queue.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { SkillEffectModule } from '../skills/skill-effect.module.js';
import { SkillMergesController } from './skill-merges.controller.js';
import { SkillMerges } from './skill-merges.service.js';

/** Proposes to merge skills. It can neither decide nor write org memory. */
@Module({
  imports: [MemoryModule, SkillEffectModule, ProposalQueueModule],
  controllers: [SkillMergesController],
  providers: [SkillMerges],
  exports: [SkillMerges],
})
export class MergesModule {}
