import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { CaptureModule } from '../capture/capture.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { RecallModule } from '../recall/recall.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SkillEffectModule } from '../skills/skill-effect.module.js';
import { SkillsModule } from '../skills/skills.module.js';
import { TuningModule } from '../tuning/tuning.module.js';
import { EmbedderTools } from './embedder-tools.service.js';
import { McpController } from './mcp.controller.js';
import { McpTools } from './mcp-tools.service.js';
import { ServerCardController } from './server-card.controller.js';
import { SessionTools } from './session-tools.service.js';
import { SkillTools } from './skill-tools.service.js';

@Module({
  imports: [
    AccessModule,
    MemoryModule,
    SkillsModule,
    SkillEffectModule,
    CaptureModule,
    RecallModule,
    SessionsModule,
    TuningModule,
  ],
  controllers: [McpController, ServerCardController],
  providers: [McpTools, SessionTools, SkillTools, EmbedderTools],
})
export class McpModule {}
