import type { Config } from '../../platform/config/config.js';
import { readRows } from '../../platform/database/table-rows.js';
import { type RowSession, readSequences, type Table, WholeDatabase } from '../../platform/database/whole-database.js';
import type { JournalKeys } from '../rows/journal-keys.js';
import { openDatabase } from '../rows/open-database.service.js';
import { OperationError } from '../rows/operation.errors.js';
import { type VerifiedJournal, verifyRows } from '../rows/row-check.service.js';
import { fillDatabase, usedTable } from '../rows/row-copy.service.js';
import { readSigningKey } from '../rows/signing-key.service.js';
import { ContentDigest, type Contents, type OnRows } from '../rows/table-content.js';

export interface MoveResult {
  /** Number of rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly journal: VerifiedJournal;
}

/**
 * Copies the embedded database of the settings into the empty PostgreSQL of `DATABASE_URL`, in one transaction with the
 * verification. The embedded database keeps its data. Throws `OperationError`, and then the target holds nothing.
 */
export async function moveDatabase(config: Config, onRows: OnRows = () => undefined): Promise<MoveResult> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl === undefined)
    throw new OperationError(
      'move.no_target',
      'DATABASE_URL is not set. Set it to the empty PostgreSQL database to move to.',
    );
  const { keys } = await readSigningKey(config);
  const source = await openDatabase({ dataDir }, 'There is nothing to move.');
  try {
    await requireSourceMigrated(source);
    const target = await WholeDatabase.open({ url: databaseUrl });
    try {
      const used = await target.snapshot(usedTable);
      if (used !== undefined) throw notEmpty(used);
      await target.migrate();
      return await source.snapshot((from) => target.change((to) => copy(from, to, keys, onRows)));
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copy(from: RowSession, to: RowSession, keys: JournalKeys, onRows: OnRows): Promise<MoveResult> {
  // Of the source, so that a broken journal is not taken for a fault of the copy.
  const before = await verifyRows(from, keys);
  const wanted: Record<string, Contents[string]> = {};
  const rowsOf = async function* (table: Table): AsyncGenerator<readonly string[]> {
    const digest = new ContentDigest();
    for await (const rows of readRows(from, table)) {
      digest.add(rows);
      yield rows;
    }
    wanted[table.name] = digest.finish();
  };
  const filled = await fillDatabase(to, rowsOf, () => wanted, await readSequences(from), onRows);
  if ('used' in filled) throw notEmpty(filled.used);
  if ('differs' in filled) throw new Error(`the rows of ${filled.differs} are not the same in both databases`);
  const journal = await verifyRows(to, keys);
  if (journal.hash !== before.hash || journal.root !== before.root)
    throw new Error('the journal is not the same in both databases');
  const counts = Object.entries(wanted).map(([table, { rows }]) => [table, rows]);
  return { rows: Object.fromEntries(counts), journal };
}

async function requireSourceMigrated(source: WholeDatabase): Promise<void> {
  const { missing } = await source.migrationState();
  if (missing.length === 0) return;
  const message =
    `The embedded database lacks ${missing.map(({ name }) => name).join(', ')}. ` +
    'Apply what is missing with: DATABASE_URL= guildbook migrate';
  throw new OperationError('move.not_migrated', message);
}

function notEmpty(table: string): OperationError {
  const message =
    `The database of DATABASE_URL is in use: its table ${table} has rows. ` +
    'If it was moved already, start the server with: guildbook serve. Otherwise set DATABASE_URL to an empty database.';
  return new OperationError('move.not_empty', message);
}
