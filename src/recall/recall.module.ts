import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import type { Config } from '../platform/config/config.js';
import { CONFIG } from '../platform/platform.module.js';
import { PromoteModule } from '../promote/promote.module.js';
import { ProposeModule } from '../propose/propose.module.js';
import { SkillEffectModule } from '../skills/skill-effect.module.js';
import { ServedEmbedder } from './embedding/served-embedder.js';
import { Gate } from './gate/gate.service.js';
import { MemorySearch } from './index/memory-search.service.js';
import { MemoryVectorRepository } from './index/memory-vector.repository.js';
import { EMBEDDER, MemoryVectors } from './index/memory-vectors.service.js';
import { MemoriesController } from './memories.controller.js';
import { createFilter, MEMORY_FILTER } from './ranking/memory-filter.js';
import { RankingProfiles } from './ranking/ranking-profile.service.js';
import { RecallController } from './recall.controller.js';
import { MemoryFinder } from './search/memory-finder.service.js';
import { RecallAssistant } from './search/recall-assistant.service.js';
import { createEmbedder } from './search/recall-setup.js';
import { ContextStrategy } from './strategies/context.strategy.js';
import { RecallService } from './strategies/recall.service.js';
import { RetrievalRecorder } from './strategies/retrieval-recorder.service.js';
import { SelfEditingStrategy } from './strategies/self-editing.strategy.js';
import { SelfEditingTools } from './strategies/self-editing-tools.service.js';
import { SessionHistories } from './strategies/session-histories.service.js';
import { ToolBasedStrategy } from './strategies/tool-based.strategy.js';

@Module({
  imports: [AccessModule, MemoryModule, SkillEffectModule, ProposeModule, PromoteModule],
  controllers: [RecallController, MemoriesController],
  providers: [
    {
      provide: EMBEDDER,
      inject: [CONFIG],
      useFactory: (config: Config) => new ServedEmbedder(createEmbedder(config)),
    },
    MemoryVectorRepository,
    MemoryVectors,
    MemorySearch,
    RankingProfiles,
    {
      provide: MEMORY_FILTER,
      inject: [RankingProfiles],
      useFactory: ({ current }: RankingProfiles) => createFilter(current.filter),
    },
    MemoryFinder,
    RecallAssistant,
    Gate,
    RetrievalRecorder,
    SessionHistories,
    ContextStrategy,
    ToolBasedStrategy,
    SelfEditingTools,
    SelfEditingStrategy,
    RecallService,
  ],
  exports: [EMBEDDER, MemoryVectors, RecallService, SelfEditingTools, SessionHistories, Gate],
})
export class RecallModule {}
