import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { CaptureJob } from './capture.job.js';
import { Capturing } from './capturing.service.js';
import { ExecutionRepository } from './execution.repository.js';
import { ExecutionTallies } from './execution-tallies.service.js';
import { ExecutionTallyRepository } from './execution-tally.repository.js';
import { ExecutionsController } from './executions.controller.js';
import { Executions } from './executions.service.js';
import { PayloadRepository } from './payload.repository.js';
import { Payloads } from './payloads.service.js';
import { ReportWindow } from './report-window.service.js';

@Module({
  imports: [AccessModule],
  controllers: [ExecutionsController],
  providers: [
    ExecutionRepository,
    PayloadRepository,
    Capturing,
    CaptureJob,
    Executions,
    Payloads,
    ReportWindow,
    ExecutionTallyRepository,
    ExecutionTallies,
  ],
  exports: [Capturing, Executions, ExecutionTallies, Payloads, ReportWindow],
})
export class CaptureModule {}
