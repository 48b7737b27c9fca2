import { type DynamicModule, Global, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { RequestPriority } from './background/request-priority.js';
import { ThreadPool } from './background/thread-pool.js';
import { Clock, SystemClock } from './base/clock.js';
import { Ids, RandomIds } from './base/ids.js';
import type { Config } from './config/config.js';
import { Database, WorkerDatabase } from './database/database.js';
import { EmbeddedStatisticsJob } from './database/embedded-statistics.job.js';
import { IdentifierReferences } from './database/identifier-references.service.js';
import { DamagedData } from './http/damaged-data.service.js';
import { HealthController } from './http/health.controller.js';
import { Readiness } from './http/readiness.service.js';
import { ServerStates } from './http/server-state.service.js';
import { QueueStates } from './processes/queue-states.service.js';
import { ScheduledJobs } from './processes/scheduled-jobs.service.js';
import { ServerProcesses } from './processes/server-processes.service.js';

export const CONFIG = Symbol('CONFIG');

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
      controllers: [HealthController],
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: Database, useValue: database },
        { provide: WorkerDatabase, useValue: database.worker },
        { provide: Clock, useValue: clock },
        { provide: Ids, useClass: RandomIds },
        RequestPriority,
        { provide: ThreadPool, useFactory: () => new ThreadPool(config) },
        Readiness,
        IdentifierReferences,
        QueueStates,
        {
          provide: ServerProcesses,
          useFactory: (time: Clock, ids: Ids) => new ServerProcesses(config, host, database, time, ids),
          inject: [Clock, Ids],
        },
        {
          provide: ScheduledJobs,
          useFactory: (time: Clock, processes: ServerProcesses) => new ScheduledJobs(config, database, time, processes),
          inject: [Clock, ServerProcesses],
        },
        ServerStates,
        DamagedData,
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
