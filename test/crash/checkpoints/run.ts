import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PROJECT_ROOT } from '../../../src/platform/config/config.js';
import { runKillSessions, type SessionPlace } from '../kill-sessions.js';
import { type CheckpointKill, CheckpointSession } from './checkpoint-session.js';

const KILLS_PER_SESSION = 50;

const { values } = parseArgs({
  options: {
    checkpoints: { type: 'string' },
    database: { type: 'string', default: 'embedded' },
    seed: { type: 'string', default: '1' },
    dist: { type: 'string', default: join(PROJECT_ROOT, 'dist') },
  },
});
const counts: Record<string, number> = {};
let faults = 0;

const describe = ({ op, killBefore, afterMs }: CheckpointKill): string =>
  `${op}, ${killBefore === undefined ? `after ${afterMs} ms` : `before statement ${killBefore}`}`;

function counted(found: readonly string[]): readonly string[] {
  faults += found.length;
  return found;
}

function open({ folder, urls, seed }: SessionPlace) {
  const session = new CheckpointSession({ folder, url: urls[0] }, resolve(values.dist), seed);
  return {
    begin: () => session.begin(),
    kill: async () => {
      const { plan, hasEnded, faults: found } = await session.kill();
      const kind = `${plan.op}${hasEnded ? ' (ended before)' : ''}`;
      counts[kind] = (counts[kind] ?? 0) + 1;
      return { kills: 1, what: `${describe(plan)}${hasEnded ? ', ended before' : ''}`, faults: counted(found) };
    },
    finish: async () => counted(await session.finish()),
    end: () => session.end(),
  };
}

const { kills, failedSessions, seconds } = await runKillSessions({
  kills: Number(values.checkpoints),
  databases: values.database === 'both' ? ['embedded', 'postgresql'] : [values.database],
  seed: Number(values.seed),
  killsPerSession: KILLS_PER_SESSION,
  databasesPerSession: 1,
  open,
});
console.log(JSON.stringify({ checkpointKills: kills, faults, failedSessions, counts, seconds }));
process.exitCode = failedSessions > 0 ? 1 : 0;
