import { intervalSeconds } from '../../platform/background/job-schedule.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import type { ServerState } from '../../platform/health/health.schema.js';
import { hasText, say } from '../texts/texts.js';
import { interval, moment, relative } from '../texts/times.js';

/** The processes, queues and jobs of the server as rows of tables. */
export function serverTables({ processes, queues, jobs }: ServerState, now: Date) {
  return {
    processes: processes.map((process) => ({
      name: process.isThis ? say('server.this', { host: process.host }) : process.host,
      pid: String(process.pid),
      version: process.version,
      address: process.address,
      folder: process.skillsFolder === null ? '' : say(`server.folder.${process.skillsFolder}`),
      role: say(`server.role.${String(process.roleInForce)}`),
      isRoleBad: process.roleInForce === false,
      behind: process.indexBehind ?? '',
      started: moment(process.startedAt, now),
      seen: moment(process.lastSeenAt, now),
    })),
    queues: queues.map(({ name, length, oldestSeconds }) => ({
      name: named('queue', name),
      length,
      oldest: oldestSeconds === null ? '' : waited(oldestSeconds, now),
    })),
    jobs: jobs.map(({ name, schedule, state, lastRunAt, seconds, outcome, host, nextRunAt }) => ({
      name: named('job', name),
      ...scheduleOf(schedule),
      last: lastRunAt === null ? null : moment(lastRunAt, now),
      outcome: say(state === 'running' ? 'server.running' : `server.outcome.${outcome ?? 'none'}`),
      isBad: outcome === 'failed',
      seconds: seconds === null ? '' : say('server.seconds', { n: seconds.toFixed(seconds < 10 ? 1 : 0) }),
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

/** A name that this version of the console has no text for is shown as it is. */
const named = (kind: 'queue' | 'job', name: string): string => {
  const key = `server.${kind}.${name}`;
  return hasText(key) ? say(key) : name;
};

function soon(time: string, now: Date): string {
  const distance = new Date(time).getTime() - now.getTime();
  return distance < MINUTE_MS ? say('server.soon') : relative(time, now);
}

const waited = (seconds: number, now: Date): string =>
  seconds * 1_000 < MINUTE_MS
    ? say('server.seconds', { n: seconds })
    : relative(new Date(now.getTime() - seconds * 1_000), now);
