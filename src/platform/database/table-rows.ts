import { forwardReferences, type RowSession, type Table } from './whole-database.js';

/** Rows in memory at once: few enough for reports of some megabytes, enough that a round trip costs little. */
const MAX_ROWS = 128;
const FIRST_ROWS = 16;
const TARGET_CHARACTERS = 4 * 1024 * 1024;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * Yields the rows of a table in the order of their key, in batches, so that memory does not grow with the table. A row
 * is a JSON array of its values as the database spells them, null for NULL. This text is exact for every type, as in a
 * dump: it goes through the type's own output and input, and never through a number of this program.
 */
export async function* readRows(session: RowSession, table: Table): AsyncGenerator<string[]> {
  const values = table.columns.map(({ name }) => `${quoted(name)}::text`).join(', ');
  const row = `array_to_json(ARRAY[${values}]::text[])::text`;
  await session.query(
    `DECLARE "whole_table" NO SCROLL CURSOR FOR SELECT ${row} AS "row" FROM ${quoted(table.name)} ORDER BY ${order(table, row)}`,
  );
  try {
    for (let size = FIRST_ROWS; ; ) {
      const rows = (await session.query<{ row: string }>(`FETCH ${size} FROM "whole_table"`)).map(({ row }) => row);
      if (rows.length === 0) return;
      yield rows;
      const characters = rows.reduce((sum, { length }) => sum + length, 0);
      size = Math.min(MAX_ROWS, 2 * size, Math.max(1, Math.floor((TARGET_CHARACTERS * rows.length) / characters)));
    }
  } finally {
    // In a transaction that failed the cursor is gone already.
    await session.query('CLOSE "whole_table"').catch(() => undefined);
  }
}

/** The same order on every server: text by code points and not by the language of the database. */
function order({ columns, key }: Table, row: string): string {
  if (key.length === 0) return `${row} COLLATE "C"`;
  const isText = new Set(columns.filter((column) => column.isText).map(({ name }) => name));
  return key.map((name) => `${quoted(name)}${isText.has(name) ? ' COLLATE "C"' : ''}`).join(', ');
}

/** Inserts rows as `readRows` yields them. Returns their number. */
export async function writeRows(session: RowSession, table: Table, rows: readonly string[]): Promise<number> {
  const names = table.columns.map(({ name }) => quoted(name)).join(', ');
  const values = table.columns.map(({ type }, at) => `(r ->> ${at})::${type}`).join(', ');
  const [written] = await session.query<{ count: number }>(
    `WITH written AS (
       INSERT INTO ${quoted(table.name)} (${names}) OVERRIDING SYSTEM VALUE
       SELECT ${values} FROM jsonb_array_elements($1::jsonb) r RETURNING 1)
     SELECT count(*)::int AS "count" FROM written`,
    [`[${rows.join(',')}]`],
  );
  return written?.count ?? 0;
}

/** Keeps every other session away from the tables until the transaction ends. */
export async function lockTables(session: RowSession, tables: readonly Table[]): Promise<void> {
  if (tables.length === 0) return;
  await session.query(`LOCK TABLE ${tables.map(({ name }) => quoted(name)).join(', ')} IN ACCESS EXCLUSIVE MODE`);
}

export async function deleteRows(session: RowSession, table: Table): Promise<void> {
  await session.query(`DELETE FROM ${quoted(table.name)}`);
}

/**
 * Runs `write` while no trigger of the schema fires, and turns all of them on again. Constraints, unique indexes and
 * references stay in force; a reference whose row may arrive later is checked at the end. Throws, and so undoes the
 * transaction, unless every rule of the database is afterwards as it was before.
 *
 * A trigger judges how a row came to be: an approved proposal was inserted as pending and moved by votes. Rows that are
 * copied are judged as they are, by the caller.
 */
export async function withoutTriggers(
  session: RowSession,
  tables: readonly Table[],
  write: () => Promise<void>,
): Promise<void> {
  const before = await readRules(session);
  if (before.some(({ state }) => state === 'disabled')) throw new Error('a trigger of the database is disabled');
  const late = forwardReferences(tables);
  for (const { name } of tables) await session.query(`ALTER TABLE ${quoted(name)} DISABLE TRIGGER USER`);
  for (const { table, constraint } of late) await alterConstraint(session, table, constraint, 'INITIALLY DEFERRED');
  await write();
  await session.query('SET CONSTRAINTS ALL IMMEDIATE');
  for (const { table, constraint } of late) await alterConstraint(session, table, constraint, 'NOT DEFERRABLE');
  for (const { name } of tables) await session.query(`ALTER TABLE ${quoted(name)} ENABLE TRIGGER USER`);
  if (JSON.stringify(await readRules(session)) !== JSON.stringify(before))
    throw new Error('the rules of the database are not as they were');
}

const alterConstraint = (session: RowSession, table: string, constraint: string, timing: string) =>
  session.query(`ALTER TABLE ${quoted(table)} ALTER CONSTRAINT ${quoted(constraint)} ${timing}`);

interface Rule {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
  readonly state: string;
}

/** Returns every trigger, constraint and row policy of the schema with its state. */
export function readRules(session: RowSession): Promise<Rule[]> {
  return session.query<Rule>(`
    SELECT t.tgrelid::regclass::text AS "table", t.tgname::text AS "name", pg_get_triggerdef(t.oid) AS "definition",
           CASE t.tgenabled WHEN 'O' THEN 'enabled' ELSE 'disabled' END AS "state"
      FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     WHERE c.relnamespace = current_schema()::regnamespace AND NOT t.tgisinternal
    UNION ALL
    SELECT n.conrelid::regclass::text, n.conname::text, pg_get_constraintdef(n.oid),
           CASE WHEN n.convalidated THEN 'valid' ELSE 'not valid' END
      FROM pg_constraint n
     WHERE n.connamespace = current_schema()::regnamespace AND n.conrelid <> 0 AND n.contype <> 't'
    UNION ALL
    SELECT c.oid::regclass::text, 'row security', coalesce((SELECT string_agg(p.polname, ', ' ORDER BY p.polname)
             FROM pg_policy p WHERE p.polrelid = c.oid), ''), CASE WHEN c.relrowsecurity THEN 'on' ELSE 'off' END
      FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
     ORDER BY 1, 2, 3`);
}
