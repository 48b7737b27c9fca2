import { type DynamicModule, Global, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { QueueStates } from './background/queue-states.service.js';
import { RequestPriority } from './background/request-priority.js';
import { ScheduledJobs } from './background/scheduled-jobs.service.js';
import { ServerProcesses } from './background/server-processes.service.js';
import { ThreadPool } from './background/thread-pool.js';
import { Clock, SystemClock } from './base/clock.js';
import { Ids, RandomIds } from './base/ids.js';
import type { Config } from './config/config.js';
import { VERSION } from './config/version.js';
import { Database, WorkerDatabase } from './database/database.js';
import { EmbeddedStatisticsJob } from './database/embedded-statistics.job.js';
import { IdentifierReferences } from './database/identifier-references.service.js';
import { HealthController } from './health/health.controller.js';
import { MetricsController } from './health/metrics.controller.js';
import { QueueMetrics } from './health/queue-metrics.service.js';
import { ServerStates } from './health/server-state.service.js';
import { WriteCheck } from './health/write-check.service.js';
import { DamagedData } from './http/damaged-data.service.js';
import { listeningAddress } from './http/listen.js';
import { Readiness } from './http/readiness.service.js';
import { sample } from './telemetry/metrics.js';
import { Telemetry } from './telemetry/telemetry.service.js';

export const CONFIG = Symbol('CONFIG');

async function startTelemetry(config: Config, database: Database, ids: Ids): Promise<Telemetry> {
  const telemetry = await Telemetry.start(config, ids.uuid());
  const info = { version: VERSION, node: process.versions.node, database: database.kind };
  telemetry.addSource(() => [sample('guildbook_info', 1, info), ...database.poolSamples()]);
  return telemetry;
}

@Injectable()
class DatabaseCloser implements OnApplicationShutdown {
  constructor(private readonly database: Database) {}
  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}

@Global()
@Module({})
export class PlatformModule {
  /**
   * The caller opens and migrates the database before the module exists, so that an application never starts on a wrong
   * schema. `host` is the name of the machine, redacted.
   */
  static with(config: Config, database: Database, host: string, clock: Clock = new SystemClock()): DynamicModule {
    return {
      module: PlatformModule,
      controllers: [HealthController, MetricsController],
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: Database, useValue: database },
        { provide: WorkerDatabase, useValue: database.worker },
        { provide: Clock, useValue: clock },
        { provide: Ids, useClass: RandomIds },
        {
          provide: Telemetry,
          inject: [Ids],
          useFactory: (ids: Ids) => startTelemetry(config, database, ids),
        },
        RequestPriority,
        { provide: ThreadPool, useFactory: () => new ThreadPool(config) },
        Readiness,
        IdentifierReferences,
        QueueStates,
        {
          provide: ServerProcesses,
          useFactory: (time: Clock, ids: Ids, server: HttpAdapterHost) =>
            new ServerProcesses(listeningAddress(config, server), host, database, time, ids),
          inject: [Clock, Ids, HttpAdapterHost],
        },
        {
          provide: ScheduledJobs,
          useFactory: (time: Clock, processes: ServerProcesses) => new ScheduledJobs(config, database, time, processes),
          inject: [Clock, ServerProcesses],
        },
        ServerStates,
        {
          provide: WriteCheck,
          useFactory: (processes: ServerProcesses, readiness: Readiness) =>
            new WriteCheck(config.skillsDir, processes, readiness),
          inject: [ServerProcesses, Readiness],
        },
        DamagedData,
        QueueMetrics,
        DatabaseCloser,
        EmbeddedStatisticsJob,
      ],
      exports: [
        CONFIG,
        Database,
        WorkerDatabase,
        Clock,
        Ids,
        RequestPriority,
        Telemetry,
        ThreadPool,
        Readiness,
        IdentifierReferences,
        QueueStates,
        ServerProcesses,
        ScheduledJobs,
        ServerStates,
      ],
    };
  }
}
