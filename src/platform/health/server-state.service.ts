import { Injectable } from '@nestjs/common';
import { QueueStates } from '../background/queue-states.service.js';
import { type JobState, ScheduledJobs } from '../background/scheduled-jobs.service.js';
import { type ServerProcess, ServerProcesses } from '../background/server-processes.service.js';
import { SECOND_MS } from '../base/durations.js';
import { Database } from '../database/database.js';
import type { ServerState } from './health.schema.js';

/** What an administrator reads of the server: all of its processes, its queues and its scheduled jobs. */
@Injectable()
export class ServerStates {
  constructor(
    private readonly database: Database,
    private readonly processes: ServerProcesses,
    private readonly queues: QueueStates,
    private readonly jobs: ScheduledJobs,
  ) {}

  async read(): Promise<ServerState> {
    const { kind, worker } = this.database;
    const [processes, queues, jobs] = [
      await this.processes.list(),
      await this.queues.readNow(),
      await this.jobs.list(),
    ];
    return {
      database: kind,
      role: { problem: worker.roleProblem ?? null, sql: [...worker.roleSql] },
      processes: processes.map((one) => shownProcess(one, this.processes.id)),
      queues: [...queues],
      jobs: jobs.map(shownJob),
    };
  }
}

const shownProcess = ({ startedAt, lastSeenAt, journalKey: _key, ...process }: ServerProcess, own: string) => ({
  ...process,
  startedAt: startedAt.toISOString(),
  lastSeenAt: lastSeenAt.toISOString(),
  // The process that answers.
  isThis: process.id === own,
});

function shownJob({ name, schedule, state, startedAt, finishedAt, outcome, host, dueAt }: JobState) {
  const duration = startedAt && finishedAt && (finishedAt.getTime() - startedAt.getTime()) / SECOND_MS;
  return {
    name,
    schedule,
    state,
    outcome,
    host,
    lastRunAt: startedAt?.toISOString() ?? null,
    seconds: duration,
    nextRunAt: dueAt.toISOString(),
  };
}
