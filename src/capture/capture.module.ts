import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { SkillEffectModule } from '../skills/skill-effect.module.js';
import { CaptureJob } from './analysis/capture.job.js';
import { Capturing } from './analysis/capturing.service.js';
import { PayloadRepository } from './analysis/payload.repository.js';
import { Payloads } from './analysis/payloads.service.js';
import { ExecutionsController } from './executions.controller.js';
import { GatheringJob } from './gathering/gathering.job.js';
import { GatheringRepository } from './gathering/gathering.repository.js';
import { Gathering } from './gathering/gathering.service.js';
import { HooksController } from './gathering/hooks.controller.js';
import { Hooks } from './gathering/hooks.service.js';
import { TracesController } from './gathering/traces.controller.js';
import { Traces } from './gathering/traces.service.js';
import { Executions } from './intake/executions.service.js';
import { Intake } from './intake/intake.service.js';
import { ReportBatches } from './intake/report-batches.service.js';
import { ExecutionRepository } from './store/execution.repository.js';
import { ExecutionTallies } from './store/execution-tallies.service.js';
import { ExecutionTallyRepository } from './store/execution-tally.repository.js';
import { LateObservations } from './store/late-observations.service.js';
import { ObservationRepository } from './store/observation.repository.js';
import { ReportWindow } from './store/report-window.service.js';

@Module({
  imports: [AccessModule, SkillEffectModule],
  controllers: [ExecutionsController, HooksController, TracesController],
  providers: [
    ExecutionRepository,
    ObservationRepository,
    PayloadRepository,
    Capturing,
    CaptureJob,
    Executions,
    Gathering,
    GatheringJob,
    GatheringRepository,
    Hooks,
    Intake,
    Payloads,
    ReportBatches,
    Traces,
    LateObservations,
    ReportWindow,
    ExecutionTallyRepository,
    ExecutionTallies,
  ],
  exports: [Capturing, Executions, Gathering, ExecutionTallies, Payloads, ReportWindow],
})
export class CaptureModule {}
