/**
 * npm run bench:recall -- [--sizes 1000,10000,100000,1000000] [--recalls 600] [--database URL]
 *
 * Measures recall through the HTTP API of the built server with a growing organisation on PostgreSQL: `size` memories of
 * size / 100 agents, generated in SQL. The last line is JSON.
 */
import { parseArgs } from 'node:util';
import { Guildbook } from '../src/client/guildbook.js';
import { benchServerUrl } from '../src/platform/config/environment.js';
import { BuiltProgram } from '../test/support/cli.js';
import { createDatabaseOn } from '../test/support/server-database.js';
import { percentile } from './percentile.js';
import { type FleetAgent, FleetDatabase } from './recall-fleet.js';
import { residentMegabytes } from './resident-memory.js';

const HELP = `npm run bench:recall -- [--sizes 1000,10000,100000,1000000] [--recalls 600] [--database URL]

  --sizes 10000000     takes about 20 GB and an hour of SQL
  --database URL       a PostgreSQL server (also TEST_DATABASE_URL); the benchmark creates a database and drops it

Smallest run: --sizes 1000 --recalls 100`;
/** Agents that recall, among all. A tenth of the measured recalls or more are the first of their agent. */
const ASKING = 60;
/** Agents that recall once, so that the process holds as many indexes as it ever does. */
const FILLING = 2_000;
/** A new server still compiles while it answers. These recalls of one agent, and of so many that recall once, are not measured. */
const WARM_UP = 300;
const WARM_UP_AGENTS = 200;
/** Memories that are added, and as many before by other agents, which are not measured. */
const ADDS = 8_000;
const ADDS_PER_REQUEST = 500;
const ADDERS = 4;

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000,1000000' },
    recalls: { type: 'string', default: '600' },
    database: { type: 'string', default: benchServerUrl() ?? '' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const sizes = values.sizes.split(',').map(Number);
const recalls = Number(values.recalls);
if (!sizes.every((size, at) => size >= 1_000 && size > (sizes[at - 1] ?? 0)) || !(recalls >= 100))
  throw new Error(`--sizes: must be ascending and at least 1000; --recalls: must be at least 100\n${HELP}`);
if (values.database === '') throw new Error(`a PostgreSQL server is needed\n${HELP}`);

interface Figures {
  readonly size: number;
  readonly startS: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The first recall of an agent in the process, which reads its memories. */
  readonly firstP50Ms: number;
  readonly idleP50Ms: number;
  readonly p50Ratio: number;
  readonly rssMb: number;
  readonly addsPerSecond: number;
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Recalls of random agents, each beside a request that does nothing, so that both meet the same load. */
async function measureRecalls(url: string, agents: readonly FleetAgent[]) {
  const clients = agents.map(({ token }) => new Guildbook({ server: url, token }));
  const [all, first, idle]: [number[], number[], number[]] = [[], [], []];
  const asked = new Set<number>();
  for (let n = 0; n < recalls; n++) {
    // Steps through all agents in an order without a period below their number.
    const at = (n * n + n * 7) % agents.length;
    const [agent, client] = [agents[at], clients[at]];
    if (!agent || !client) continue;
    const query = agent.queries[n % agent.queries.length] ?? '';
    const took = await milliseconds(() => client.recall({ query, limit: 5 }));
    all.push(took);
    if (!asked.has(at)) first.push(took);
    asked.add(at);
    idle.push(await milliseconds(() => client.health()));
  }
  return { all, first, idle };
}

async function recallOnce(url: string, agents: readonly FleetAgent[]): Promise<void> {
  for (const { token, queries } of agents)
    await new Guildbook({ server: url, token }).recall({ query: queries[0] ?? '', limit: 5 });
}

async function addsPerSecondOf(url: string, agents: readonly FleetAgent[], label: string): Promise<number> {
  const requests = ADDS / ADDS_PER_REQUEST;
  const send = async (agent: FleetAgent, worker: number): Promise<void> => {
    const client = new Guildbook({ server: url, token: agent.token });
    for (let request = worker; request < requests; request += agents.length) {
      const memories = Array.from({ length: ADDS_PER_REQUEST }, (_, n) => ({
        lesson: `Added to ${label} in request ${request} as number ${n}: ${agent.queries[n % agent.queries.length]}`,
        tags: ['non-inferable'],
      }));
      const receipt = await client.rememberAll(memories);
      if (receipt.new !== ADDS_PER_REQUEST) throw new Error(`only ${receipt.new} memories of a batch were stored`);
    }
  };
  const took = await milliseconds(() => Promise.all(agents.map(send)));
  return (ADDS / took) * 1_000;
}

const round = (value: number): number => Math.round(value * 100) / 100;

async function measure(program: BuiltProgram, fleet: FleetDatabase, size: number, settings: Record<string, string>) {
  const generated = await milliseconds(() => fleet.growTo(size));
  const agents = await fleet.agents(size / 100, ASKING + FILLING + WARM_UP_AGENTS + 2 * ADDERS);
  const asking = agents.slice(0, Math.min(ASKING, agents.length - 1));
  const began = performance.now();
  const server = await program.serve(settings);
  const startS = (performance.now() - began) / 1_000;
  try {
    const warm = agents.at(-1);
    const client = new Guildbook({ server: server.url, token: warm?.token ?? '' });
    for (let n = 0; n < WARM_UP; n++) await client.recall({ query: warm?.queries[n % 4] ?? '', limit: 5 });
    await recallOnce(server.url, agents.slice(ASKING + FILLING, ASKING + FILLING + WARM_UP_AGENTS));
    const { all, first, idle } = await measureRecalls(server.url, asking);
    await recallOnce(server.url, agents.slice(ASKING, ASKING + FILLING));
    const adders = agents.slice(-2 * ADDERS);
    await addsPerSecondOf(server.url, adders.slice(0, ADDERS), `${size} before`);
    const addsPerSecond = await addsPerSecondOf(server.url, adders.slice(ADDERS), `${size}`);
    const [p50, idleP50] = [percentile(all, 0.5), percentile(idle, 0.5)];
    const figures: Figures = {
      size,
      startS: round(startS),
      p50Ms: round(p50),
      p99Ms: round(percentile(all, 0.99)),
      firstP50Ms: round(percentile(first, 0.5)),
      idleP50Ms: round(idleP50),
      p50Ratio: round(p50 / idleP50),
      rssMb: Math.round(residentMegabytes(server.pid)),
      addsPerSecond: Math.round(addsPerSecond),
    };
    console.log(
      `${String(size).padStart(8)} memories of ${size / 100} agents: p50 ${figures.p50Ms} ms, p99 ${figures.p99Ms} ms; ` +
        `first recall of an agent ${figures.firstP50Ms} ms; idle route ${figures.idleP50Ms} ms; ${figures.rssMb} MB; ` +
        `start ${figures.startS} s; ${figures.addsPerSecond} adds/s (generated in ${round(generated / 1_000)} s)`,
    );
    return figures;
  } finally {
    await server.stop('SIGTERM');
  }
}

const database = await createDatabaseOn(values.database);
const program = await BuiltProgram.prepare({ isFirstStart: true });
const results: Figures[] = [];
try {
  const settings = {
    DATABASE_URL: database.url,
    GUILDBOOK_RATE_LIMIT_PRINCIPAL: '10000000',
    GUILDBOOK_MEMORY_CAPACITY: '10000', // What is added must not end what is there.
  };
  // Applies the migrations.
  await (await program.serve(settings)).stop('SIGTERM');
  const fleet = await FleetDatabase.open(database.url);
  try {
    for (const size of sizes) results.push(await measure(program, fleet, size, settings));
  } finally {
    await fleet.close();
  }
} finally {
  await program.remove();
  await database.drop();
}
const million = results.find(({ size }) => size === 1_000_000);
console.log(
  JSON.stringify({
    bench: 'recall',
    p50Ratio1M: million?.p50Ratio ?? null,
    p99Ms1M: million?.p99Ms ?? null,
    rssMb1M: million?.rssMb ?? null,
    startS1M: million?.startS ?? null,
    addsPerSecond: (million ?? results.at(-1))?.addsPerSecond ?? null,
    sizes: results,
  }),
);
