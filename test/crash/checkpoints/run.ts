import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PROJECT_ROOT } from '../../../src/platform/config/config.js';
import { createServerDatabase } from '../../support/server-database.js';
import { type CheckpointKill, CheckpointSession } from './checkpoint-session.js';

const KILLS_PER_SESSION = 50;

const { values } = parseArgs({
  options: {
    checkpoints: { type: 'string' },
    database: { type: 'string' },
    seed: { type: 'string' },
    dist: { type: 'string', default: join(PROJECT_ROOT, 'dist') },
  },
});
const databases = values.database === 'both' ? ['embedded', 'postgresql'] : [values.database ?? 'embedded'];
const kills = Number(values.checkpoints);
const began = performance.now();
const seconds = () => Math.round((performance.now() - began) / 1000);
const counts: Record<string, number> = {};
let done = 0;
let faults = 0;
let failedSessions = 0;

const describe = ({ op, killBefore, afterMs }: CheckpointKill): string =>
  `${op}, ${killBefore === undefined ? `after ${afterMs} ms` : `before statement ${killBefore}`}`;

/** True if the session ended without a fault. Otherwise its folder and database are kept for inspection. */
async function runSession(database: string, seed: number, count: number): Promise<boolean> {
  const own = database === 'postgresql' ? await createServerDatabase() : undefined;
  if (database === 'postgresql' && !own) throw new Error('TEST_DATABASE_URL names no server');
  const folder = mkdtempSync(join(tmpdir(), 'guildbook-crash-'));
  const session = new CheckpointSession({ folder, url: own?.url }, resolve(values.dist), `${database} ${seed}`);
  let at = 'the beginning';
  const add = (found: readonly string[]): void => {
    faults += found.length;
    if (found.length > 0) throw new Error(found.join('\n'));
  };
  try {
    await session.begin();
    for (let n = 1; n <= count; n += 1) {
      at = `kill ${n}`;
      const { plan, hasEnded, faults: found } = await session.kill();
      done += 1;
      const kind = `${plan.op}${hasEnded ? ' (ended before)' : ''}`;
      counts[kind] = (counts[kind] ?? 0) + 1;
      at = `kill ${n}: ${describe(plan)}${hasEnded ? ', ended before' : ''}`;
      console.log(`${String(seconds()).padStart(6)} s  ${database}, seed ${seed}, ${at}`);
      add(found);
    }
    at = 'the last run';
    add(await session.finish());
    await session.end();
    await own?.drop();
    rmSync(folder, { recursive: true });
    return true;
  } catch (error) {
    await session.end();
    console.error(`FAILED: --database ${database} --seed ${seed}, ${at}; kept: ${folder} ${own?.url ?? ''}\n${error}`);
    return false;
  }
}

const sessions = Math.max(databases.length, Math.ceil(kills / KILLS_PER_SESSION));
for (let n = 0; n < sessions; n += 1) {
  const share = Math.floor((kills + n) / sessions);
  const seed = Number(values.seed ?? 1) + Math.floor(n / databases.length);
  if (share > 0 && !(await runSession(databases[n % databases.length] ?? '', seed, share))) failedSessions += 1;
}
console.log(JSON.stringify({ checkpointKills: done, faults, failedSessions, counts, seconds: seconds() }));
process.exitCode = failedSessions > 0 ? 1 : 0;
