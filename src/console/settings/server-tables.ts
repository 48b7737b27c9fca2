import { MINUTE_MS } from '../../platform/base/durations.js';
import type { ServerState } from '../../platform/health/health.schema.js';
import { intervalSeconds } from '../../platform/processes/job-schedule.js';
import { grouped } from '../frame/quantity.js';
import { interval, moment, relative } from '../frame/times.js';

/** The processes, queues and jobs of the server as rows of tables. */
export function serverTables({ processes, queues, jobs }: ServerState, now: Date) {
  return {
    processes: processes.map((process) => ({
      name: process.isThis ? `${process.host} (this one)` : process.host,
      pid: String(process.pid),
      version: process.version,
      address: process.address,
      folder: process.skillsFolder === null ? '' : process.skillsFolder === 'shared' ? 'publishes' : 'follows',
      role:
        process.roleInForce === null ? 'none: embedded database' : process.roleInForce ? 'in force' : 'not in force',
      isRoleBad: process.roleInForce === false,
      behind: process.indexBehind ?? '',
      started: moment(process.startedAt, now),
      seen: moment(process.lastSeenAt, now),
    })),
    queues: queues.map(({ name, length, oldestSeconds }) => ({
      name: QUEUE_TEXTS[name] ?? name,
      length,
      oldest: oldestSeconds === null ? '' : waited(oldestSeconds, now),
    })),
    jobs: jobs.map(({ name, schedule, state, lastRunAt, seconds, outcome, host, nextRunAt }) => ({
      name: JOB_TEXTS[name] ?? name,
      ...scheduleOf(schedule),
      last: lastRunAt === null ? null : moment(lastRunAt, now),
      outcome: state === 'running' ? 'running' : outcome === null ? 'never ran' : OUTCOME_TEXTS[outcome],
      isBad: outcome === 'failed',
      seconds: seconds === null ? '' : `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`,
      host: host ?? '',
      next: { ...moment(nextRunAt, now), says: soon(nextRunAt, now) },
    })),
  };
}

/** An interval in words, or a cron expression as it is. */
function scheduleOf(schedule: string): { readonly every: string } | { readonly cron: string } {
  const seconds = intervalSeconds(schedule);
  return seconds === undefined ? { cron: schedule } : { every: interval(seconds) };
}

const OUTCOME_TEXTS = { completed: 'completed', busy: 'busy; tries again', failed: 'failed: see the log' } as const;

// A name that this version of the console has no text for is shown as it is.
const QUEUE_TEXTS: Readonly<Record<string, string>> = {
  capture: 'Reports for capture',
  proposer: 'Payloads for the proposer',
  fragments: 'Fragments to assemble',
  publications: 'Publications',
  webhooks: 'Webhook deliveries',
  promotion: 'Memories to corroborate',
  summaries: 'Sessions to summarise',
};
const JOB_TEXTS: Readonly<Record<string, string>> = {
  evolver: 'Evolver cycle',
  'memory-upkeep': 'Upkeep of lessons',
  consolidation: 'Consolidation',
  'skill-merges': 'Search for skills to merge',
  'embedder-tuning': 'Embedder tuning',
  'journal-checkpoint': 'Signature of the journal',
  'proposal-expiry': 'Upkeep of the proposal queue',
  'webhook-purge': 'Deletion of old deliveries',
};

function soon(time: string, now: Date): string {
  const distance = new Date(time).getTime() - now.getTime();
  return distance < MINUTE_MS ? 'within a minute' : relative(time, now);
}

const waited = (seconds: number, now: Date): string =>
  seconds * 1_000 < MINUTE_MS ? `${grouped(seconds)} s` : relative(new Date(now.getTime() - seconds * 1_000), now);
