import { mkdir } from 'node:fs/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { tsImport } from 'tsx/esm/api';
import { adaptForEngine, readCatalogCharAsText } from './adapter.mjs';

/** SQLSTATE invalid_catalog_name. */
const MISSING_DATABASE = '3D000';

/**
 * Opens the databases for the schema engine. With a URL: that server, and a shadow database on it, which is dropped at
 * the end. Without: the embedded database in PGLITE_DIR (in memory if unset), and a shadow database in memory.
 */
export function openDatabases(url) {
  readCatalogCharAsText();
  return url === undefined ? embeddedDatabases(process.env.PGLITE_DIR) : serverDatabases(url);
}

function serverDatabases(url) {
  const connect = async (connectionString) => adaptForEngine(await new PrismaPg({ connectionString }).connect());
  const factory = {
    provider: 'postgres',
    adapterName: '@prisma/adapter-pg',
    connect: () => connect(url),
    connectToShadowDb: async () => {
      const name = `prisma_migrate_shadow_db_${crypto.randomUUID()}`;
      await runOnServer(url, `CREATE DATABASE "${name}"`);
      const shadow = new URL(url);
      shadow.pathname = `/${name}`;
      const connection = await connect(shadow.href);
      // adapter-pg drops its own shadow database while its pool still has connections to it.
      const disconnect = connection.dispose.bind(connection);
      connection.dispose = async () => {
        await disconnect();
        await runOnServer(url, `DROP DATABASE "${name}"`);
      };
      return connection;
    },
  };
  return { factory, probe: () => attempt(url), create: () => createOnServer(url), close: async () => {} };
}

async function runOnServer(url, sql) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Runs `sql`. Returns undefined on success, otherwise the failure in the form that the CLI expects. */
async function attempt(url, sql = 'SELECT 1') {
  try {
    await runOnServer(url, sql);
    return undefined;
  } catch (error) {
    const { hostname, port, pathname } = new URL(url);
    return {
      message: error.message || String(error),
      error_code: error.code === MISSING_DATABASE ? 'P1003' : 'P1001',
      meta: { database_name: pathname.slice(1), database_host: hostname, database_port: port },
    };
  }
}

function createOnServer(url) {
  const maintenance = new URL(url);
  const name = decodeURIComponent(maintenance.pathname.slice(1));
  maintenance.pathname = '/postgres';
  return attempt(maintenance.href, `CREATE DATABASE ${pg.escapeIdentifier(name)}`);
}

function embeddedDatabases(dataDir) {
  let main;
  const factory = {
    provider: 'postgres',
    adapterName: '@prisma/adapter-pg',
    connect: async () => {
      main ??= await openEmbedded(dataDir);
      const connection = adaptForEngine(await new PrismaPg(main.pool).connect());
      // The engine connects more than once. In memory, closing the first connection would lose the second one's data.
      connection.dispose = async () => {};
      return connection;
    },
    connectToShadowDb: async () => {
      const shadow = await openEmbedded(undefined);
      const connection = adaptForEngine(await new PrismaPg(shadow.pool).connect());
      connection.dispose = shadow.close;
      return connection;
    },
  };
  const nothing = async () => undefined;
  return { factory, probe: nothing, create: nothing, close: async () => main?.close() };
}

async function openEmbedded(dataDir) {
  const { PGlite } = await import('@electric-sql/pglite');
  const { PgliteStream } = await tsImport('../../src/platform/database/pglite-stream.ts', import.meta.url);
  const release = dataDir === undefined ? async () => {} : await reserve(dataDir);
  const database = await PGlite.create(dataDir);
  const stream = () => new PgliteStream(database);
  const pool = new pg.Pool({ user: 'postgres', max: 1, idleTimeoutMillis: 0, stream });
  return {
    pool,
    close: async () => {
      await pool.end();
      await database.close();
      await release();
    },
  };
}

/** Locks the folder, which a running server may hold: a second writer would lose rows. */
async function reserve(dataDir) {
  const { lockDirectory } = await tsImport('../../src/platform/database/single-process-lock.ts', import.meta.url);
  await mkdir(dataDir, { recursive: true });
  return lockDirectory(dataDir);
}
