import { randomBytes } from 'node:crypto';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { testDatabaseUrl } from '../../src/platform/config/environment.js';
import { createPglitePool } from '../../src/platform/database/pglite-stream.js';

export interface ScratchPool {
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

/** An empty database without Guildbook's tables, on the database of this run (`npm test -- --database`). */
export function scratchPool(): Promise<ScratchPool> {
  const url = testDatabaseUrl();
  return url === undefined ? embeddedPool() : postgresqlPool(url);
}

/** Always embedded, for specs of the embedded database itself. */
export async function embeddedPool(): Promise<ScratchPool> {
  const database = await PGlite.create();
  const pool = createPglitePool(database);
  return {
    pool,
    close: async () => {
      await pool.end();
      await database.close();
    },
  };
}

async function postgresqlPool(serverUrl: string): Promise<ScratchPool> {
  const name = `guildbook_scratch_${randomBytes(6).toString('hex')}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await onServer(serverUrl, `CREATE DATABASE ${name}`);
  const pool = new pg.Pool({ connectionString: url.href, max: 6 });
  // Dropping the database closes pooled connections, which is not a test failure.
  pool.on('error', () => undefined);
  return {
    pool,
    close: async () => {
      await pool.end();
      await onServer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
