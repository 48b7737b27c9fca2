import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { reasonOf, StartError, startError } from '../start/start.errors.js';
import {
  folderError,
  isProbe,
  requireOwnFiles,
  requireSpace,
  requireWritableFolder,
} from '../start/writable-folder.js';

/** The major version of PostgreSQL whose files the embedded database reads. A spec compares it with a new folder. */
export const EMBEDDED_VERSION = '18';

const SETTING = 'GUILDBOOK_DATA_DIR';
/** The embedded database makes its files writable for every user, so the folder has to keep the others out. */
const OWN = 0o700;
const MIB = 1024 * 1024;
/** A new database takes 40 MiB at once, and its first log another 16. */
const NEW_BYTES = 96 * MIB;
/** One segment of the log. */
const RUNNING_BYTES = 16 * MIB;
/** Parts of a database, by which a folder without a version is known to be an incomplete one. */
const PARTS = ['base', 'global', 'pg_wal'];
const NEEDED = ['PG_VERSION', 'base', 'global/pg_control'];

/** Creates the folder, for this user only, and makes sure that what lies beside it can be written. Throws StartError. */
export async function createDataFolder(dataDir: string): Promise<void> {
  // The lock, the key and the token of the first start.
  await requireWritableFolder(dirname(dataDir), SETTING, OWN);
  await mkdir(dataDir, { recursive: true, mode: OWN }).catch((error: unknown) => {
    throw folderError(error, dirname(dataDir), SETTING);
  });
}

/**
 * Makes sure that the embedded database can be opened in the folder, or created. Throws StartError. The database itself
 * would only say that it failed, and would create its files between those of another program. Call it with the lock.
 */
export async function checkDataFolder(dataDir: string): Promise<void> {
  await requireWritableFolder(dataDir, SETTING, OWN);
  const entries = (await readdir(dataDir)).filter((name) => !isProbe(name));
  if (entries.length === 0) return requireSpace(dataDir, NEW_BYTES, SETTING);
  if (!entries.includes('PG_VERSION')) throw foreignFolder(dataDir, entries);
  await requireOwnFiles(dataDir, ['PG_VERSION'], SETTING);
  const found = (await readFile(join(dataDir, 'PG_VERSION'), 'utf8')).trim();
  if (/^[\d.]{1,9}$/.test(found) && found !== EMBEDDED_VERSION)
    throw startError('data.other_version', { folder: dataDir, found, wanted: EMBEDDED_VERSION });
  if (found !== EMBEDDED_VERSION) throw startError('data.incomplete', { folder: dataDir });
  await requireOwnFiles(dataDir, NEEDED, SETTING).catch((error: unknown) => {
    throw isMissing(error) ? startError('data.incomplete', { folder: dataDir }) : error;
  });
  await requireSpace(dataDir, RUNNING_BYTES, SETTING);
}

/** The error for a lock that cannot be taken for another reason than another process. */
export const lockError = (dataDir: string, error: unknown): unknown =>
  error instanceof StartError ? error : folderError(error, `${dataDir}.lock`, SETTING);

/** The error for a database that does not open although its folder is in order. */
export const damagedError = (dataDir: string, error: unknown): StartError =>
  startError('data.damaged', { folder: dataDir, reason: reasonOf(error).split('\n')[0] ?? '' }, { cause: error });

function foreignFolder(folder: string, entries: readonly string[]): StartError {
  if (entries.some((entry) => PARTS.includes(entry))) return startError('data.incomplete', { folder });
  const found = entries.length > 3 ? `${entries.slice(0, 3).join(', ')}, …` : entries.join(', ');
  return startError('data.unknown', { folder, found });
}

const isMissing = (error: unknown): boolean => error instanceof Error && reasonOf(error.cause) === 'ENOENT';
