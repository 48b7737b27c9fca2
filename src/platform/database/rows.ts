import { Prisma } from '../generated/prisma/client.js';
import type { SqlClient } from './sql-client.js';

/** A field of the schema as its column is called. */
const columnOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The columns of these fields under the names of the fields, for a query by hand. */
export const selectColumns = (fields: readonly string[], of: string): Prisma.Sql =>
  Prisma.raw(fields.map((field) => `${of}."${columnOf(field)}" AS "${field}"`).join(', '));

/**
 * Inserts rows with the same fields by one statement that is the same for any number of them: a `createMany` is planned
 * anew for every number, which takes longer than the insert. What is not named has its column's default.
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
  const records = rows.map((row) => Object.fromEntries(fields.map((field) => [columnOf(field), row[field]])));
  await tx.$executeRaw`
    INSERT INTO ${into} (${columns})
    SELECT ${columns} FROM jsonb_populate_recordset(NULL::${into}, ${JSON.stringify(records)}::jsonb)`;
}
