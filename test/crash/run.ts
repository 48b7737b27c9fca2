import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createServerDatabase } from '../support/server-database.js';
import { type Faults, noFaults } from './check.js';
import type { KillPlan } from './kill-plan.js';
import { KillSession } from './kill-session.js';

/** Kills of one database and repository. A new session then starts with empty ones, so that they stay small. */
const KILLS_PER_SESSION = 50;
const MAX_FAILED_SESSIONS = 5;

const { values } = parseArgs({
  options: { kills: { type: 'string' }, database: { type: 'string' }, seed: { type: 'string' } },
});
const databases = values.database === 'both' ? ['embedded', 'postgresql'] : [values.database ?? 'embedded'];
const kills = Number(values.kills);
const began = performance.now();
const hasStrace = spawnSync('strace', ['-V']).status === 0;
if (!hasStrace)
  console.log('strace is not installed: kills only at random times and at git commands, not at system calls.');

const seconds = (since: number) => (performance.now() - since) / 1000;
const total = noFaults();
const kinds: Record<string, number> = {};
let done = 0;
let failedSessions = 0;
let current: KillSession | undefined;
// The servers are separate process groups, so they have to be ended here.
for (const [name, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(name, () => {
    current?.server.kill(true);
    process.exit(code);
  });

function describe(plan: KillPlan): string {
  if (plan.kind === 'time') return `${plan.afterMs} ms after, ${plan.withChildren ? 'with its children' : 'alone'}`;
  if (plan.kind === 'point') return `${plan.when} git ${plan.verb}`;
  if (plan.kind === 'git') return `git ${plan.verb} at call ${plan.nth}${plan.alone ? ', git alone' : ''}`;
  return `the server at ${plan.call} ${plan.nth}`;
}

function add(faults: Faults): number {
  for (const kind of ['missing', 'doubled', 'staleLocks', 'fsck', 'other'] as const) total[kind].push(...faults[kind]);
  return Object.values(faults).flat().length;
}

/** True if the session ended without a fault. Otherwise its folder and database are kept for inspection. */
async function runSession(database: string, seed: number, count: number): Promise<boolean> {
  const own = database === 'postgresql' ? await createServerDatabase() : undefined;
  if (database === 'postgresql' && own === undefined) throw new Error('TEST_DATABASE_URL names no server');
  const folder = mkdtempSync(join(tmpdir(), 'guildbook-crash-'));
  const session = new KillSession(folder, `${database} ${seed}`, own?.url, hasStrace);
  current = session;
  let at = 'the beginning';
  try {
    await session.begin();
    for (let n = 1; n <= count; n += 1) {
      at = `kill ${n}`;
      const since = performance.now();
      const { plan, asPlanned, faults } = await session.kill();
      done += 1;
      const kind = asPlanned ? plan.kind : 'atTheEnd';
      kinds[kind] = (kinds[kind] ?? 0) + 1;
      at = `kill ${n}: ${asPlanned ? describe(plan) : `at the end, without ${describe(plan)}`}`;
      console.log(
        `${seconds(began).toFixed(0).padStart(6)} s  ${database}, seed ${seed}, ${at} (${seconds(since).toFixed(1)} s)`,
      );
      if (add(faults) > 0) throw new Error(Object.values(faults).flat().join('\n'));
    }
    await session.end();
    await own?.drop();
    rmSync(folder, { recursive: true });
    return true;
  } catch (error) {
    await session.end();
    console.error(
      `FAILED: --database ${database} --seed ${seed}, ${at}; the folder is kept: ${folder} ${own?.url ?? ''}\n${error}`,
    );
    console.error(`the server said:\n${session.server.log.slice(-4_000)}`);
    return false;
  }
}

function summary(): string {
  const counted = Object.fromEntries(Object.entries(total).map(([kind, faults]) => [kind, faults.length]));
  return JSON.stringify({
    kills: done,
    ...counted,
    failedLives: failedSessions,
    kinds,
    hasStrace,
    seconds: Math.round(seconds(began)),
  });
}

// Alternates between the databases, so that an interrupted run has tested both.
const sessions = Math.max(databases.length, Math.ceil(kills / KILLS_PER_SESSION));
for (let n = 0; n < sessions && failedSessions < MAX_FAILED_SESSIONS; n += 1) {
  const share = Math.floor((kills + n) / sessions);
  const seed = Number(values.seed) + Math.floor(n / databases.length);
  if (!(await runSession(databases[n % databases.length] ?? '', seed, share))) failedSessions += 1;
  if (n + 1 < sessions) console.log(`so far ${summary()}`);
}
console.log(summary());
process.exitCode = failedSessions > 0 ? 1 : 0;
