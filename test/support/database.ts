import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { MIGRATIONS } from '../../src/application.js';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { Database } from '../../src/platform/database/database.js';
import { migrateDeploy } from '../../src/platform/database/migrate.js';
import { createPglitePool } from '../../src/platform/database/pglite-stream.js';
import { openFrom, takeEmbedded } from './embedded-pool.js';
import { createDatabaseLike } from './server-database.js';

export interface TestDatabase {
  readonly database: Database;
  /** Of the database on a server; the embedded one has none, and nobody else can open it. */
  readonly url: string | undefined;
  /** Removes what the test database left on a server; the database itself is closed by whoever uses it. */
  drop(): Promise<void>;
}

/**
 * A migrated, empty database for one spec, on the database that this run tests (`npm test -- --database`). An embedded
 * one may have served other specs; a `fresh` one has not, for specs of what emptying it leaves out: the gate's triggers.
 */
export async function openTestDatabase({ fresh = false } = {}): Promise<TestDatabase> {
  const own = await createDatabaseLike(migrationsKey(), (pool) => migrateDeploy(pool, MIGRATIONS));
  if (own !== undefined) return { database: await Database.open({ url: own.url, migrationsDir: MIGRATIONS }), ...own };
  const database = fresh
    ? await openEmbeddedDatabase()
    : await Database.open({ migrationsDir: MIGRATIONS, opened: await takeEmbedded(snapshot) });
  return { database, url: undefined, drop: async () => {} };
}

/** The same on the embedded database, whatever this run tests, and used by no other spec: where one is about it. */
export async function openEmbeddedDatabase(): Promise<Database> {
  const database = await openFrom(await snapshot());
  return Database.open({ migrationsDir: MIGRATIONS, opened: { database, release: () => database.close() } });
}

/** Names this set of migrations: what is made of them once serves all specs, since making it takes seconds. */
function migrationsKey(): string {
  const migrations = readdirSync(MIGRATIONS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => readFileSync(join(MIGRATIONS, name), 'utf8'));
  return sha256(migrations.join('\0')).slice(0, 16);
}

/** A migrated embedded database as a file, which all specs start from. */
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

/** A folder with the same, for servers that are processes: they start from a copy of it, in half the time of a new one. */
export async function migratedFolder(): Promise<string> {
  const folder = join(tmpdir(), `guildbook-test-${migrationsKey()}.folder`);
  if (existsSync(folder)) return folder;
  const own = `${folder}.${process.pid}`;
  const database = await PGlite.create({ dataDir: own, loadDataDir: await snapshot() });
  await database.close();
  // Another worker may have been faster.
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
