import type { Database } from '../../src/platform/database/database.js';

/** Returns all rows of all tables as sorted JSON text, by table, without the tables in `except`. */
export async function dumpTables(
  database: Database,
  except: readonly string[] = [],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const { client } = database;
  const tables = await client.$queryRaw<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`;
  const dump: Record<string, string[]> = {};
  for (const { name } of tables.filter((table) => !except.includes(table.name))) {
    const rows = await client.$queryRawUnsafe<{ row: string }[]>(`SELECT to_jsonb(t)::text AS row FROM "${name}" t`);
    dump[name] = rows.map(({ row }) => row).sort();
  }
  return dump;
}
