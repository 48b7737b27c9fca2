import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { Guildbook } from '../../../src/client/guildbook.js';
import { PROJECT_ROOT } from '../../../src/platform/config/config.js';
import { createServerDatabase } from '../../support/server-database.js';
import { fleetServer } from '../processes/fleet-server.js';
import { ProcessesSession } from '../processes/processes-session.js';
import { makeNextVersion } from './next-version.js';

const PROCESSES = 2;
/** Load before, between and after the replacements. */
const LOAD_MS = 6_000;

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    dist: { type: 'string', default: join(PROJECT_ROOT, 'dist') },
    seed: { type: 'string', default: '1' },
  },
});
const began = performance.now();
const own = await createServerDatabase();
if (!own) throw new Error('TEST_DATABASE_URL names no server');
const { url } = own;
const folder = mkdtempSync(join(tmpdir(), 'guildbook-upgrade-'));
const pool = new pg.Pool({ connectionString: url, max: 1 });
const before = resolve(values.from ?? values.dist);
const after = values.from ? resolve(values.dist) : makeNextVersion(join(folder, 'next'), before);
const session = new ProcessesSession(
  { folder, urls: [url], seed: `upgrade ${values.seed}`, kills: 0 },
  { processes: PROCESSES, checkEvery: 1, dist: before, folders: 'shared' },
);
const faults: string[] = [];

const migrations = async (): Promise<number> =>
  (await pool.query(`SELECT count(*)::int AS "n" FROM "_prisma_migrations"`)).rows[0]?.n;

/** An old process that starts on the newer schema ends at once, and says why. */
async function startsRefused(): Promise<boolean> {
  const late = fleetServer(folder, url, 'late', before);
  try {
    await late.start();
    late.kill(true);
    return false;
  } catch {
    return late.log.includes('because a newer Guildbook wrote it');
  } finally {
    await late.waitForExit();
  }
}

try {
  await session.begin();
  const known = await migrations();
  session.load();
  await sleep(LOAD_MS);
  let lateIsRefused = false;
  for (let n = 0; n < PROCESSES; n += 1) {
    await session.replace(n, after);
    console.log(`process ${n + 1} runs the new version after ${Math.round((performance.now() - began) / 1000)} s`);
    if (n > 0) continue;
    if ((await migrations()) <= known) faults.push('the new version has no migration of its own');
    // Alone with the newer schema: the running old process goes on.
    for (const address of [session.address(0), session.address(1)]) await new Guildbook({ server: address }).health();
    lateIsRefused = await startsRefused();
    if (!lateIsRefused) faults.push('an old process started on the newer schema');
    await sleep(LOAD_MS);
  }
  await sleep(LOAD_MS);
  faults.push(...(await session.check()), ...(await session.finish()));
  const { requests, retries } = session.fleet;
  const acknowledged = session.acknowledged.counts;
  const { counted } = session;
  const seconds = Math.round((performance.now() - began) / 1000);
  for (const fault of faults) console.error(`FAILED: ${fault}`);
  const failedRequests = session.failedRequests;
  console.log(JSON.stringify({ failedRequests, ...counted, requests, retries, lateIsRefused, acknowledged, seconds }));
} finally {
  await session.end();
  await pool.end();
}
if (faults.length === 0) {
  await own.drop();
  rmSync(folder, { recursive: true });
} else console.error(`kept: ${folder} ${url}`);
process.exitCode = faults.length === 0 ? 0 : 1;
