import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createServerDatabase } from '../../support/server-database.js';
import { type ConsolidationKill, ConsolidationSession } from './consolidation-session.js';
import { type MemoryFaults, noMemoryFaults } from './memory-faults.js';

/** Kills of one database, so that its agents do not run out. */
const KILLS_PER_SESSION = 50;
const MAX_FAILED_SESSIONS = 5;

const { values } = parseArgs({
  options: { consolidation: { type: 'string' }, database: { type: 'string' }, seed: { type: 'string' } },
});
const databases = values.database === 'both' ? ['embedded', 'postgresql'] : [values.database ?? 'embedded'];
const kills = Number(values.consolidation);
const began = performance.now();
const seconds = () => Math.round((performance.now() - began) / 1000);
const total = noMemoryFaults();
const phases: Record<string, number> = {};
let done = 0;
let failedSessions = 0;

function describe(plan: ConsolidationKill): string {
  if (plan.kind === 'statement') return `before statement ${plan.nth}`;
  return `after ${plan.afterMs} ms of ${plan.ofAll ? 'all agents' : 'an agent'}`;
}

function add(faults: MemoryFaults): void {
  for (const kind of ['halfDone', 'lost', 'doubled', 'other'] as const) total[kind].push(...faults[kind]);
  const found = Object.values(faults).flat();
  if (found.length > 0) throw new Error(found.join('\n'));
}

/** True if the session ended without a fault. Otherwise its folder and databases are kept for inspection. */
async function runSession(database: string, seed: number, count: number): Promise<boolean> {
  const own = database === 'postgresql' ? [await createServerDatabase(), await createServerDatabase()] : [];
  if (database === 'postgresql' && !own[0]) throw new Error('TEST_DATABASE_URL names no server');
  const folder = mkdtempSync(join(tmpdir(), 'guildbook-crash-'));
  const session = new ConsolidationSession(
    { folder: join(folder, 'killed'), url: own[0]?.url },
    { folder: join(folder, 'undisturbed'), url: own[1]?.url },
    ...([`${database} ${seed}`, ConsolidationSession.agentsFor(count)] as const),
  );
  let at = 'the beginning';
  try {
    await session.begin();
    for (let n = 1; n <= count; n += 1) {
      at = `kill ${n}`;
      const { plan, at: phase, faults } = await session.kill();
      done += 1;
      phases[phase] = (phases[phase] ?? 0) + 1;
      at = `kill ${n}: ${describe(plan)}, ${phase}`;
      console.log(`${String(seconds()).padStart(6)} s  ${database}, seed ${seed}, ${at}`);
      add(faults);
    }
    at = 'the last run';
    add({ ...noMemoryFaults(), other: await session.finish() });
    await session.end();
    for (const one of own) await one?.drop();
    rmSync(folder, { recursive: true });
    return true;
  } catch (error) {
    await session.end();
    console.error(
      `FAILED: --database ${database} --seed ${seed}, ${at}; kept: ${folder} ${own[0]?.url ?? ''}\n${error}`,
    );
    return false;
  }
}

function summary(): string {
  const counted = Object.fromEntries(Object.entries(total).map(([kind, faults]) => [kind, faults.length]));
  const result = { consolidationKills: done, ...counted, failedSessions, phases, seconds: seconds() };
  return JSON.stringify(result);
}

const sessions = Math.max(databases.length, Math.ceil(kills / KILLS_PER_SESSION));
for (let n = 0; n < sessions && failedSessions < MAX_FAILED_SESSIONS; n += 1) {
  const share = Math.floor((kills + n) / sessions);
  const seed = Number(values.seed) + Math.floor(n / databases.length);
  if (share > 0 && !(await runSession(databases[n % databases.length] ?? '', seed, share))) failedSessions += 1;
  if (n + 1 < sessions) console.log(`so far ${summary()}`);
}
console.log(summary());
process.exitCode = failedSessions > 0 ? 1 : 0;
