import { hostname } from 'node:os';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { AccessModule } from './access/access.module.js';
import { ApiDocumentController } from './api-document.controller.js';
import { ApprovalsModule } from './approvals/approvals.module.js';
import { CaptureModule } from './capture/capture.module.js';
import { ConsoleModule } from './console/console.module.js';
import { ConsolidateModule } from './consolidate/consolidate.module.js';
import { MergesModule } from './consolidate/merges.module.js';
import { EffectModule } from './effect/effect.module.js';
import { EmbedderWiring } from './embedder-wiring.js';
import { EvolveModule } from './evolve/evolve.module.js';
import { HooksModule } from './hooks/hooks.module.js';
import { JournalModule } from './journal/journal.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { MemoryModule } from './memory/memory.module.js';
import type { Clock } from './platform/base/clock.js';
import type { Config } from './platform/config/config.js';
import type { Database } from './platform/database/database.js';
import { ProblemFilter } from './platform/http/problem.filter.js';
import { requestPipe } from './platform/http/request.pipe.js';
import { PlatformModule } from './platform/platform.module.js';
import { PromoteModule } from './promote/promote.module.js';
import { ProposeModule } from './propose/propose.module.js';
import { RecallModule } from './recall/recall.module.js';
import { RetentionModule } from './retention/retention.module.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { SkillsModule } from './skills/skills.module.js';
import { TuningModule } from './tuning/tuning.module.js';
import { redact } from './untrusted/redaction/redact.js';
import { WakeUpWiring } from './wake-up-wiring.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

@Module({})
export class AppModule {
  static with(config: Config, database: Database, clock?: Clock): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ScheduleModule.forRoot(),
        PlatformModule.with(config, database, redact(hostname()).text, clock),
        JournalModule,
        AccessModule,
        MemoryModule,
        SkillsModule,
        CaptureModule,
        ProposeModule,
        WebhooksModule,
        ApprovalsModule,
        EvolveModule,
        EffectModule,
        PromoteModule,
        RecallModule,
        TuningModule,
        SessionsModule,
        ConsolidateModule,
        MergesModule,
        RetentionModule,
        HooksModule,
        McpModule,
        ConsoleModule,
      ],
      controllers: [ApiDocumentController],
      providers: [
        EmbedderWiring,
        WakeUpWiring,
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: APP_PIPE, useFactory: requestPipe },
      ],
    };
  }
}
