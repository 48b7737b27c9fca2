import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { testDatabaseUrl } from '../../src/platform/config/environment.js';

/** An arbitrary key for the advisory lock of these tests. */
const ADVISORY_LOCK = 72707371;

export interface ServerDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Creates an empty database on the server of this run; undefined if the run uses the embedded database. */
export async function createServerDatabase(): Promise<ServerDatabase | undefined> {
  const server = testDatabaseUrl();
  return server === undefined ? undefined : createDatabaseOn(server);
}

export async function createDatabaseOn(server: string): Promise<ServerDatabase> {
  const name = `guildbook_test_${randomBytes(6).toString('hex')}`;
  await onServer(server, `CREATE DATABASE ${name}`);
  return { url: addressOf(server, name), drop: () => drop(server, name) };
}

/**
 * Creates a database from a template that `prepare` fills once for each `key`. The template stays on the server (8 MB) and
 * may be dropped at any time. Undefined if the run uses the embedded database.
 */
export async function createDatabaseLike(
  key: string,
  prepare: (pool: pg.Pool) => Promise<unknown>,
): Promise<ServerDatabase | undefined> {
  const server = testDatabaseUrl();
  if (server === undefined) return undefined;
  const template = `guildbook_template_${key}`;
  const isMade = async (client: Pick<pg.Pool, 'query'>) =>
    (await client.query('SELECT FROM pg_database WHERE datname = $1', [template])).rowCount === 1;
  const make = async (client: pg.Client) => {
    if (await isMade(client)) return;
    const draft = `guildbook_draft_${randomBytes(6).toString('hex')}`;
    await client.query(`CREATE DATABASE ${draft}`);
    const pool = new pg.Pool({ connectionString: addressOf(server, draft), max: 1 });
    await prepare(pool).finally(() => pool.end());
    // Renamed last: the final name marks the template as complete.
    await client.query(`ALTER DATABASE ${draft} RENAME TO ${template}`);
  };
  if (!(await isMade(poolOf(server)))) await alone(server, make);
  const name = `guildbook_test_${randomBytes(6).toString('hex')}`;
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return { url: addressOf(server, name), drop: () => drop(server, name) };
}

/** Creates a database owned by a login without the right to create roles. `as` runs SQL as this login. */
export async function createPlainDatabase(
  server: string,
): Promise<ServerDatabase & { readonly login: string; as(sql: string): Promise<void> }> {
  const name = `guildbook_test_${randomBytes(6).toString('hex')}`;
  const login = `${name}_login`;
  await onServer(server, `CREATE ROLE ${login} LOGIN PASSWORD '${login}'`);
  await onServer(server, `CREATE DATABASE ${name} OWNER ${login}`);
  const url = new URL(addressOf(server, name));
  [url.username, url.password] = [login, login];
  return {
    url: url.href,
    login,
    as: (sql) => withClient(addressOf(server, name), (client) => client.query(sql)),
    drop: async () => {
      await drop(server, name);
      await onServer(server, `DROP ROLE ${login}`);
    },
  };
}

function addressOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Also drops the role of its background work, which belongs to the server, not to the database. */
async function drop(server: string, name: string): Promise<void> {
  await onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await onServer(server, `DROP ROLE IF EXISTS ${name}_worker`);
}

/** Runs the work in one process at a time. */
async function alone(server: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  await withClient(server, async (client) => {
    // The lock ends with the session.
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
    await work(client);
  });
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

async function onServer(server: string, sql: string): Promise<void> {
  await poolOf(server).query(sql);
}

const pools = new Map<string, pg.Pool>();

/** One for each server, since a connection takes PostgreSQL as long as many statements. It keeps no process alive. */
function poolOf(server: string): pg.Pool {
  const known = pools.get(server);
  if (known) return known;
  const pool = new pg.Pool({ connectionString: server, max: 2, allowExitOnIdle: true, idleTimeoutMillis: 60_000 });
  // The server ended.
  pool.on('error', () => undefined);
  pools.set(server, pool);
  return pool;
}
