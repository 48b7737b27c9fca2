/**
 * npm run bench:import -- [--megabytes 100] [--runs folder,again,one-file] [--database <url>]
 *
 * Seconds, peak memory and reports per second of `guildbook import`, as the built program against the built server: a
 * folder of generated sessions in every format, the same folder again, and one file with the same number of bytes.
 * Beside it, in the same run, the seconds that reading the bytes alone takes. The last line is JSON.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { Guildbook } from '../src/client/guildbook.js';
import { PROJECT_ROOT } from '../src/platform/config/config.js';
import { benchServerUrl, programPath } from '../src/platform/config/environment.js';
import { createDatabaseOn } from '../test/support/server-database.js';
import { GeneratedSessions, type WrittenFiles, writeFolder, writeOneFile } from './generated-sessions.js';
import { measureCommand } from './measured-command.js';
import { MeasuredServer } from './measured-server.js';

const HELP = `npm run bench:import -- [options]
  --megabytes <n>    bytes of the folder, and of the one file (default 100)
  --runs <names>     which of: folder, again (the same folder), one-file (default: all, in this order)
  --seed <n>         seed of the sessions (default 1)
  --database <url>   a PostgreSQL server; the benchmark creates and drops a database on it (default: TEST_DATABASE_URL)`;
const PROGRAM = join(PROJECT_ROOT, 'dist', 'cli', 'main.js');
const ADMIN_TOKEN = `gbo_${randomBytes(32).toString('base64url')}`;
const MEGABYTE = 1_000_000;

const Summary = z.object({
  files: z.number(),
  taken: z.number(),
  new: z.number(),
  refused: z.record(z.string(), z.number()),
});

const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '100' },
    runs: { type: 'string', default: 'folder,again,one-file' },
    seed: { type: 'string', default: '1' },
    database: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const address = values.database ?? benchServerUrl();
const [megabytes, seed] = [Number(values.megabytes), Number(values.seed)];
if (values.help || address === undefined || !(megabytes > 0) || Number.isNaN(seed)) {
  console.log(HELP);
  process.exit(values.help ? 0 : 1);
}

/** Seconds that reading every byte below the path takes, after a first reading. */
function readAlone(path: string): number {
  const files = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  let seconds = Number.NaN;
  for (let round = 0; round < 2; round += 1) {
    const began = performance.now();
    for (const file of files) readFileSync(file);
    seconds = (performance.now() - began) / 1_000;
  }
  return seconds;
}

interface Run extends z.infer<typeof Summary> {
  readonly name: string;
  readonly seconds: number;
  readonly peakMb: number;
  readonly processorSeconds: number;
  readonly reportsPerSecond: number;
  readonly megabytesPerSecond: number;
  /** Times the seconds of reading the bytes alone. */
  readonly toReadingAlone: number;
}

const folder = mkdtempSync(join(tmpdir(), 'guildbook-bench-import-'));
const [many, one] = ['many', 'one'].map((name) => join(folder, name)) as [string, string];
const database = await createDatabaseOn(address);
const server = MeasuredServer.start([PROGRAM, 'serve'], {
  HOME: join(folder, 'server'),
  PATH: programPath(),
  DATABASE_URL: database.url,
  GUILDBOOK_PORT: '0',
  GUILDBOOK_DATA_DIR: join(folder, 'database'),
  GUILDBOOK_SKILLS_DIR: join(folder, 'skills'),
  GUILDBOOK_RATE_LIMIT_PRINCIPAL: '10000000',
  GUILDBOOK_ADMIN_TOKEN: ADMIN_TOKEN,
});
const runs: Run[] = [];

async function measure(name: string, path: string, env: Record<string, string>, { bytes }: WrittenFiles) {
  const alone = readAlone(path);
  const { seconds, peakMb, processorSeconds, output } = await measureCommand([PROGRAM, '--json', 'import', path], env);
  const { files, taken, refused, new: added } = Summary.parse(JSON.parse(output));
  const run = {
    name,
    seconds,
    peakMb,
    processorSeconds,
    files,
    taken,
    new: added,
    refused,
    reportsPerSecond: taken / seconds,
    megabytesPerSecond: bytes / MEGABYTE / seconds,
    toReadingAlone: seconds / alone,
  };
  runs.push(run);
  console.log(
    `${name}: ${taken} executions (${added} new) from ${files} files and ${(bytes / MEGABYTE).toFixed(0)} MB in ${seconds.toFixed(1)} s (processor ${processorSeconds.toFixed(1)} s), ` +
      `${run.reportsPerSecond.toFixed(0)} reports/s, ${peakMb.toFixed(0)} MB at most; reading alone ${alone.toFixed(2)} s, ${run.toReadingAlone.toFixed(0)} times that`,
  );
}

try {
  const chosen = values.runs.split(',');
  const url = await server.waitForOutput(/listening on (http:\/\/[^\s"]+)/);
  const { token } = await new Guildbook({ server: url }).signIn(ADMIN_TOKEN);
  const env = { HOME: join(folder, 'user'), PATH: programPath(), GUILDBOOK_SERVER: url, GUILDBOOK_TOKEN: token };
  if (chosen.includes('folder')) {
    const written = writeFolder(many, megabytes * MEGABYTE, new GeneratedSessions(seed));
    await measure('folder', many, env, written);
    if (chosen.includes('again')) await measure('again', many, env, written);
    rmSync(many, { recursive: true });
  }
  if (chosen.includes('one-file')) {
    mkdirSync(one);
    const written = writeOneFile(join(one, 'sessions.jsonl'), megabytes * MEGABYTE, new GeneratedSessions(seed + 1));
    await measure('one-file', one, env, written);
  }
  console.log(
    JSON.stringify({ bench: 'import', megabytes, runs }, (_key, value) =>
      typeof value === 'number' ? Number(value.toFixed(2)) : value,
    ),
  );
} finally {
  await server.stop();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
}
