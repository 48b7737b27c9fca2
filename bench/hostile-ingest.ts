/**
 * npm run bench:hostile-ingest [-- --database <url> --at-once 6 --kinds keywords,nested --seconds 60]
 *
 * How long `/healthz` and the recalls of another agent wait under an attack, on the built server: while one token sends
 * reports of 3.7 MB that are made to be costly, six at once, for each kind of hostile text; and while a person without a
 * role asks for one list, export or page on 32 connections, for each of them. A kind of text ends when all its reports
 * are answered and learned from, or after `--seconds`. The last line is JSON, with the figures of the worst kind and, as
 * `idle`, those of the same server without an attack: on a busy machine nothing else tells the two apart.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Guildbook } from '../src/client/guildbook.js';
import { PROJECT_ROOT, SETTINGS } from '../src/platform/config/config.js';
import { benchServerUrl, programPath } from '../src/platform/config/environment.js';
import { createDatabaseOn, type ServerDatabase } from '../test/support/server-database.js';
import { seedConsole } from './console-data.js';
import { HOSTILE_KINDS, type HostileKind, hostileReport } from './hostile-reports.js';
import { fillLists, flood, largestPage, listRoutes } from './list-load.js';
import { MeasuredServer } from './measured-server.js';
import { percentile } from './percentile.js';
import { trafficReport } from './report-traffic.js';

const HELP = `npm run bench:hostile-ingest -- [options]
  --database <url>   also on PostgreSQL: the benchmark creates and drops databases there (default: TEST_DATABASE_URL)
  --at-once <n>      hostile reports at once (default 6)
  --kinds <list>     kinds of hostile text: ${HOSTILE_KINDS.join(', ')}; paths of lists such as
                     /v1/journal/export; or \`lists\` for all lists, exports and pages (default: all)
  --connections <n>  connections on each list (default 32)
  --list-seconds <n> time of each list (default 5)
  --rows <n>         executions of the lists; with PostgreSQL also skills and proposals, a fifth (default 2000)
  --no-embedded      only on PostgreSQL
  --bytes <n>        size of each (default 3700000)
  --seconds <n>      longest time of one kind (default 60)

Smallest run: --kinds keywords,/v1/journal/export --bytes 200000 --at-once 2 --seconds 5 --list-seconds 1 --rows 100`;

const { values } = parseArgs({
  options: {
    database: { type: 'string' },
    'at-once': { type: 'string', default: '6' },
    kinds: { type: 'string', default: [...HOSTILE_KINDS, 'lists'].join(',') },
    connections: { type: 'string', default: '32' },
    'list-seconds': { type: 'string', default: '5' },
    rows: { type: 'string', default: '2000' },
    embedded: { type: 'boolean', default: true },
    bytes: { type: 'string', default: '3700000' },
    seconds: { type: 'string', default: '60' },
    help: { type: 'boolean', default: false },
  },
  allowNegative: true,
});
const wanted = values.kinds.split(',');
const kinds = wanted.filter((kind): kind is HostileKind => HOSTILE_KINDS.some((one) => one === kind));
const lists = listRoutes().filter((path) => wanted.includes('lists') || wanted.includes(path));
const [atOnce = 0, bytes = 0, seconds = 0] = [values['at-once'], values.bytes, values.seconds].map(Number);
const [connections = 0, listSeconds = 0, rows = 0] = [values.connections, values['list-seconds'], values.rows].map(
  Number,
);
const isComplete = atOnce > 0 && bytes > 0 && seconds > 0 && connections > 0 && listSeconds > 0 && rows > 0;
if (values.help || kinds.length + lists.length === 0 || !isComplete) {
  console.log(HELP);
  process.exit(values.help ? 0 : 1);
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly ms: number;
}

function send(agent: Agent, url: string, token?: string, body?: Buffer): Promise<Answer> {
  const began = performance.now();
  return new Promise((done, failed) => {
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(body.length) }),
    };
    const sent = request(url, { method: body === undefined ? 'GET' : 'POST', agent, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => done({ status: answer.statusCode ?? 0, text, ms: performance.now() - began }));
    });
    sent.on('error', failed);
    sent.end(body);
  });
}

const PROBE_MS = 10;
/** Length of the measurement without an attack. */
const IDLE_MS = 10_000;

/**
 * Asks until `stop`, one request at a time. Returns the times in milliseconds, and for each wait those of the requests
 * that would have been asked meanwhile: otherwise one long wait would be one figure among thousands.
 */
function probe(url: string, token?: string, body?: () => Buffer): { stop: () => Promise<number[]> } {
  let isStopped = false;
  const agent = new Agent({ keepAlive: true });
  const run = async (): Promise<number[]> => {
    const times: number[] = [];
    while (!isStopped) {
      const { ms } = await send(agent, url, token, body?.());
      for (let left = ms; left > 0; left -= PROBE_MS) times.push(left);
      await sleep(PROBE_MS);
    }
    agent.destroy();
    return times;
  };
  const running = run();
  return {
    stop: () => {
      isStopped = true;
      return running;
    },
  };
}

const rounded = (milliseconds: number): number => Number(milliseconds.toFixed(1));

async function learned(url: string, token: string, until: number): Promise<void> {
  const client = new Guildbook({ server: url, token });
  while (performance.now() < until) {
    if ((await client.executions.status()).awaitingCapture === 0) return;
    await sleep(100);
  }
}

interface Figures {
  readonly longestHealthMs: number;
  readonly p99HealthMs: number;
  readonly p99RecallMs: number;
}

let reports = 0;
const RECALL = Buffer.from(JSON.stringify({ query: 'the build fails with a missing module' }));

/** How long `/healthz`, the reports and the recalls of an honest agent wait while the work is under way. */
async function during<T>(url: string, token: string, work: () => Promise<T>) {
  const health = probe(`${url}/healthz`);
  const honest = probe(`${url}/v1/executions`, token, () => {
    reports += 1;
    return Buffer.from(JSON.stringify(trafficReport(2, reports)));
  });
  const recall = probe(`${url}/v1/recall`, token, () => RECALL);
  const result = await work();
  const [healthTimes, honestTimes, recallTimes] = await Promise.all([health.stop(), honest.stop(), recall.stop()]);
  const figures: Figures = {
    longestHealthMs: rounded(Math.max(...healthTimes)),
    p99HealthMs: rounded(percentile(healthTimes, 0.99)),
    p99RecallMs: rounded(percentile(recallTimes, 0.99)),
  };
  const medianRecallMs = rounded(percentile(recallTimes, 0.5));
  const honestReportMs = {
    median: rounded(percentile(honestTimes, 0.5)),
    longest: rounded(Math.max(...honestTimes)),
  };
  const load = Number((loadavg()[0] ?? 0).toFixed(1));
  return { result, figures, detail: { ...figures, medianRecallMs, probes: healthTimes.length, honestReportMs, load } };
}

async function measure(url: string, tokens: Record<'admin' | 'hostile' | 'honest', string>, kind: HostileKind) {
  // Composed before the measurement, so that this process is idle during it.
  const bodies = Array.from({ length: atOnce }, (_, n) =>
    Buffer.from(JSON.stringify(hostileReport(kind, `${kind}-${n}-${reports}`, bytes))),
  );
  const { figures, detail, result } = await during(url, tokens.honest, () => attack(url, tokens, bodies));
  console.log(JSON.stringify({ kind, ...detail, ...result }));
  return figures;
}

async function measureList(url: string, tokens: Record<'honest' | 'reader', string>, route: string) {
  const path = await largestPage(url, route, tokens.reader);
  const load = { token: tokens.reader, connections, milliseconds: listSeconds * 1_000 };
  const { figures, detail, result } = await during(url, tokens.honest, () => flood(url, path, load));
  console.log(JSON.stringify({ kind: path, ...detail, answers: result }));
  return figures;
}

async function attack(url: string, tokens: Record<'admin' | 'hostile', string>, bodies: readonly Buffer[]) {
  const deadline = performance.now() + seconds * 1_000;
  const began = performance.now();
  const agent = new Agent({ maxSockets: atOnce });
  const answers = await Promise.all(bodies.map((body) => send(agent, `${url}/v1/executions`, tokens.hostile, body)));
  const answered = performance.now();
  await learned(url, tokens.admin, deadline);
  return {
    statuses: answers.map(({ status }) => status),
    withheld: answers.map(({ text }) => Number(/"withheld":(\d+)/.exec(text)?.[1] ?? 0)),
    answeredMs: Math.round(answered - began),
    learnedMs: Math.round(performance.now() - began),
  };
}

/** The first administrator's token, which is in no output. */
const ADMIN_TOKEN = `gbo_${randomBytes(32).toString('base64url')}`;

async function measureServer(database: ServerDatabase | undefined): Promise<{ idle: Figures; found: Figures[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'guildbook-bench-hostile-'));
  if (database !== undefined && lists.length > 0)
    await seedConsole(database.url, join(folder, 'skills'), Math.ceil(rows / 5), Math.ceil(rows / 5));
  const unset = Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, '']));
  const server = MeasuredServer.start([join(PROJECT_ROOT, 'dist/main.js')], {
    ...unset,
    PATH: programPath(),
    ...(database === undefined ? {} : { DATABASE_URL: database.url }),
    GUILDBOOK_ADMIN_TOKEN: ADMIN_TOKEN,
    GUILDBOOK_PORT: '0',
    GUILDBOOK_DATA_DIR: join(folder, 'database'),
    GUILDBOOK_SKILLS_DIR: join(folder, 'skills'),
    GUILDBOOK_JOURNAL_KEY_FILE: join(folder, 'journal-key.pem'),
  });
  try {
    const url = await server.waitForOutput(/listening on (http:\/\/[^\s"]+)/);
    const { token: admin } = await new Guildbook({ server: url }).signIn(ADMIN_TOKEN);
    const client = new Guildbook({ server: url, token: admin });
    const agent = async (name: string) =>
      (await client.agents.add({ name, owner: name, role: 'bench', department: 'bench' })).token;
    const honest = await agent('honest');
    const person = async (name: string) => {
      const email = `${name}@example.test`;
      const invited = await client.people.add({ name, email, reviewer: false, admin: false });
      return (await new Guildbook({ server: url }).signIn(invited.token)).token;
    };
    if (lists.length > 0) await fillLists(new Guildbook({ server: url, token: await agent('writer') }), rows);
    await learned(url, admin, performance.now() + seconds * 1_000);
    console.log(`${database === undefined ? 'embedded database' : 'PostgreSQL'}, ${availableParallelism()} cores`);
    // Without an attack: what the machine itself makes a request wait.
    const { figures: idle, detail } = await during(url, honest, () => sleep(Math.min(seconds * 1_000, IDLE_MS)));
    console.log(JSON.stringify({ kind: 'none', ...detail }));
    const found: Figures[] = [];
    // Each kind has its own token, so that the limits of the previous one do not hide it.
    for (const kind of kinds) {
      found.push(await measure(url, { admin, honest, hostile: await agent(`hostile-${kind}`) }, kind));
      await learned(url, admin, performance.now() + seconds * 1_000);
    }
    for (const [at, route] of lists.entries())
      found.push(await measureList(url, { honest, reader: await person(`reader-${at}`) }, route));
    return { idle, found };
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const measured = values.embedded ? [await measureServer(undefined)] : [];
const address = values.database ?? benchServerUrl();
if (address !== undefined) {
  const scratch = await createDatabaseOn(address);
  try {
    measured.push(await measureServer(scratch));
  } finally {
    await scratch.drop();
  }
}
const worst = (figures: readonly Figures[]): Figures => ({
  longestHealthMs: Math.max(...figures.map(({ longestHealthMs }) => longestHealthMs)),
  p99HealthMs: Math.max(...figures.map(({ p99HealthMs }) => p99HealthMs)),
  p99RecallMs: Math.max(...figures.map(({ p99RecallMs }) => p99RecallMs)),
});
const idle = worst(measured.map((one) => one.idle));
console.log(JSON.stringify({ ...worst(measured.flatMap(({ found }) => found)), idle }));
