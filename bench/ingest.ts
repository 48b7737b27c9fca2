/**
 * npm run bench:ingest [-- --database <url> --rounds 5 --reports 1000 --at-once 32 --batch 100 --memory 20000 --singles]
 *
 * Reports per second over HTTP on PostgreSQL: 5 KB each, answered after the commit, with redaction, credential and
 * journal, on the built server; compared in the same round with a bare Fastify handler with one INSERT, and with one that
 * also validates and redacts as the server does and stores the same row. Then in batches, and then with so many reports that a growing heap would show. Capture gives way to incoming reports, so each round
 * also prints the rate until capture is done. The last line is JSON.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { Guildbook } from '../src/client/guildbook.js';
import { PROJECT_ROOT, SETTINGS } from '../src/platform/config/config.js';
import { benchServerUrl, programPath } from '../src/platform/config/environment.js';
import { createDatabaseOn } from '../test/support/server-database.js';
import { MeasuredServer } from './measured-server.js';
import { processorMs } from './processor-time.js';
import { trafficReport } from './report-traffic.js';

const HELP = `npm run bench:ingest -- [options]
  --database <url>   a PostgreSQL server; the benchmark creates and drops a database on it (default: TEST_DATABASE_URL)
  --rounds <n>       number of measured rounds (default 5)
  --reports <n>      reports per round (default 1000)
  --at-once <n>      concurrent requests (default 32)
  --batch <n>        reports per batch; one batch at a time, then four at once (default 100)
  --singles          only single reports, many at once, and no memory run
  --memory <n>       reports of the memory run; 0 skips it (default 20000)

Smallest run: --rounds 1 --reports 20 --batch 10 --memory 20`;

const { values } = parseArgs({
  options: {
    database: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    reports: { type: 'string', default: '1000' },
    'at-once': { type: 'string', default: '32' },
    batch: { type: 'string', default: '100' },
    memory: { type: 'string', default: '20000' },
    singles: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const server = values.database ?? benchServerUrl();
const numbers = [values.rounds, values.reports, values['at-once'], values.batch, values.memory].map(Number);
const [rounds = 0, each = 0, atOnce = 0, batch = 0, memory = 0] = numbers;
if (values.help || server === undefined || !(rounds && each && atOnce && batch) || Number.isNaN(memory)) {
  console.log(HELP);
  process.exit(values.help ? 0 : 1);
}

/** Throws for every status except the expected one. */
function post(
  agent: Agent,
  url: string,
  body: string,
  headers: Record<string, string>,
  expected: number,
): Promise<void> {
  return new Promise((done, failed) => {
    const sent = request(
      url,
      {
        method: 'POST',
        agent,
        headers: { 'content-length': String(Buffer.byteLength(body)), ...headers },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        answer.on('end', () =>
          answer.statusCode === expected ? done() : failed(new Error(`${answer.statusCode}: ${text.slice(0, 500)}`)),
        );
      },
    );
    sent.on('error', failed);
    sent.end(body);
  });
}

type Sender = (agent: Agent, body: string) => Promise<void>;

/** Requests per second, with up to `limit` concurrent requests. */
async function rate(bodies: readonly string[], limit: number, one: Sender): Promise<number> {
  // New connections, because the server closes idle ones between two measurements.
  const agent = new Agent({ keepAlive: true, maxSockets: limit });
  let next = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: limit }, async () => {
      for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) await one(agent, body);
    }),
  );
  agent.destroy();
  return (1_000 * bodies.length) / (performance.now() - began);
}

const ADMIN_TOKEN = `gbo_${randomBytes(32).toString('base64url')}`;

const BATCHES_AT_ONCE = 4;

let reportCount = 0;
function reports(count: number): string[] {
  reportCount += count;
  return Array.from({ length: count }, (_, n) => JSON.stringify(trafficReport(1, reportCount - count + n)));
}

function median(of: readonly number[]): number {
  const sorted = [...of].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

const scratch = await createDatabaseOn(server);
const pool = new pg.Pool({ connectionString: scratch.url, max: 1 });
// Dropping the database can meet a connection that is still closing.
pool.on('error', () => undefined);
const folder = mkdtempSync(join(tmpdir(), 'guildbook-bench-ingest-'));
const environment = { PATH: programPath() };
const unset = Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, '']));
const guildbook = MeasuredServer.start(
  ['--expose-gc', '--import', join(PROJECT_ROOT, 'bench/heap-on-signal.mjs'), join(PROJECT_ROOT, 'dist/main.js')],
  {
    ...environment,
    ...unset,
    DATABASE_URL: scratch.url,
    GUILDBOOK_PORT: '0',
    GUILDBOOK_DATA_DIR: join(folder, 'database'),
    GUILDBOOK_SKILLS_DIR: join(folder, 'skills'),
    GUILDBOOK_JOURNAL_KEY_FILE: join(folder, 'journal-key.pem'),
    GUILDBOOK_RATE_LIMIT_PRINCIPAL: '10000000',
    GUILDBOOK_ADMIN_TOKEN: ADMIN_TOKEN,
  },
);
const bare = MeasuredServer.start(
  ['--import', 'tsx', join(PROJECT_ROOT, 'bench/bare-ingest.ts'), scratch.url],
  environment,
);

/** A new agent's token. */
async function agentToken(url: string): Promise<string> {
  const { token } = await new Guildbook({ server: url }).signIn(ADMIN_TOKEN);
  const agent = { name: 'bench', owner: 'bench', role: 'bench', department: 'bench' };
  return (await new Guildbook({ server: url, token }).agents.add(agent)).token;
}

/** Waits until capture and proposer are idle, so that pending work is not counted as heap. Returns milliseconds. */
async function waitUntilIdle(): Promise<number> {
  for (const began = performance.now(); ; ) {
    const { rows } = await pool.query(`SELECT EXISTS (SELECT FROM execution WHERE capture_state = 'pending')
      OR EXISTS (SELECT FROM analysis_payload WHERE state = 'pending') AS "busy"`);
    if (rows[0]?.busy === false) return performance.now() - began;
    await sleep(20);
  }
}

const setting = async (name: string): Promise<string> =>
  (await pool.query('SELECT current_setting($1) AS "setting"', [name])).rows[0]?.setting ?? '';

try {
  const url = await guildbook.waitForOutput(/listening on (http:\/\/[^\s"]+)/);
  const bareUrl = await bare.waitForOutput(/listening on (http:\/\/\S+)/);
  // The server has migrated: the redacting handler stores the server's own row.
  await pool.query(`CREATE TABLE bare_execution (
    id uuid PRIMARY KEY, execution_id text NOT NULL UNIQUE, received_at timestamptz NOT NULL, report jsonb NOT NULL)`);
  await pool.query('CREATE TABLE bare_report (LIKE execution INCLUDING ALL)');
  const token = await agentToken(url);
  const json = { 'content-type': 'application/json' };
  const own = { authorization: `Bearer ${token}` };
  const oneBare: Sender = (agent, body) => post(agent, `${bareUrl}/v1/executions`, body, json, 202);
  const oneRedacted: Sender = (agent, body) => post(agent, `${bareUrl}/v1/executions/redacted`, body, json, 202);
  const one: Sender = (agent, body) => post(agent, `${url}/v1/executions`, body, { ...json, ...own }, 202);
  const lines = { 'content-type': 'application/x-ndjson', ...own };
  const many: Sender = (agent, body) => post(agent, `${url}/v1/executions/batch`, body, lines, 200);
  const batches = (of: readonly string[]): string[] =>
    Array.from({ length: Math.ceil(of.length / batch) }, (_, n) => of.slice(n * batch, (n + 1) * batch).join('\n'));

  const figures = {
    bare: [],
    redacted: [],
    single: [],
    learned: [],
    oneByOne: [],
    batch: [],
    batchesAtOnce: [],
  } as Record<string, number[]>;
  const processor = { redacting: [] as number[], taking: [] as number[], learning: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const bareRate = await rate(reports(each), atOnce, oneBare);
    const beforeBare = processorMs(bare.pid);
    const redacted = await rate(reports(each), atOnce, oneRedacted);
    if (round > 0) processor.redacting.push((processorMs(bare.pid) - beforeBare) / each);
    const before = processorMs(guildbook.pid);
    const single = await rate(reports(each), atOnce, one);
    const taken = processorMs(guildbook.pid);
    const learned = (1_000 * each) / ((1_000 * each) / single + (await waitUntilIdle()));
    if (round > 0) processor.taking.push((taken - before) / each);
    if (round > 0) processor.learning.push((processorMs(guildbook.pid) - taken) / each);
    const measured = { bare: bareRate, redacted, single, learned, ...(values.singles ? {} : await others()) };
    const words = Object.entries(measured).map(([name, perSecond]) => `${name} ${perSecond.toFixed(0)}/s`);
    console.log(`${round === 0 ? 'warm-up' : `round ${round}`}: ${words.join(', ')}`);
    await waitUntilIdle();
    if (round > 0) for (const [name, perSecond] of Object.entries(measured)) figures[name]?.push(perSecond);
  }

  /** Single reports of one client, and batches. */
  async function others() {
    const oneByOne = await rate(reports(Math.ceil(each / 4)), 1, one);
    await waitUntilIdle();
    const inBatches = batch * (await rate(batches(reports(each)), 1, many));
    await waitUntilIdle();
    return {
      oneByOne,
      batch: inBatches,
      batchesAtOnce: batch * (await rate(batches(reports(each)), BATCHES_AT_ONCE, many)),
    };
  }

  const heaps: number[] = [];
  const step = Math.ceil(memory / 5);
  for (let sent = 0; !values.singles && memory > 0 && sent <= memory; sent += step) {
    await waitUntilIdle();
    heaps.push((await guildbook.heapBytes()) / 2 ** 20);
    console.log(`heap after ${reportCount} reports: ${heaps.at(-1)?.toFixed(1)} MiB`);
    if (sent < memory) await rate(batches(reports(step)), 1, many);
  }
  const { rows } = await pool.query('SELECT count(*)::int AS "stored" FROM execution');
  const middle = Object.fromEntries(Object.entries(figures).map(([name, rates]) => [name, median(rates)]));
  const result = {
    ratio: Number(middle['single']) / Number(middle['bare']),
    // Beside the handler that validates and redacts, too.
    redactedRatio: Number(middle['single']) / Number(middle['redacted']),
    // One client with one request at a time: single reports compared with batches.
    batchRatio: Number(middle['batch']) / Number(middle['oneByOne']),
    // Maximum throughput: single reports of many clients compared with four batches at once.
    batchToSinglesAtOnce: Number(middle['batchesAtOnce']) / Number(middle['single']),
    perSecond: middle,
    processorMsRedactedBare: median(processor.redacting),
    processorMsPerReport: median(processor.taking),
    processorMsLearning: median(processor.learning),
    heapMiB: heaps,
    stored: rows[0]?.stored,
    fsync: await setting('fsync'),
    synchronousCommit: await setting('synchronous_commit'),
  };
  console.log(JSON.stringify(result, (_key, value) => (typeof value === 'number' ? Number(value.toFixed(3)) : value)));
} finally {
  await guildbook.stop();
  await bare.stop();
  await pool.end();
  await scratch.drop();
  rmSync(folder, { recursive: true, force: true });
}
