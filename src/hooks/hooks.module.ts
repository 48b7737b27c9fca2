import { Module } from '@nestjs/common';
import { ProposalQueueModule } from '../approvals/proposal-queue.module.js';
import { CaptureModule } from '../capture/capture.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { RecallModule } from '../recall/recall.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SkillEffectModule } from '../skills/skill-effect.module.js';
import { FailureAdvice } from './answers/failure-advice.service.js';
import { GateRefusal } from './answers/gate-refusal.service.js';
import { HookAnswers } from './answers/hook-answers.service.js';
import { LiveLessonCache } from './answers/live-lessons.service.js';
import { PauseCache } from './answers/pause-cache.service.js';
import { PromptLessons } from './answers/prompt-lessons.service.js';
import { SessionPlaces } from './answers/session-places.service.js';
import { StartLessons } from './answers/start-lessons.service.js';
import { StartMemory } from './answers/start-memory.service.js';
import { HooksController } from './hooks.controller.js';

@Module({
  imports: [CaptureModule, MemoryModule, SkillEffectModule, ProposalQueueModule, RecallModule, SessionsModule],
  controllers: [HooksController],
  providers: [
    ...[LiveLessonCache, PauseCache, SessionPlaces, StartLessons, StartMemory],
    ...[PromptLessons, FailureAdvice, GateRefusal, HookAnswers],
  ],
})
export class HooksModule {}
