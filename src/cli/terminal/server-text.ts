import type { ServerState } from '../../platform/health/health.schema.js';
import { formatCount, oneLine, print, table } from './terminal.js';

/** Prints the processes, the queues that hold something, and the jobs that need a look; `--json` has all. */
export function printServer({ processes = [], queues = [], jobs = [] }: Partial<ServerState>): void {
  if (processes.length > 0) {
    print(`\n${formatCount(processes.length, 'server process', 'server processes')}:`);
    print(
      table(
        ['machine', 'pid', 'version', 'last seen'],
        processes.map(({ host, pid, version, lastSeenAt }) => [host, String(pid), version, minute(lastSeenAt)]),
      ),
    );
  }
  const waiting = queues.filter(({ length }) => length > 0);
  if (waiting.length > 0) {
    print('\nWaiting for background work:');
    print(
      table(
        ['queue', 'items', 'oldest'],
        waiting.map(({ name, length, oldestSeconds }) => [name, length, `${oldestSeconds ?? 0} s`]),
      ),
    );
  }
  const failed = jobs.filter(({ outcome }) => outcome === 'failed').map(({ name }) => oneLine(name));
  if (failed.length > 0) print(`\nThe last run failed: ${failed.join(', ')}. The log of the server says why.`);
  const next = jobs.reduce<string | undefined>((first, { nextRunAt }) => earlier(first, nextRunAt), undefined);
  if (next !== undefined)
    print(`\n${formatCount(jobs.length, 'scheduled job')}; the next one runs at ${minute(next)} UTC.`);
}

const earlier = (one: string | undefined, other: string): string => (one === undefined || other < one ? other : one);

const minute = (time: string): string => oneLine(time.slice(0, 16).replace('T', ' '));
