import { mkdir } from 'node:fs/promises';
import type { MigrationId } from '../../platform/database/migrate.js';
import { lockDirectory } from '../../platform/database/single-process-lock.js';
import { type RowSession, type Table, WholeDatabase } from '../../platform/database/whole-database.js';
import type { JournalKeys } from '../rows/journal-keys.js';
import { type DatabasePlace, hasEmbedded } from '../rows/open-database.service.js';
import { OperationError } from '../rows/operation.errors.js';
import { type VerifiedJournal, verifyRows } from '../rows/row-check.service.js';
import { fillDatabase, usedTable } from '../rows/row-copy.service.js';
import type { Contents, OnRows } from '../rows/table-content.js';
import type { Backup } from './backup-folder.service.js';
import { type Manifest, tableFile } from './manifest.schema.js';
import { NewFolder } from './new-folder.service.js';

/** What is done once all rows are verified, before they count. */
type BeforeCommit = () => Promise<void>;

/**
 * Writes the rows of a backup into an empty database, in one transaction with their verification and `beforeCommit`.
 * Throws `OperationError` for a database that is in use, and for rows that are not to be trusted.
 */
export async function restoreDatabase(
  place: DatabasePlace,
  backup: Backup,
  keys: JournalKeys,
  onRows: OnRows,
  beforeCommit: BeforeCommit,
): Promise<VerifiedJournal> {
  if (place.databaseUrl !== undefined) {
    return using(await WholeDatabase.open({ url: place.databaseUrl }), (database) =>
      fill(database, backup, keys, onRows, beforeCommit),
    );
  }
  if (hasEmbedded(place.dataDir)) {
    return using(await WholeDatabase.open({ dataDir: place.dataDir }), (database) =>
      fill(database, backup, keys, onRows, beforeCommit),
    );
  }
  return buildEmbedded(place.dataDir, backup, keys, onRows, beforeCommit);
}

/** A new embedded database counts once it lies in its folder, complete: a killed process leaves none that is half. */
async function buildEmbedded(
  dataDir: string,
  backup: Backup,
  keys: JournalKeys,
  onRows: OnRows,
  beforeCommit: BeforeCommit,
): Promise<VerifiedJournal> {
  const folder = new NewFolder(dataDir, 'PG_VERSION');
  await mkdir(dataDir, { recursive: true });
  const unlock = await lockDirectory(dataDir);
  try {
    if (!(await folder.isEmpty())) throw notEmpty(`${dataDir} holds other files`);
    const building = await folder.begin();
    const journal = await using(await WholeDatabase.open({ dataDir: building }), (database) =>
      fill(database, backup, keys, onRows, async () => undefined),
    );
    await beforeCommit();
    await folder.place();
    return journal;
  } catch (error) {
    await folder.discard();
    throw error;
  } finally {
    await unlock();
  }
}

async function fill(
  database: WholeDatabase,
  backup: Backup,
  keys: JournalKeys,
  onRows: OnRows,
  beforeCommit: BeforeCommit,
): Promise<VerifiedJournal> {
  const { manifest } = backup;
  // Before the first change: another program's tables are in use, too.
  const used = await database.snapshot(usedTable);
  if (used !== undefined) throw notEmpty(`its table ${used} has rows`);
  await migrateAsIn(database, manifest.migrations);
  return database.change(async (session) => {
    const rowsOf = (table: Table) => backup.lines(tableFile(table.name));
    const filled = await fillDatabase(session, rowsOf, () => contentsOf(manifest), manifest.sequences, onRows).catch(
      (error: unknown) => {
        throw isOfRows(error) ? backup.damaged(`has rows that the database does not take (${error.message})`) : error;
      },
    );
    if ('used' in filled) throw notEmpty(`its table ${filled.used} has rows`);
    if ('differs' in filled) throw backup.damaged(`has other rows of ${filled.differs} than its manifest says`);
    const journal = await verifyRestored(session, backup, keys);
    await beforeCommit();
    return journal;
  });
}

const contentsOf = ({ rows, files }: Manifest): Contents =>
  Object.fromEntries(
    Object.entries(rows).map(([table, count]) => [table, { rows: count, sha256: files[tableFile(table)] ?? '' }]),
  );

async function verifyRestored(session: RowSession, backup: Backup, keys: JournalKeys): Promise<VerifiedJournal> {
  const { seq, hash, checkpoint } = backup.manifest.journal;
  const journal = await verifyRows(session, keys);
  const isHead = journal.seq === seq && journal.hash === hash;
  const signed = checkpoint === null ? undefined : keys.signedHead(checkpoint);
  const isSigned =
    seq === 0 ? checkpoint === null : signed?.seq === seq && signed.hash === hash && signed.root === journal.root;
  if (!isHead || !isSigned) throw backup.damaged('has a journal that is not the one its signed head names');
  return journal;
}

/** Brings an empty database to exactly the migrations of the backup, which may be older than this version. */
async function migrateAsIn(database: WholeDatabase, wanted: readonly MigrationId[]): Promise<void> {
  const { applied, missing } = await database.migrationState();
  const ofVersion = new Map([...applied, ...missing].map(({ name, checksum }) => [name, checksum]));
  const unknown = wanted.find(({ name, checksum }) => ofVersion.get(name) !== checksum);
  if (unknown !== undefined) {
    const message = `The backup has migration ${unknown.name}, which this version does not have in this form. Restore it with the version that wrote it.`;
    throw new OperationError('backup.unknown_format', message);
  }
  const names = new Set(wanted.map(({ name }) => name));
  const newer = applied.find(({ name }) => !names.has(name));
  if (newer !== undefined) throw notEmpty(`it has migration ${newer.name}, which the backup is older than`);
  await database.migrate(names);
}

async function using<T>(database: WholeDatabase, work: (database: WholeDatabase) => Promise<T>): Promise<T> {
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

function notEmpty(reason: string): OperationError {
  const message = `The database is in use: ${reason}. Restore into an empty one: set DATABASE_URL or GUILDBOOK_DATA_DIR to it.`;
  return new OperationError('restore.not_empty', message);
}

/** Errors of values and constraints (SQLSTATE classes 22 and 23). */
const isOfRows = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && /^2[23]...$/.test(String(error.code));
