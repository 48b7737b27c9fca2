import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { CONFIG } from '../platform/platform.module.js';
import { PromoteModule } from '../promote/promote.module.js';
import { ProposeModule } from '../propose/propose.module.js';
import { SkillEffectModule } from '../skills/skill-effect.module.js';
import { ContextStrategy } from './context.strategy.js';
import { Gate } from './gate.service.js';
import { MemoriesController } from './memories.controller.js';
import { MemoryFilter } from './memory-filter.service.js';
import { MemoryFinder } from './memory-finder.service.js';
import { MemorySearch } from './memory-index.service.js';
import { MemoryVectorRepository } from './memory-vector.repository.js';
import { EMBEDDER, MemoryVectors } from './memory-vectors.service.js';
import { ModelHelp } from './model-help.service.js';
import { RecallController } from './recall.controller.js';
import { Recalling } from './recall.service.js';
import { RecallDefaults } from './recall-defaults.service.js';
import { embedderOf } from './recall-setup.js';
import { Retrievals } from './retrievals.service.js';
import { SelfEditingStrategy } from './self-editing.strategy.js';
import { SelfEditingTools } from './self-editing-tools.service.js';
import { Sessions } from './sessions.service.js';
import { ToolBasedStrategy } from './tool-based.strategy.js';

@Module({
  imports: [AccessModule, MemoryModule, SkillEffectModule, ProposeModule, PromoteModule],
  controllers: [RecallController, MemoriesController],
  providers: [
    { provide: EMBEDDER, inject: [CONFIG], useFactory: embedderOf },
    MemoryVectorRepository,
    MemoryVectors,
    MemorySearch,
    MemoryFilter,
    MemoryFinder,
    RecallDefaults,
    ModelHelp,
    Gate,
    Retrievals,
    Sessions,
    ContextStrategy,
    ToolBasedStrategy,
    SelfEditingTools,
    SelfEditingStrategy,
    Recalling,
  ],
  exports: [Recalling, SelfEditingTools, Gate],
})
export class RecallModule {}
