import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { MemoryModule } from '../memory/memory.module.js';
import { SkillEffectModule } from '../skills/skill-effect.module.js';
import { AnalysisQueue } from './analysis/analysis-queue.service.js';
import { CaptureWorker } from './analysis/capture-worker.service.js';
import { PayloadRepository } from './analysis/payload.repository.js';
import { ExecutionsController } from './executions.controller.js';
import { FragmentAssembler } from './gathering/fragment-assembler.service.js';
import { FragmentAssemblyRepository } from './gathering/fragment-assembly.repository.js';
import { FragmentReader } from './gathering/fragment-reader.service.js';
import { Hooks } from './gathering/hooks.service.js';
import { StoredSessionRepository } from './gathering/stored-session.repository.js';
import { StoredSessions } from './gathering/stored-sessions.service.js';
import { TelemetryController } from './gathering/telemetry.controller.js';
import { Telemetry } from './gathering/telemetry.service.js';
import { Executions } from './intake/executions.service.js';
import { ReportBatches } from './intake/report-batches.service.js';
import { ReportSanitiser } from './intake/report-sanitiser.service.js';
import { ReportWriter } from './intake/report-writer.service.js';
import { ExecutionRepository } from './store/execution.repository.js';
import { ExecutionReader } from './store/execution-reader.service.js';
import { ExecutionTallies } from './store/execution-tallies.service.js';
import { ExecutionTallyRepository } from './store/execution-tally.repository.js';
import { LineageRepository } from './store/lineage.repository.js';
import { ObservationRepository } from './store/observation.repository.js';
import { ObservationBackfill } from './store/observation-backfill.service.js';
import { Observer } from './store/observer.service.js';

@Module({
  imports: [AccessModule, MemoryModule, SkillEffectModule],
  controllers: [ExecutionsController, TelemetryController],
  providers: [
    ExecutionRepository,
    LineageRepository,
    ObservationRepository,
    PayloadRepository,
    CaptureWorker,
    Executions,
    FragmentAssembler,
    FragmentAssemblyRepository,
    FragmentReader,
    Hooks,
    StoredSessionRepository,
    StoredSessions,
    ReportSanitiser,
    ReportWriter,
    AnalysisQueue,
    ReportBatches,
    Telemetry,
    ObservationBackfill,
    Observer,
    ExecutionReader,
    ExecutionTallyRepository,
    ExecutionTallies,
  ],
  exports: [
    ...[CaptureWorker, Executions, FragmentAssembler, Hooks, StoredSessions],
    ...[ExecutionTallies, AnalysisQueue, ExecutionReader],
  ],
})
export class CaptureModule {}
