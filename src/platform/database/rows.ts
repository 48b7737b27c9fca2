import { Prisma } from '../generated/prisma/client.js';
import type { SqlClient } from './sql-client.js';

/** The column name of a schema field. */
const columnOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns a select list of the columns of these fields, named as the fields, for hand-written SQL. */
export const selectColumns = (fields: readonly string[], of: string): Prisma.Sql =>
  Prisma.raw(fields.map((field) => `${of}."${columnOf(field)}" AS "${field}"`).join(', '));

/**
 * Inserts rows with equal fields by one statement whose text does not depend on their number. PostgreSQL plans a
 * `createMany` again for every number, which takes longer than the insert. Columns that are not named get their
 * default.
 */
export async function insertRows(
  tx: SqlClient,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const fields = Object.keys(first);
  const into = Prisma.raw(`"${table}"`);
  const columns = Prisma.raw(fields.map((field) => `"${columnOf(field)}"`).join(', '));
  const names = fields.map((field) => [columnOf(field), field] as const);
  const records = rows.map((row) => Object.fromEntries(names.map(([column, field]) => [column, row[field]])));
  await tx.$executeRaw`
    INSERT INTO ${into} (${columns})
    SELECT ${columns} FROM jsonb_populate_recordset(NULL::${into}, ${JSON.stringify(records)}::jsonb)`;
}
