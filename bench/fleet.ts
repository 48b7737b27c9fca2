/**
 * npm run bench:fleet -- [--database <url> --agents 10000 --reports 100000 --minutes 20 --processes 2 --cycles 4]
 *
 * A day of a fleet through several built processes on one PostgreSQL database: agents report in batches, spread over the
 * processes, with cycles in between. Throughput, age of the oldest report that waits for its capture and of the oldest
 * payload that waits for its lesson, and memory of each process over time. The last line is JSON.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import type { ExecutionReport } from '../src/capture/report/execution-report.schema.js';
import { cycleToEnd } from '../src/client/cycle-to-end.js';
import { Guildbook, GuildbookError } from '../src/client/guildbook.js';
import type { Cycle } from '../src/evolve/cycle/cycles.schema.js';
import { MINUTE_MS } from '../src/platform/base/durations.js';
import { messageOf } from '../src/platform/base/error-text.js';
import { PROJECT_ROOT, SETTINGS } from '../src/platform/config/config.js';
import { benchServerUrl, programPath } from '../src/platform/config/environment.js';
import { createDatabaseOn } from '../test/support/server-database.js';
import { transcripts } from './evolve-fleet.js';
import { MeasuredServer } from './measured-server.js';
import { trafficReport } from './report-traffic.js';

const HELP = `npm run bench:fleet -- [options]
  --database <url>   a PostgreSQL server; the benchmark creates and drops a database on it (default: TEST_DATABASE_URL)
  --agents <n>       agents of the fleet, each with its own token (default 10000)
  --reports <n>      reports of the day (default 100000)
  --processes <n>    built servers on the database (default 2)
  --minutes <n>      the day passes in so many minutes, at an even rate; 0: as fast as the processes answer (default 20)
  --at-once <n>      concurrent requests for each process (default 8)
  --cycles <n>       cycles during the day, at equal distances (default 4)

Smallest run: --agents 10 --reports 100 --minutes 0 --cycles 1`;

const { values } = parseArgs({
  options: {
    database: { type: 'string' },
    agents: { type: 'string', default: '10000' },
    reports: { type: 'string', default: '100000' },
    processes: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '20' },
    'at-once': { type: 'string', default: '8' },
    cycles: { type: 'string', default: '4' },
    help: { type: 'boolean', default: false },
  },
});
const database = values.database ?? benchServerUrl();
const { agents, reports, minutes: duration } = values;
const numbers = [agents, reports, values.processes, values['at-once'], values.cycles, duration].map(Number);
const [agentCount = 0, reportCount = 0, processes = 0, atOnce = 0, cycles = 0, minutes = 0] = numbers;
if (
  values.help ||
  database === undefined ||
  !(agentCount && reportCount && processes && atOnce) ||
  Number.isNaN(cycles + minutes)
) {
  console.log(HELP);
  process.exit(values.help ? 0 : 1);
}

const SAMPLE_MS = 5_000;
const CATEGORIES = 200;
const ADMIN_TOKEN = `gbo_${randomBytes(32).toString('base64url')}`;

const scratch = await createDatabaseOn(database);
const pool = new pg.Pool({ connectionString: scratch.url, max: 2 });
const folder = mkdtempSync(join(tmpdir(), 'guildbook-bench-fleet-'));
const unset = Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, '']));
const startServer = (n: number): MeasuredServer =>
  MeasuredServer.start([join(PROJECT_ROOT, 'dist/main.js')], {
    PATH: programPath(),
    ...unset,
    DATABASE_URL: scratch.url,
    GUILDBOOK_PORT: '0',
    GUILDBOOK_DATA_DIR: join(folder, `process-${n}`),
    GUILDBOOK_SKILLS_DIR: join(folder, 'skills'),
    GUILDBOOK_JOURNAL_KEY_FILE: join(folder, 'journal-key.pem'),
    GUILDBOOK_RATE_LIMIT_PRINCIPAL: '10000000',
    GUILDBOOK_ADMIN_TOKEN: ADMIN_TOKEN,
  });

const work = transcripts(Math.min(reportCount, 20_000), CATEGORIES, 7);

/** The n-th report of the day: work of the fleet in the size of usual traffic. */
function reportOf(n: number): ExecutionReport {
  const at = Date.now();
  return {
    ...trafficReport(1, n),
    startedAt: new Date(at - 60_000).toISOString(),
    finishedAt: new Date(at).toISOString(),
    toolCalls: [...trafficReport(1, n).toolCalls, ...(work[n % work.length]?.calls ?? [])],
  };
}

const rssMb = (pid: number | undefined): number => {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1024);
};

/** Seconds since the oldest waiting report and payload arrived, and how many wait. */
async function queues(): Promise<{ waiting: number; ageS: number }> {
  const { rows } = await pool.query(`SELECT
    (SELECT count(*) FROM "execution" WHERE "capture_state" = 'pending')::int
      + (SELECT count(*) FROM "analysis_payload" WHERE "state" = 'pending')::int AS "waiting",
    coalesce(extract(epoch FROM now() - least(
      (SELECT min("received_at") FROM "execution" WHERE "capture_state" = 'pending'),
      (SELECT min("created_at") FROM "analysis_payload" WHERE "state" = 'pending'))), 0)::float AS "ageS"`);
  return rows[0];
}

/** Runs a cycle once the one that runs has ended. Undefined if it cannot be run, which does not end the day. */
async function cycleAfterRunning(admin: Guildbook): Promise<Cycle | undefined> {
  for (;;)
    try {
      return await cycleToEnd(admin, false);
    } catch (error) {
      if (!(error instanceof GuildbookError) || error.problem.code !== 'evolver.busy') {
        console.log(`no cycle: ${messageOf(error)}`);
        return undefined;
      }
      await sleep(1_000);
    }
}

const servers: MeasuredServer[] = [];
const peaks = { ageS: 0, rssMb: 0, waiting: 0 };
let sent = 0;
let isOver = false;

async function sample(began: number): Promise<void> {
  while (!isOver) {
    await sleep(SAMPLE_MS);
    const { waiting, ageS } = await queues();
    const rss = servers.map(({ pid }) => rssMb(pid));
    peaks.ageS = Math.max(peaks.ageS, ageS);
    peaks.waiting = Math.max(peaks.waiting, waiting);
    peaks.rssMb = Math.max(peaks.rssMb, ...rss);
    const at = ((performance.now() - began) / 1000).toFixed(0).padStart(6);
    console.log(`${at} s  ${sent} reports, ${waiting} waiting, oldest ${ageS.toFixed(1)} s, ${rss.join(' and ')} MB`);
  }
}

try {
  servers.push(...Array.from({ length: processes }, (_, n) => startServer(n)));
  const urls = await Promise.all(servers.map((one) => one.waitForOutput(/listening on (http:\/\/[^\s"]+)/)));
  const { token } = await new Guildbook({ server: urls[0] ?? '' }).signIn(ADMIN_TOKEN);
  const admins = urls.map((server) => new Guildbook({ server, token }));
  const tokens: string[] = [];
  let added = 0;
  await Promise.all(
    admins.map(async (admin) => {
      for (let n = added++; n < agentCount; n = added++) {
        const agent = { name: `agent ${n}`, owner: `owner ${n % 500}`, role: `role ${n % 20}`, department: 'fleet' };
        tokens[n] = (await admin.agents.add(agent)).token;
      }
    }),
  );
  console.log(`${agentCount} agents`);
  const began = performance.now();
  const sampling = sample(began);
  const cycleAt = Array.from({ length: cycles }, (_, n) => Math.round(((n + 1) * reportCount) / (cycles + 1)));
  const cycling: Promise<Cycle | undefined>[] = [];
  let next = 0;
  await Promise.all(
    urls.flatMap((server) =>
      Array.from({ length: atOnce }, async () => {
        for (let n = next++; n < reportCount; n = next++) {
          // In its turn of the day, or at once if the processes are behind.
          await sleep(began + (n / reportCount) * minutes * MINUTE_MS - performance.now());
          await new Guildbook({ server, token: tokens[n % agentCount] }).executions.report(reportOf(n));
          sent += 1;
          const cycle = cycleAt.indexOf(sent);
          const admin = cycle < 0 ? undefined : admins[cycle % admins.length];
          if (admin !== undefined) cycling.push(cycleAfterRunning(admin));
        }
      }),
    ),
  );
  const sentS = (performance.now() - began) / 1000;
  const ran = await Promise.all(cycling);
  while ((await queues()).waiting > 0) await sleep(200);
  const doneS = (performance.now() - began) / 1000;
  isOver = true;
  await sampling;
  const { rows } = await pool.query(`SELECT (SELECT count(*)::int FROM "execution") AS "stored",
    (SELECT count(*)::int FROM "memory" WHERE "scope" <> 'project') AS "lessons",
    (SELECT max(extract(epoch FROM "finished_at" - "started_at"))::float FROM "evolver_cycle") AS "longestCycleS"`);
  const result = {
    reports: reportCount,
    agents: agentCount,
    processes,
    perSecond: reportCount / sentS,
    learnedPerSecond: reportCount / doneS,
    maxQueueAgeS: peaks.ageS,
    maxWaiting: peaks.waiting,
    rssMb: peaks.rssMb,
    cycles: ran.filter((cycle) => cycle?.state === 'completed').length,
    ...rows[0],
  };
  console.log(JSON.stringify(result, (_, value) => (typeof value === 'number' ? Number(value.toFixed(1)) : value)));
} finally {
  isOver = true;
  for (const one of servers) await one.stop();
  await pool.end();
  await scratch.drop();
  rmSync(folder, { recursive: true, force: true });
}
