import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { SkillEffectModule } from '../skills/skill-effect.module.js';
import { CaptureJob } from './capture.job.js';
import { Capturing } from './capturing.service.js';
import { ExecutionRepository } from './execution.repository.js';
import { ExecutionTallies } from './execution-tallies.service.js';
import { ExecutionTallyRepository } from './execution-tally.repository.js';
import { ExecutionsController } from './executions.controller.js';
import { Executions } from './executions.service.js';
import { GatheringJob } from './gathering.job.js';
import { GatheringRepository } from './gathering.repository.js';
import { Gathering } from './gathering.service.js';
import { HooksController } from './hooks.controller.js';
import { Hooks } from './hooks.service.js';
import { Intake } from './intake.service.js';
import { LateObservations } from './late-observations.service.js';
import { ObservationRepository } from './observation.repository.js';
import { PayloadRepository } from './payload.repository.js';
import { Payloads } from './payloads.service.js';
import { ReportBatches } from './report-batches.service.js';
import { ReportWindow } from './report-window.service.js';
import { TracesController } from './traces.controller.js';
import { Traces } from './traces.service.js';

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
