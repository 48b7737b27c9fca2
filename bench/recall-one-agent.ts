/**
 * npm run bench:recall-peers -- [--sizes 1000,10000,100000] [--queries 300] [--seed 1] [--database-url URL]
 *
 * Measures recall through the HTTP API of the built server with growing numbers of memories of one agent, compared with
 * Orama and MiniSearch in process on the same texts, and with --peers compared with mem0, the MCP server-memory and
 * LangGraph's store. Also compares MMR with the textbook loop. The last line is JSON.
 */
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Guildbook } from '../src/client/guildbook.js';
import { Database } from '../src/platform/database/database.js';
import { bigramsOf, diversify, jaccard } from '../src/recall/ranking/diversity.js';
import { BuiltProgram } from '../test/support/cli.js';
import { installPeers, type Open } from './installed-peers.js';
import { PlainClient } from './plain-client.js';
import { measureFinding, measurePeer, PEERS, type PeerFigures } from './recall-peers.js';
import { type BenchMemory, BenchTexts, percentile } from './recall-texts.js';
import { residentMegabytes } from './resident-memory.js';

const HELP = `npm run bench:recall-peers -- [--sizes 1000,10000,100000] [--queries 300] [--seed 1] [--database-url URL]

  --peers FOLDER       installs mem0, server-memory and LangGraph's store there, and measures them up to --peers-to
  --peers-to 10000     memories; they take minutes beyond that
  --database-url URL   an empty PostgreSQL database; without it, the embedded one`;
const MIGRATIONS = new URL('../prisma/migrations', import.meta.url).pathname;
const BATCH = 5_000;
const ADDS = 200;
const POOL = 200;
/** Number of queries for peers that take about a second for each. */
const SLOW_QUERIES = 30;
/** A new server still compiles while it answers. These warm-up queries are not measured. */
const WARM_UP = 1_000;

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000' },
    queries: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    peers: { type: 'string', default: '' },
    'peers-to': { type: 'string', default: '10000' },
    'database-url': { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const sizes = values.sizes.split(',').map(Number);
const queryCount = Number(values.queries);
if (!sizes.every((size, at) => size >= 100 && size > (sizes[at - 1] ?? 0)) || !(queryCount >= 10))
  throw new Error(`--sizes: must be ascending and at least 100; --queries: must be at least 10\n${HELP}`);

interface ServerFigures {
  readonly size: number;
  readonly startSeconds: number;
  /** Through the client, and therefore through `fetch`. */
  readonly p50: number;
  readonly p99: number;
  /** Through a bare connection: the time of the server alone. */
  readonly plainP50: number;
  /** An empty route through the client: the minimum of `fetch` and the web server. */
  readonly idleP50: number;
  /** CPU time of the server for one recall, including the work after the response. */
  readonly cpuMs: number;
  readonly addsPerSecond: number;
  readonly parallelKept: number;
  readonly megabytes: number;
}

const settings = {
  DATABASE_URL: values['database-url'],
  GUILDBOOK_RATE_LIMIT_PRINCIPAL: '10000000',
  GUILDBOOK_MEMORY_CAPACITY: '10000', // What the adder adds must not end what it added.
};

/** Writes the memories to the database while the server is down. Storing them one by one is not measured. */
async function store(program: BuiltProgram, agentId: string, memories: readonly BenchMemory[]): Promise<void> {
  const database = await Database.open({
    ...(values['database-url'] === '' ? { dataDir: program.dataDir } : { url: values['database-url'] }),
    migrationsDir: MIGRATIONS,
  });
  for (let at = 0; at < memories.length; at += BATCH)
    await database.client.$executeRaw`
      INSERT INTO "memory" ("id", "scope", "category", "agent_id", "discovery", "condition", "action", "rationale",
          "steps", "confidence", "tags", "control_tags", "provenance", "proposer", "awaiting_proposer", "content_sha256",
          "created_at")
        SELECT r."id", 'agent', 'PROCEDURAL', ${agentId}::uuid, r."discovery", r."condition", r."action", r."rationale",
          '["Do it."]', 0.7, '{}', '{non-inferable}', 'unverified', 'bench', false, r."id"::text, now()
        FROM jsonb_to_recordset(${JSON.stringify(memories.slice(at, at + BATCH))}::jsonb)
          AS r("id" uuid, "discovery" text, "condition" text, "action" text, "rationale" text)`;
  // Autovacuum would have done this long before. The embedded database does it at startup.
  if (values['database-url'] !== '') await database.client.$executeRaw`ANALYZE`;
  await database.close();
}

async function measureServer(
  memories: readonly BenchMemory[],
  warmUp: readonly string[],
  queries: readonly string[],
): Promise<ServerFigures[]> {
  const program = await BuiltProgram.prepare();
  const figures: ServerFigures[] = [];
  try {
    const first = await program.serve(settings);
    const admin = new Guildbook({ server: first.url });
    const { token: adminToken } = await admin.signIn(first.oneTimeToken ?? '');
    const signedIn = new Guildbook({ server: first.url, token: adminToken });
    const { principal, token } = await signedIn.agents.add({ name: 'bench' });
    const { token: adderToken } = await signedIn.agents.add({ name: 'adder' });
    await first.stop('SIGTERM');
    let stored = 0;
    for (const size of sizes) {
      await store(program, principal.id, memories.slice(stored, size));
      stored = size;
      const began = performance.now();
      const server = await program.serve(settings);
      const startSeconds = (performance.now() - began) / 1_000;
      const agent = new Guildbook({ server: server.url, token });
      const adder = new Guildbook({ server: server.url, token: adderToken });
      const ask = (query: string) => agent.recall({ query, limit: 5 });
      const plain = new PlainClient(server.url, token);
      const askPlainly = (query: string) => plain.post('/v1/recall', { query, limit: 5 });
      for (const query of warmUp) await ask(query);
      const cpuBefore = cpuMilliseconds(server.pid);
      const times = await timed(queries, ask);
      const cpuMs = (cpuMilliseconds(server.pid) - cpuBefore) / queries.length;
      const plainTimes = await timed(queries, askPlainly);
      const idleTimes = await timed(queries, () => agent.health());
      plain.close();
      const adding = performance.now();
      await each(ADDS, 10, (n) => adder.remember({ lesson: `Added ${size} ${n}`, tags: ['non-inferable'] }));
      const addsPerSecond = ADDS / ((performance.now() - adding) / 1_000);
      const kept = await each(20, 20, (n) =>
        adder.remember({ lesson: `zeppelin${size} number ${n}`, tags: ['non-inferable'] }),
      );
      const found = await adder.recall({ query: `zeppelin${size}`, limit: 20, tokenBudget: 32_000, diversify: false });
      const ids = new Set(found.memories.map(({ id }) => id));
      const figure = {
        size,
        startSeconds,
        p50: percentile(times, 0.5),
        p99: percentile(times, 0.99),
        plainP50: percentile(plainTimes, 0.5),
        idleP50: percentile(idleTimes, 0.5),
        cpuMs,
        addsPerSecond,
        parallelKept: kept.filter(({ id }) => ids.has(id)).length,
        megabytes: residentMegabytes(server.pid),
      };
      figures.push(figure);
      console.log(
        `${String(size).padStart(7)} memories over HTTP: p50 ${figure.p50.toFixed(2)} ms, p99 ${figure.p99.toFixed(2)} ms ` +
          `(p50 ${figure.plainP50.toFixed(2)} ms without fetch; a route that does nothing: ${figure.idleP50.toFixed(2)} ms), ` +
          `${cpuMs.toFixed(1)} ms of CPU, ${addsPerSecond.toFixed(0)} adds/s, ${figure.parallelKept} of 20 parallel writes kept, ` +
          `${figure.megabytes.toFixed(0)} MB, start ${startSeconds.toFixed(1)} s`,
      );
      await server.stop('SIGTERM');
    }
  } finally {
    await program.remove();
  }
  return figures;
}

/** User and system time of a process in milliseconds; NaN except on Linux, which counts in hundredths of a second. */
function cpuMilliseconds(pid: number): number {
  if (!existsSync(`/proc/${pid}/stat`)) return Number.NaN;
  // The process name before the last bracket may contain any character.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function timed(queries: readonly string[], ask: (query: string) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (const query of queries) {
    const start = performance.now();
    await ask(query);
    times.push(performance.now() - start);
  }
  return times;
}

/** Makes `count` calls, `atOnce` of them in parallel. */
async function each<T>(count: number, atOnce: number, work: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let at = 0; at < count; at += atOnce)
    results.push(...(await Promise.all(Array.from({ length: Math.min(atOnce, count - at) }, (_, n) => work(at + n)))));
  return results;
}

/** The textbook loop: compares each candidate with everything taken, again in each round. */
function textbookMmr(items: readonly { text: string; score: number }[]): { text: string }[] {
  const left = [...items];
  const taken: { text: string }[] = [];
  while (left.length > 0) {
    const values_ = left.map(
      ({ text, score }) =>
        0.7 * score -
        0.3 * taken.reduce((most, other) => Math.max(most, jaccard(bigramsOf(other.text), bigramsOf(text))), 0),
    );
    taken.push(...left.splice(values_.indexOf(Math.max(...values_)), 1));
  }
  return taken;
}

async function measureInstalled(open: Open, size: number): Promise<PeerFigures & { readonly kept: number }> {
  const began = performance.now();
  const peer = await open(memories.slice(0, size));
  try {
    const buildSeconds = (performance.now() - began) / 1_000;
    const figures = await measureFinding(peer.find, queries.slice(0, SLOW_QUERIES));
    return { ...figures, buildSeconds, kept: await peer.countKept() };
  } finally {
    await peer.close();
  }
}

function measureMmr(memories: readonly BenchMemory[]): { ratio: number; same: boolean } {
  const items = memories
    .slice(0, POOL)
    .map((memory, n) => ({ text: `${memory.discovery} ${memory.action}`, score: 1 - n / POOL }));
  for (let n = 0; n < 20; n++) diversify(items, POOL);
  const quick = percentile(
    Array.from({ length: 20 }, () => milliseconds(() => diversify(items, POOL))),
    0.5,
  );
  let slowOrder: { text: string }[] = [];
  const slow = milliseconds(() => {
    slowOrder = textbookMmr(items);
  });
  const same = diversify(items, POOL).every(({ text }, at) => text === slowOrder[at]?.text);
  console.log(
    `MMR at pool ${POOL}: ${quick.toFixed(2)} ms, textbook ${slow.toFixed(0)} ms, ${same ? 'same' : 'ANOTHER'} order`,
  );
  return { ratio: slow / quick, same };
}

function milliseconds(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

const texts = new BenchTexts(Number(values.seed));
const largest = sizes.at(-1) ?? 0;
const memories = Array.from({ length: largest }, (_, n) => texts.memory(n + 1));
const all = Array.from({ length: WARM_UP + queryCount }, (_, n) =>
  texts.query(memories[(n * 7919) % (sizes[0] ?? 1)] ?? texts.memory(0)),
);
const [warmUp, queries] = [all.slice(0, WARM_UP), all.slice(WARM_UP)];

const served = await measureServer(memories, warmUp, queries);
const peers: Record<string, Record<string, PeerFigures>> = {};
for (const size of sizes)
  for (const peer of PEERS) {
    const some = size > 10_000 && peer.name !== 'guildbook' ? queries.slice(0, SLOW_QUERIES) : queries;
    const figures = await measurePeer(peer, memories.slice(0, size), some);
    peers[size] = { ...peers[size], [peer.name]: figures };
    console.log(
      `${String(size).padStart(7)} in process, ${peer.name.padEnd(10)} p50 ${figures.p50.toFixed(3)} ms, p99 ${figures.p99.toFixed(3)} ms, built in ${figures.buildSeconds.toFixed(1)} s`,
    );
  }
if (values.peers !== '') {
  const installed = installPeers(values.peers);
  for (const size of sizes.filter((one) => one <= Number(values['peers-to'])))
    for (const [name, open] of Object.entries(installed)) {
      const figures = await measureInstalled(open, size).catch((error: unknown) => String(error).slice(0, 300));
      // A peer that does not run on this machine does not stop the others.
      if (typeof figures === 'string')
        console.log(`${String(size).padStart(7)} ${name.padEnd(13)} NOT MEASURED: ${figures}`);
      else {
        peers[size] = { ...peers[size], [name]: figures };
        console.log(
          `${String(size).padStart(7)} ${name.padEnd(13)} p50 ${figures.p50.toFixed(2)} ms, p99 ${figures.p99.toFixed(2)} ms, built in ${figures.buildSeconds.toFixed(1)} s, ${figures.kept} of 20 parallel writes kept`,
        );
      }
    }
}
const mmr = measureMmr(memories);
const at = (size: number) => served.find((figure) => figure.size === size)?.p50 ?? null;
const last = peers[largest] ?? {};
const fastestPeer = Math.min(...PEERS.slice(1).map(({ name }) => last[name]?.p50 ?? Number.NaN));
console.log(
  JSON.stringify({
    bench: 'recall-peers',
    p50At10k: at(10_000),
    p50At100k: at(100_000),
    inProcessRatio: fastestPeer / (last['guildbook']?.p50 ?? Number.NaN),
    mmrRatio: mmr.ratio,
    mmrSameOrder: mmr.same,
    served,
    inProcess: peers,
  }),
);
