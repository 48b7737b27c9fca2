/**
 * npm run bench:evolve -- [--sizes 10000,100000,1000000] [--agents 10000] [--database <url>]
 *
 * Measures cycles of the built server over generated fleets on PostgreSQL: a full cycle, then one after new executions
 * (1 % of the largest fleet), with the peak memory of the server's process; then the first cycle of a server that starts
 * again, with the counts in the database and without them. Compares them with a grouping of the same
 * rows as one SQL statement, on PostgreSQL and DuckDB. It counts the templates of error lines, which a cycle merges into
 * families, and the tries of each approach; it reads no report, checks no candidate and writes no proposal. The last
 * line is JSON.
 */
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import type { Guildbook } from '../src/client/guildbook.js';
import type { Cycle, CycleReport } from '../src/evolve/cycle/cycles.schema.js';
import { benchServerUrl } from '../src/platform/config/environment.js';
import { BuiltProgram } from '../test/support/cli.js';
import { createDatabaseOn } from '../test/support/server-database.js';
import { transcripts } from './evolve-fleet.js';
import { type Grouping, groupInDuckDb, groupInPostgresql } from './evolve-grouping.js';
import { startNewDay, storeExecutions, storeFleet } from './evolve-store.js';
import { processorMs } from './processor-time.js';

const HELP = `npm run bench:evolve -- [options]
  --sizes <n,n,…>    numbers of stored executions, rising (default 10000,100000,1000000)
  --agents <n>       registered agents (default 10000)
  --categories <n>   kinds of work, by Zipf (default 200)
  --seed <n>         seed of the fleet (default 1)
  --no-duckdb        leaves DuckDB out
  --database <url>   a PostgreSQL server, on which a temporary database is created (default: TEST_DATABASE_URL)

Smallest run: --sizes 100 --agents 10 --no-duckdb`;
/** Distinct transcripts; many agents do the same work. */
const TRANSCRIPTS = 5_000;
const DAYS = 20;
const WINDOW_EVENT = 'MINING_STATE_READ';

const { values } = parseArgs({
  allowNegative: true,
  options: {
    sizes: { type: 'string', default: '10000,100000,1000000' },
    agents: { type: 'string', default: '10000' },
    categories: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    duckdb: { type: 'boolean', default: true },
    database: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const server = values.database ?? benchServerUrl();
if (server === undefined) {
  console.error('Give --database, or set TEST_DATABASE_URL: a PostgreSQL server.');
  process.exit(1);
}
const sizes = values.sizes.split(',').map(Number);
const [agents, categories, seed] = [Number(values.agents), Number(values.categories), Number(values.seed)];
if (!sizes.every((size, at) => size >= 100 && size > (sizes[at - 1] ?? 0)) || !(agents >= 10) || !(categories >= 10)) {
  console.error(HELP);
  process.exit(1);
}
const arriving = Math.ceil((sizes.at(-1) ?? 0) / 100);

interface Timed {
  readonly seconds: number;
  /** Processor time of the server meanwhile, which other work on the machine changes less. */
  readonly processorSeconds: number;
  readonly report: CycleReport;
}
/** The first cycle after a start, and the part of it that counted the window. */
interface FirstCycle {
  readonly seconds: number;
  readonly windowMs: number;
  /** Executions that were counted or taken out, of all in the window. */
  readonly changed: number;
  readonly executions: number;
}
interface Figures {
  readonly size: number;
  readonly full: Timed;
  readonly incremental: Timed;
  readonly startMb: number;
  readonly peakMb: number;
  readonly withSaved: FirstCycle;
  readonly withoutSaved: FirstCycle;
  /** Bytes of the saved counts, as they are stored. */
  readonly savedBytes: number;
  readonly sql: Grouping;
  readonly duckdb: Grouping | undefined;
}

/** Starts a cycle and polls for its report: an HTTP client would time out. */
async function cycle({ pid }: Running, admin: Guildbook): Promise<Timed> {
  const processorBefore = processorMs(pid);
  const before = (await admin.evolver.reports({ limit: 1 })).items[0]?.id;
  const began = performance.now();
  const request = admin.evolver.run(false).catch((error: unknown) => error);
  for (;;) {
    const answer = await Promise.race([request, new Promise((done) => setTimeout(done, 500, 'later'))]);
    const seconds = (performance.now() - began) / 1_000;
    const last: Cycle | undefined = (await admin.evolver.reports({ limit: 1 })).items[0];
    if (answer instanceof Error && (last === undefined || last.id === before)) throw answer;
    if (last === undefined || last.id === before || last.state === 'running') continue;
    if (last.report === null) throw new Error(`the cycle failed: ${last.error}`);
    return { seconds, processorSeconds: (processorMs(pid) - processorBefore) / 1_000, report: last.report };
  }
}

/** Returns the largest resident set of the process, as Linux reports it. */
function peakMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1_024;
}

async function measure(program: BuiltProgram, url: string, client: pg.Client, size: number, stored: number) {
  await startNewDay(client);
  await storeExecutions(client, { from: stored, to: size, agents, days: DAYS });
  await client.query('VACUUM ANALYZE "execution"');
  await client.query('VACUUM ANALYZE "observation"');
  console.log(`\n${size} executions of ${agents} agents are stored`);
  const sql = await groupInPostgresql(client);
  console.log(
    `one statement on PostgreSQL: ${sql.seconds.toFixed(2)} s (${sql.patterns} patterns, ${sql.templates} error templates)`,
  );
  const duckdb = values.duckdb ? await groupInDuckDb(client) : undefined;
  if (duckdb) console.log(`one statement on DuckDB: ${duckdb.seconds.toFixed(2)} s (${duckdb.patterns} patterns)`);
  const started = await program.serve({ DATABASE_URL: url });
  const cycles = await measureCycles(started, client, size).finally(() => started.stop('SIGTERM'));
  const { rows } = await client.query('SELECT sum(octet_length("body"))::int AS "bytes" FROM "mining_state_part"');
  const savedBytes: number = rows[0]?.bytes ?? 0;
  const withSaved = await firstCycle(program, url);
  await client.query('DELETE FROM "mining_state"');
  const withoutSaved = await firstCycle(program, url);
  for (const [name, { seconds, windowMs, changed, executions }] of Object.entries({ withSaved, withoutSaved }))
    console.log(
      `first cycle after a start, ${name}: ${seconds.toFixed(2)} s, of them ${windowMs} ms for the counts of ${executions} executions (${changed} read)`,
    );
  console.log(`saved counts: ${(savedBytes / 1_048_576).toFixed(2)} MB`);
  return { size, ...cycles, withSaved, withoutSaved, savedBytes, sql, duckdb } satisfies Figures;
}

/** Starts the server again, and reads from its log how long the window took. */
async function firstCycle(program: BuiltProgram, url: string): Promise<FirstCycle> {
  const running = await program.serve({ DATABASE_URL: url, GUILDBOOK_LOG_FORMAT: 'json' });
  try {
    const { seconds } = await cycle(running, await adminOf(running));
    return { seconds, ...windowRead(running.log) };
  } finally {
    await running.stop('SIGTERM');
  }
}

/** The event of the log that says how the window was counted. Throws if the cycle did not log it. */
function windowRead(log: string): Pick<FirstCycle, 'windowMs' | 'changed' | 'executions'> {
  const line = log.split('\n').find((one) => one.includes(WINDOW_EVENT));
  const message = line === undefined ? undefined : JSON.parse(line).message;
  for (const field of ['ms', 'changed', 'executions'])
    if (typeof message?.[field] !== 'number')
      throw new Error(
        line === undefined
          ? `the cycle logged no ${WINDOW_EVENT}, from which this benchmark reads the time of the window`
          : `${WINDOW_EVENT} has no number ${field}: ${line}`,
      );
  return { windowMs: message.ms, changed: message.changed, executions: message.executions };
}

type Running = Awaited<ReturnType<BuiltProgram['serve']>>;

async function measureCycles(running: Running, client: pg.Client, size: number) {
  const admin = await adminOf(running);
  const startMb = peakMegabytes(running.pid);
  const full = await cycle(running, admin);
  if (full.report.executionsRead < size)
    throw new Error(`the full cycle read ${full.report.executionsRead} of ${size} executions`);
  printCycle('full cycle', full);
  await storeExecutions(client, { from: size, to: size + arriving, agents, days: 0 });
  const incremental = await cycle(running, admin);
  printCycle(`cycle after ${arriving} new`, incremental);
  const peakMb = peakMegabytes(running.pid);
  console.log(`peak memory of the server: ${peakMb.toFixed(0)} MB, ${startMb.toFixed(0)} MB at its start`);
  return { full, incremental, startMb, peakMb };
}

let token: string | undefined;
async function adminOf(running: Running): Promise<Guildbook> {
  const { Guildbook: Client } = await import('../src/client/guildbook.js');
  if (token === undefined) token = (await new Client({ server: running.url }).signIn(running.oneTimeToken ?? '')).token;
  return new Client({ server: running.url, token });
}

function printCycle(name: string, { seconds, processorSeconds, report }: Timed): void {
  console.log(
    `${name}: ${seconds.toFixed(2)} s, ${processorSeconds.toFixed(2)} s of a processor; ${report.executionsRead} executions, ${report.patterns} patterns, ` +
      `${report.families} families, ${report.examined} examined, ${Object.values(report.candidates).join('/')} candidates ` +
      `(confirmed/observed/undecided/refuted), ` +
      `${report.emitted} proposals, ${report.alreadyPending} pending refreshed, ${report.heldBack} held back, ${report.unsolved.length} unsolved`,
  );
}

const scratch = await createDatabaseOn(server);
const client = new pg.Client({ connectionString: scratch.url });
const program = await BuiltProgram.prepare();
const figures: Figures[] = [];
try {
  // The server migrates its own database, as in production.
  const first = await program.serve({ DATABASE_URL: scratch.url });
  await adminOf(first);
  await first.stop('SIGTERM');
  await client.connect();
  await storeFleet(client, transcripts(TRANSCRIPTS, categories, seed), agents);
  let stored = 0;
  for (const size of sizes) {
    figures.push(await measure(program, scratch.url, client, size, stored));
    stored = size + arriving;
  }
} finally {
  await client.end();
  await program.remove();
  await scratch.drop();
  rmSync(join(tmpdir(), `guildbook-evolve-${process.pid}.ndjson`), { force: true });
}

const [last, before] = [figures.at(-1), figures.at(-2)];
const lessons = (timed: Timed | undefined): number =>
  timed ? timed.report.emitted + timed.report.alreadyPending + timed.report.heldBack : 0;
console.log(
  JSON.stringify(
    {
      bench: 'evolve',
      incrementalRatio: last && before ? last.incremental.seconds / before.incremental.seconds : null,
      peakMb: last?.peakMb,
      firstCycleRatio: last ? last.withSaved.seconds / last.withoutSaved.seconds : null,
      firstWindowRatio: last ? last.withSaved.windowMs / last.withoutSaved.windowMs : null,
      fullRatio: last ? last.full.seconds / last.sql.seconds : null,
      fullRatioDuckDb: last?.duckdb ? last.full.seconds / last.duckdb.seconds : null,
      lessons: lessons(last?.full),
      arriving,
      agents,
      sizes: figures.map(
        ({ size, full, incremental, startMb, peakMb, withSaved, withoutSaved, savedBytes, sql, duckdb }) => ({
          size,
          withSaved,
          withoutSaved,
          savedBytes,
          fullSeconds: full.seconds,
          fullProcessorSeconds: full.processorSeconds,
          incrementalSeconds: incremental.seconds,
          incrementalProcessorSeconds: incremental.processorSeconds,
          startMb,
          peakMb,
          postgresqlSeconds: sql.seconds,
          duckdbSeconds: duckdb?.seconds ?? null,
          patterns: full.report.patterns,
          patternsBySql: sql.patterns,
          families: full.report.families,
          examined: full.report.examined,
          candidates: full.report.candidates,
          templatesBySql: sql.templates,
          emitted: full.report.emitted,
          pending: full.report.alreadyPending,
        }),
      ),
    },
    (_key, value) => (typeof value === 'number' ? Number(value.toFixed(3)) : value),
  ),
);
