import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runKillSessions, type SessionPlace } from '../kill-sessions.js';
import { type ConsolidationKill, ConsolidationSession } from './consolidation-session.js';
import { type MemoryFaults, noMemoryFaults } from './memory-faults.js';

/** Kills of one database, so that its agents do not run out. */
const KILLS_PER_SESSION = 50;

const { values } = parseArgs({
  options: {
    consolidation: { type: 'string' },
    database: { type: 'string', default: 'embedded' },
    seed: { type: 'string', default: '1' },
  },
});
const total = noMemoryFaults();
const phases: Record<string, number> = {};

function describe(plan: ConsolidationKill): string {
  if (plan.kind === 'statement') return `before statement ${plan.nth}`;
  return `after ${plan.afterMs} ms of ${plan.ofAll ? 'all agents' : 'an agent'}`;
}

function added(faults: MemoryFaults): readonly string[] {
  for (const kind of ['halfDone', 'lost', 'doubled', 'other'] as const) total[kind].push(...faults[kind]);
  return Object.values(faults).flat();
}

function open({ folder, urls, seed, kills }: SessionPlace) {
  const session = new ConsolidationSession(
    { folder: join(folder, 'killed'), url: urls[0] },
    { folder: join(folder, 'undisturbed'), url: urls[1] },
    seed,
    ConsolidationSession.agentsFor(kills),
  );
  return {
    begin: () => session.begin(),
    kill: async () => {
      const { plan, at, faults } = await session.kill();
      phases[at] = (phases[at] ?? 0) + 1;
      return { kills: 1, what: `${describe(plan)}, ${at}`, faults: added(faults) };
    },
    finish: async () => added({ ...noMemoryFaults(), other: await session.finish() }),
    end: () => session.end(),
  };
}

const { kills, failedSessions, seconds } = await runKillSessions({
  kills: Number(values.consolidation),
  databases: values.database === 'both' ? ['embedded', 'postgresql'] : [values.database],
  seed: Number(values.seed),
  killsPerSession: KILLS_PER_SESSION,
  databasesPerSession: 2,
  open,
});
const counted = Object.fromEntries(Object.entries(total).map(([kind, faults]) => [kind, faults.length]));
console.log(JSON.stringify({ consolidationKills: kills, ...counted, failedSessions, phases, seconds }));
process.exitCode = failedSessions > 0 ? 1 : 0;
