import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { Database } from '../../src/platform/database/database.js';
import { MIGRATIONS, migrateDeploy } from '../../src/platform/database/migrate.js';
import { createPglitePool } from '../../src/platform/database/pglite-stream.js';
import { openFrom, takeEmbedded } from './embedded-pool.js';
import { createDatabaseLike, type ServerDatabase } from './server-database.js';

export interface TestDatabase {
  readonly database: Database;
  /** The URL of a database on a server. The embedded one has none and cannot be opened twice. */
  readonly url: string | undefined;
  /** Drops the test database on a server. The caller must close the database first. */
  drop(): Promise<void>;
}

/**
 * Opens a migrated, empty database for one spec, on the database of this run (`npm test -- --database`). An embedded one
 * may be reused after a reset; `fresh` prevents this, for specs of parts that a reset skips, such as the gate's triggers.
 */
export async function openTestDatabase({ fresh = false } = {}): Promise<TestDatabase> {
  const own = await createMigratedDatabase();
  if (own !== undefined) return { database: await Database.open({ url: own.url, migrationsDir: MIGRATIONS }), ...own };
  const database = fresh
    ? await openEmbeddedDatabase()
    : await Database.open({ migrationsDir: MIGRATIONS, opened: await takeEmbedded(snapshot) });
  return { database, url: undefined, drop: async () => {} };
}

/** Creates a migrated, empty database on the server of this run; undefined if the run uses the embedded database. */
export function createMigratedDatabase(): Promise<ServerDatabase | undefined> {
  return createDatabaseLike(migrationsKey(), (pool) => migrateDeploy(pool, MIGRATIONS));
}

/** Opens an embedded database for one spec, on any run, for specs about the embedded database. */
export async function openEmbeddedDatabase(): Promise<Database> {
  const database = await openFrom(await snapshot());
  return Database.open({ migrationsDir: MIGRATIONS, opened: { database, release: () => database.close() } });
}

/** A key for the current migrations. Their result is cached for all specs, since creating it takes seconds. */
function migrationsKey(): string {
  const migrations = readdirSync(MIGRATIONS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => readFileSync(join(MIGRATIONS, name), 'utf8'));
  return sha256(migrations.join('\0')).slice(0, 16);
}

/** A migrated embedded database as a file, the starting point of all specs. */
export async function snapshot(): Promise<Blob> {
  const file = join(tmpdir(), `guildbook-test-${migrationsKey()}.tar`);
  const known = await readFile(file).catch(() => undefined);
  if (known) return new Blob([known]);
  const made = await initialise();
  const own = `${file}.${process.pid}`;
  await writeFile(own, made);
  await rename(own, file);
  return new Blob([made]);
}

/** A folder with a migrated database. Server processes start from a copy of it in half the time of a new one. */
export async function migratedFolder(): Promise<string> {
  const folder = join(tmpdir(), `guildbook-test-${migrationsKey()}.folder`);
  if (existsSync(folder)) return folder;
  const own = `${folder}.${process.pid}`;
  const database = await PGlite.create({ dataDir: own, loadDataDir: await snapshot() });
  await database.close();
  // Another worker may have created it first.
  await rename(own, folder).catch(() => rm(own, { recursive: true }));
  return folder;
}

async function initialise(): Promise<Uint8Array<ArrayBuffer>> {
  const database = await PGlite.create();
  const pool = createPglitePool(database);
  await migrateDeploy(pool, MIGRATIONS);
  await pool.end();
  const dump = await database.dumpDataDir('none');
  await database.close();
  return new Uint8Array(await dump.arrayBuffer());
}
