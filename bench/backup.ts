/**
 * npm run bench:backup -- [--executions 100000] [--database <url>]
 *
 * Seconds and peak memory of `guildbook backup` and `guildbook restore`, as the built program: from PostgreSQL into the
 * embedded database, and from there into another PostgreSQL. The executions are generated, with their observations and
 * an entry of the journal each. Fails if the backups differ. The last line is JSON.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { z } from 'zod';
import { PROJECT_ROOT } from '../src/platform/config/config.js';
import { benchServerUrl, programPath } from '../src/platform/config/environment.js';
import { createDatabaseOn } from '../test/support/server-database.js';
import { transcripts } from './evolve-fleet.js';
import { dropFleet, storeExecutions, storeFleet } from './evolve-store.js';
import { journalExecutions } from './journalled-executions.js';
import { type MeasuredCommand, measureCommand } from './measured-command.js';
import { MeasuredServer } from './measured-server.js';

const HELP = `npm run bench:backup -- [options]
  --executions <n>   stored executions (default 100000)
  --agents <n>       registered agents (default 1000)
  --seed <n>         seed of the fleet (default 1)
  --database <url>   a PostgreSQL server, on which temporary databases are created (default: TEST_DATABASE_URL)`;
const PROGRAM = join(PROJECT_ROOT, 'dist', 'cli', 'main.js');
/** As in bench/evolve.ts. */
const TRANSCRIPTS = 5_000;
const CATEGORIES = 200;
const DAYS = 20;

const Result = z.object({ rows: z.record(z.string(), z.number()), journal: z.object({ hash: z.string() }) });

const { values } = parseArgs({
  options: {
    executions: { type: 'string', default: '100000' },
    agents: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    database: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const address = values.database ?? benchServerUrl();
const [executions, agents, seed] = [Number(values.executions), Number(values.agents), Number(values.seed)];
if (address === undefined || !(executions >= 100) || !(agents >= 10)) {
  console.error(HELP);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'guildbook-bench-'));
const runs: (MeasuredCommand & { readonly command: string; readonly database: string })[] = [];
let expected: z.infer<typeof Result> | undefined;

/** The variables of one machine: its folders, and its database. */
const machine = (name: string, databaseUrl = '') => ({
  HOME: join(folder, name),
  PATH: programPath(),
  DATABASE_URL: databaseUrl,
  GUILDBOOK_DATA_DIR: join(folder, name, 'database'),
  GUILDBOOK_SKILLS_DIR: join(folder, name, 'skills'),
});

/** Migrates the database and fills it. The server also makes the skills repository and the key. */
async function fill(url: string): Promise<void> {
  const server = MeasuredServer.start([PROGRAM, 'serve'], { ...machine('filled', url), GUILDBOOK_PORT: '0' });
  await server.waitForOutput(/is listening on (\S+)/);
  await server.stop();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await storeFleet(client, transcripts(TRANSCRIPTS, CATEGORIES, seed), agents);
    await storeExecutions(client, { from: 0, to: executions, agents, days: DAYS });
    await dropFleet(client);
    await journalExecutions(url);
    await client.query('VACUUM ANALYZE');
  } finally {
    await client.end();
  }
}

async function measure(command: 'backup' | 'restore', from: string, env: Record<string, string>): Promise<void> {
  const measured = await measureCommand([PROGRAM, '--json', command, join(folder, from)], env);
  const result = Result.parse(JSON.parse(measured.output));
  expected ??= result;
  if (JSON.stringify([result.rows, result.journal.hash]) !== JSON.stringify([expected.rows, expected.journal.hash]))
    throw new Error(`${command} ${from} has other rows or another journal`);
  const database = env['DATABASE_URL'] === '' ? 'embedded' : 'postgresql';
  runs.push({ command, database, ...measured });
  console.log(`${command} ${database}: ${measured.seconds.toFixed(1)} s, ${measured.peakMb.toFixed(0)} MB at most`);
}

const bytesUnder = (path: string): number =>
  readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(path, name)))
    .reduce((total, file) => total + (file.isFile() ? file.size : 0), 0);

const source = await createDatabaseOn(address);
const target = await createDatabaseOn(address);
try {
  await fill(source.url);
  console.log(`${executions} executions of ${agents} agents are stored`);
  await measure('backup', 'first', machine('filled', source.url));
  await measure('restore', 'first', machine('embedded'));
  await measure('backup', 'second', machine('embedded'));
  await measure('restore', 'second', machine('restored', target.url));
  const backupMb = bytesUnder(join(folder, 'first')) / 1e6;
  const rows = Object.values(expected?.rows ?? {}).reduce((sum, count) => sum + count, 0);
  console.log(
    JSON.stringify(
      { bench: 'backup', executions, rows, backupMb, runs: runs.map(({ output: _, ...figures }) => figures) },
      (_key, value) => (typeof value === 'number' ? Number(value.toFixed(1)) : value),
    ),
  );
} finally {
  await source.drop();
  await target.drop();
  rmSync(folder, { recursive: true, force: true });
}
