import { deleteRows, lockTables, readRows, withoutTriggers, writeRows } from '../../platform/database/table-rows.js';
import {
  type RowSession,
  readTables,
  type Sequence,
  setSequences,
  type Table,
} from '../../platform/database/whole-database.js';
import { ContentDigest, type Contents, differingTable, type OnRows, ROWS_OF_MIGRATIONS } from './table-content.js';

/** Where rows come from: those of one table, in batches. */
type RowSource = (table: Table) => AsyncIterable<readonly string[]>;

/** Reads all tables once, passes each batch on, and returns what the tables hold. */
export async function readContents(
  session: RowSession,
  onRows: OnRows,
  use: (table: Table, rows: readonly string[]) => Promise<void> = async () => undefined,
): Promise<Contents> {
  const contents: Record<string, Contents[string]> = {};
  for (const table of await readTables(session)) {
    const digest = new ContentDigest();
    for await (const rows of readRows(session, table)) {
      digest.add(rows);
      await use(table, rows);
      onRows(table.name, digest.rows);
    }
    contents[table.name] = digest.finish();
  }
  return contents;
}

/** Returns the first table with a row that no migration wrote; undefined for a database that was never used. */
export async function usedTable(session: RowSession): Promise<string | undefined> {
  for (const table of await readTables(session)) {
    for await (const rows of readRows(session, table)) {
      if (rows.length === 1 && rows[0] === ROWS_OF_MIGRATIONS.get(table.name)) continue;
      return table.name;
    }
  }
  return undefined;
}

type Filled = { readonly used: string } | { readonly differs: string } | { readonly filled: true };

/**
 * Writes the rows of all tables into a database that was never used, and reads them again. Returns the table that is in
 * use, and writes nothing, if it was; or the table whose rows are not those of `wanted`. The caller judges the rows in
 * the same transaction (`verifyRows`), because the triggers of the gate do not.
 */
export async function fillDatabase(
  session: RowSession,
  source: RowSource,
  wanted: () => Contents,
  sequences: readonly Sequence[],
  onRows: OnRows,
): Promise<Filled> {
  const tables = await readTables(session);
  await lockTables(session, tables);
  const used = await usedTable(session);
  if (used !== undefined) return { used };
  await withoutTriggers(session, tables, async () => {
    for (const table of tables) {
      if (ROWS_OF_MIGRATIONS.has(table.name)) await deleteRows(session, table);
      let written = 0;
      for await (const rows of source(table)) {
        written += await writeRows(session, table, rows);
        onRows(table.name, written);
      }
    }
  });
  await setSequences(session, sequences);
  const differs = differingTable(await readContents(session, () => undefined), wanted());
  return differs === undefined ? { filled: true } : { differs };
}
