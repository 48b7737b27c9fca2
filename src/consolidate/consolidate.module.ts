import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { AgentConsolidation } from './agent-consolidation.service.js';
import { ConsolidateController } from './consolidate.controller.js';
import { Consolidation } from './consolidation.service.js';
import { ConsolidationPauses } from './consolidation-pauses.service.js';
import { ConsolidationRunRepository } from './consolidation-run.repository.js';

@Module({
  imports: [AccessModule, MemoryModule],
  controllers: [ConsolidateController],
  providers: [ConsolidationRunRepository, AgentConsolidation, Consolidation, ConsolidationPauses],
  exports: [Consolidation, ConsolidationPauses],
})
export class ConsolidateModule {}
