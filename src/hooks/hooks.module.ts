import { Module } from '@nestjs/common';
import { ProposalQueueModule } from '../approvals/proposal-queue.module.js';
import { CaptureModule } from '../capture/capture.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { RecallModule } from '../recall/recall.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SkillEffectModule } from '../skills/skill-effect.module.js';
import { FailureAdvice } from './failure-advice.service.js';
import { GateRefusal } from './gate-refusal.service.js';
import { HookAnswers } from './hook-answers.service.js';
import { HooksController } from './hooks.controller.js';
import { LiveLessonCache } from './live-lessons.service.js';
import { PauseCache } from './pause-cache.service.js';
import { PromptLessons } from './prompt-lessons.service.js';
import { SessionPlaces } from './session-places.service.js';
import { StartLessons } from './start-lessons.service.js';
import { StartMemory } from './start-memory.service.js';

@Module({
  imports: [CaptureModule, MemoryModule, SkillEffectModule, ProposalQueueModule, RecallModule, SessionsModule],
  controllers: [HooksController],
  providers: [
    ...[LiveLessonCache, PauseCache, SessionPlaces, StartLessons, StartMemory],
    ...[PromptLessons, FailureAdvice, GateRefusal, HookAnswers],
  ],
})
export class HooksModule {}
