import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { testDatabaseUrl } from '../../src/platform/config.js';

export interface ServerDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** An empty database of its own on the server that this run tests; undefined when it tests the embedded one. */
export async function createServerDatabase(): Promise<ServerDatabase | undefined> {
  const server = testDatabaseUrl();
  if (server === undefined) return undefined;
  const name = `guildbook_test_${randomBytes(6).toString('hex')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await onServer(server, `CREATE DATABASE ${name}`);
  return { url: url.href, drop: () => onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
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
