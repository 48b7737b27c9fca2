import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';

/** The number of groups of each kind that a statement found, and its duration. */
export interface Grouping {
  readonly seconds: number;
  readonly patterns: number;
  /** Distinct templates of error lines, of which families are made. */
  readonly templates: number;
  readonly trials: number;
  readonly actions: number;
}

const DUCKDB = '1.5.6-r.1';

/** The columns that identify the failures of a group, as in the miner. */
const KEY = 'tool, coarse, "errorClass", template';
const COUNTS = `count(DISTINCT run) AS executions, sum(failures) AS failures, count(DISTINCT agent) AS agents,
  count(DISTINCT origin) AS origins, count(DISTINCT root) AS roots, count(DISTINCT owner) AS owners,
  min(finished) AS first_seen, max(finished) AS last_seen`;
const TRIED = `count(*) AS tries, count(*) FILTER (WHERE worked) AS successes, count(DISTINCT agent) AS agents,
  count(DISTINCT agent) FILTER (WHERE worked) AS success_agents`;
/** The counts of every pattern, the tries and successes of every approach to it, and the users of every action. */
const GROUPED = `patterns AS (SELECT ${named(KEY)}, ${COUNTS} FROM episode GROUP BY 1, 2, 3, 4),
  trials AS (SELECT p1, p2, p3, p4, features, ${TRIED} FROM trial GROUP BY 1, 2, 3, 4, 5),
  actions AS (SELECT action, count(*) AS executions FROM used GROUP BY 1)
SELECT (SELECT count(*) FROM patterns WHERE executions > 0 AND last_seen >= first_seen)::int AS patterns,
  (SELECT count(DISTINCT p4) FROM patterns)::int AS templates,
  (SELECT count(*) FROM trials WHERE tries > 0)::int AS trials, (SELECT count(*) FROM actions WHERE executions > 0)::int AS actions`;

const RUNS = `SELECT e."id" AS run, e."agent_id" AS agent, e."origin", coalesce(e."parent_execution_id", e."execution_id") AS root,
  p."owner", e."finished_at" AS finished, o."body"
FROM "execution" e JOIN "principal" p ON p."id" = e."agent_id" JOIN "observation" o ON o."execution_id" = e."id"`;

/** Groups the rows that a cycle reads in one statement. */
export async function groupInPostgresql(client: pg.Client): Promise<Grouping> {
  return timed(async () => {
    const { rows } = await client.query(`WITH runs AS (${RUNS}),
      episode AS (SELECT run, agent, origin, root, owner, finished, e.* FROM runs, jsonb_to_recordset(body -> 'episodes') AS e(tool text, coarse text,
        "errorClass" text, template text, failures int, trials jsonb)),
      keyed AS (SELECT run, agent, trials, ${named(KEY)} FROM episode),
      trial AS (SELECT run, agent, p1, p2, p3, p4, t.* FROM keyed,
        jsonb_to_recordset(trials) AS t(features text, worked boolean)),
      used AS (SELECT run, action FROM runs, jsonb_array_elements_text(body -> 'used') action), ${GROUPED}`);
    return rows[0];
  });
}

/**
 * The same on DuckDB, which has the rows in its own table before the time starts. Returns undefined if DuckDB cannot be
 * installed.
 */
export async function groupInDuckDb(client: pg.Client): Promise<Grouping | undefined> {
  const file = await exported(client);
  const duckdb = await load();
  if (!duckdb) return undefined;
  const connection = await (await duckdb.DuckDBInstance.create(':memory:')).connect();
  await connection.run(`CREATE TABLE runs AS SELECT * FROM read_ndjson('${file}', columns = {run: 'VARCHAR', agent: 'VARCHAR',
    origin: 'VARCHAR', root: 'VARCHAR', owner: 'VARCHAR', finished: 'VARCHAR', body: 'JSON'})`);
  const episodes = `[{"tool":"VARCHAR","coarse":"VARCHAR","errorClass":"VARCHAR","template":"VARCHAR",
    "failures":"INTEGER","trials":[{"features":["VARCHAR"],"worked":"BOOLEAN"}]}]`;
  const grouping = await timed(async () => {
    const reader = await connection.runAndReadAll(`WITH episode AS (SELECT run, agent, origin, root, owner, finished,
        unnest(from_json(body -> 'episodes', '${episodes}'), max_depth := 2) FROM runs),
      keyed AS (SELECT run, agent, trials, ${named(KEY)} FROM episode),
      trial AS (SELECT run, agent, p1, p2, p3, p4, unnest(trials, max_depth := 2) FROM keyed),
      used AS (SELECT run, unnest(from_json(body -> 'used', '["VARCHAR"]')) AS action FROM runs), ${GROUPED}`);
    return reader.getRowObjects()[0];
  });
  connection.closeSync();
  return grouping;
}

function named(key: string): string {
  const parts = key.split(/,\s+/);
  return parts.map((part, n) => `${part} AS p${n + 1}`).join(', ');
}

async function timed(work: () => Promise<unknown>): Promise<Grouping> {
  const began = performance.now();
  const { patterns, templates, trials, actions } = Object(await work());
  const seconds = (performance.now() - began) / 1_000;
  const counts = { patterns: Number(patterns), templates: Number(templates), trials: Number(trials) };
  return { seconds, ...counts, actions: Number(actions) };
}

/** Writes one JSON object a line to a file in the system's temporary folder. */
async function exported(client: pg.Client): Promise<string> {
  const file = join(tmpdir(), `guildbook-evolve-${process.pid}.ndjson`);
  await client.query('BEGIN');
  await client.query(`DECLARE stored CURSOR FOR SELECT row_to_json(r)::text AS line FROM (${RUNS}) r`);
  async function* lines(): AsyncGenerator<string> {
    for (;;) {
      const { rows } = await client.query('FETCH 5000 FROM stored');
      if (rows.length === 0) return;
      yield `${rows.map(({ line }) => line).join('\n')}\n`;
    }
  }
  await pipeline(lines(), createWriteStream(file));
  await client.query('COMMIT');
  return file;
}

interface DuckDb {
  readonly DuckDBInstance: { create(path: string): Promise<{ connect(): Promise<DuckDbConnection> }> };
}
interface DuckDbConnection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRowObjects(): unknown[] }>;
  closeSync(): void;
}

/** DuckDB is large and used only here: it is installed beside the project when the benchmark first runs. */
async function load(): Promise<DuckDb | undefined> {
  const folder = join(tmpdir(), `guildbook-duckdb-${DUCKDB}`);
  const from = createRequire(join(folder, 'package.json'));
  try {
    return from('@duckdb/node-api');
  } catch {
    try {
      await mkdir(folder, { recursive: true });
      const wanted = ['install', '--prefix', folder, '--no-audit', '--no-fund', `@duckdb/node-api@${DUCKDB}`];
      execFileSync('npm', wanted, { stdio: ['ignore', 'ignore', 'inherit'] });
      return from('@duckdb/node-api');
    } catch (error) {
      console.log(`without DuckDB: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
      return undefined;
    }
  }
}
