import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PROJECT_ROOT } from '../../../src/platform/config/config.js';
import { runKillSessions } from '../kill-sessions.js';
import { FOLDERS } from './fleet-server.js';
import { ProcessesSession } from './processes-session.js';

/** Kills of one database and repository, so that they stay small. */
const KILLS_PER_SESSION = 100;

const { values } = parseArgs({
  options: {
    processes: { type: 'string', default: '3' },
    kills: { type: 'string', default: '20' },
    'check-every': { type: 'string', default: '25' },
    database: { type: 'string', default: 'postgresql' },
    seed: { type: 'string', default: '1' },
    folders: { type: 'string', default: 'shared' },
    dist: { type: 'string', default: join(PROJECT_ROOT, 'dist') },
  },
});
const folders = FOLDERS.find((known) => known === values.folders);
if (!folders) throw new Error(`--folders: ${FOLDERS.join(' or ')}`);
const sessions: ProcessesSession[] = [];
const { kills, failedSessions, seconds } = await runKillSessions({
  kills: Number(values.kills),
  databases: [values.database],
  seed: Number(values.seed),
  killsPerSession: KILLS_PER_SESSION,
  databasesPerSession: 1,
  open: (place) => {
    const session = new ProcessesSession(place, {
      processes: Number(values.processes),
      checkEvery: Number(values['check-every']),
      dist: resolve(values.dist),
      folders,
    });
    sessions.push(session);
    return session;
  },
});

function sums(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const one of all) for (const [key, n] of Object.entries(one)) sum[key] = (sum[key] ?? 0) + n;
  return sum;
}

const errors = sums(sessions.map((session) => Object.fromEntries(session.errors)));
for (const [line, n] of Object.entries(errors)) console.log(`logged ${n} times: ${line}`);
console.log(
  JSON.stringify({
    kills,
    ...sums(sessions.map(({ counted }) => counted)),
    failedSessions,
    kinds: sums(sessions.map(({ kinds }) => kinds)),
    acknowledged: sums(sessions.map(({ acknowledged }) => acknowledged.counts)),
    auditedAgain: sessions.reduce((sum, { audit }) => sum + audit.again, 0),
    requests: sessions.reduce((sum, { fleet }) => sum + fleet.requests, 0),
    retries: sessions.reduce((sum, { fleet }) => sum + fleet.retries, 0),
    seconds,
  }),
);
process.exitCode = failedSessions > 0 ? 1 : 0;
