import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { ConsolidateController } from './consolidate.controller.js';
import { AgentConsolidation } from './runs/agent-consolidation.service.js';
import { Consolidation } from './runs/consolidation.service.js';
import { ConsolidationPauses } from './runs/consolidation-pauses.service.js';
import { ConsolidationRunRepository } from './runs/consolidation-run.repository.js';

@Module({
  imports: [AccessModule, MemoryModule],
  controllers: [ConsolidateController],
  providers: [ConsolidationRunRepository, AgentConsolidation, Consolidation, ConsolidationPauses],
  exports: [Consolidation, ConsolidationPauses],
})
export class ConsolidateModule {}
