import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { PromoteModule } from '../promote/promote.module.js';
import { SkillEffectModule } from '../skills/skill-effect.module.js';
import { ContextStrategy } from './context.strategy.js';
import { Gate } from './gate.service.js';
import { MemoriesController } from './memories.controller.js';
import { MemorySearch } from './memory-index.service.js';
import { RecallController } from './recall.controller.js';
import { Recalling } from './recall.service.js';
import { Retrievals } from './retrievals.service.js';

@Module({
  imports: [AccessModule, MemoryModule, SkillEffectModule, PromoteModule],
  controllers: [RecallController, MemoriesController],
  providers: [MemorySearch, Gate, Retrievals, ContextStrategy, Recalling],
  exports: [Recalling, Gate],
})
export class RecallModule {}
