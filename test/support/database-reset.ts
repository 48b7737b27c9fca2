/** Runs one statement and returns its rows. */
export type Query = <T>(sql: string) => Promise<T[]>;

/** The state of a migrated database before the first spec. */
export interface Baseline {
  readonly catalog: string;
  readonly rows: ReadonlyMap<string, string>;
}

/**
 * Everything in a database except its rows, from the catalogs of PostgreSQL, without built-in objects (OIDs below 16384).
 * `pg_class` and `pg_database` also contain counters, so their columns are listed.
 */
const FIRST_OWN = 16384;
const CATALOGS = [
  ...['pg_attrdef', 'pg_constraint', 'pg_trigger', 'pg_proc', 'pg_type', 'pg_enum', 'pg_rewrite', 'pg_policy'],
  ...['pg_event_trigger', 'pg_extension', 'pg_default_acl', 'pg_operator', 'pg_cast', 'pg_statistic_ext'],
].map((catalog) => `SELECT '${catalog}' || t::text FROM ${catalog} t WHERE oid >= ${FIRST_OWN}`);
const SHAPES = [
  `SELECT 'pg_class' || (oid, relname, relnamespace, relowner, relkind, relpersistence, relrowsecurity,
     relforcerowsecurity, relacl, reloptions, relchecks, relnatts)::text FROM pg_class
   WHERE oid >= ${FIRST_OWN} AND relkind <> 't'`,
  `SELECT 'pg_attribute' || t::text FROM pg_attribute t JOIN pg_class c ON c.oid = attrelid
   WHERE attrelid >= ${FIRST_OWN} AND relkind <> 't'`,
  `SELECT 'pg_index' || (indexrelid, indrelid, indkey, indisunique, indisprimary, indisvalid, indpred, indexprs)::text
   FROM pg_index WHERE indexrelid >= ${FIRST_OWN}`,
  `SELECT 'pg_description' || t::text FROM pg_description t WHERE objoid >= ${FIRST_OWN}`,
  `SELECT 'pg_inherits' || t::text FROM pg_inherits t WHERE inhrelid >= ${FIRST_OWN}`,
  `SELECT 'pg_namespace' || t::text FROM pg_namespace t WHERE nspname !~ '^pg_(toast_)?temp'`,
  `SELECT 'pg_database' || (datname, datdba, datacl)::text FROM pg_database WHERE datname = current_database()`,
  `SELECT 'pg_db_role_setting' || t::text FROM pg_db_role_setting t JOIN pg_database d ON d.oid = setdatabase
   WHERE datname = current_database()`,
  // On a server, other databases have roles, too.
  `SELECT 'pg_roles' || (rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolbypassrls,
     rolconfig)::text FROM pg_roles WHERE oid < ${FIRST_OWN} OR rolname LIKE current_database() || '%'
     OR current_database() = 'postgres'`,
  `SELECT 'pg_auth_members' || (roleid::regrole, member::regrole, admin_option)::text FROM pg_auth_members
   WHERE roleid::regrole::text LIKE current_database() || '%' OR current_database() = 'postgres'`,
];
const CATALOG = `SELECT md5(string_agg(line, E'\\n' ORDER BY line)) AS catalog
  FROM (${[...CATALOGS, ...SHAPES].join('\nUNION ALL\n')}) all_lines (line)`;

/** Tables whose file is not empty. */
const FILLED = `SELECT oid::regclass::text AS name FROM pg_class
  WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0 ORDER BY name`;

export async function baselineOf(query: Query): Promise<Baseline> {
  const [shape] = await query<{ catalog: string }>(CATALOG);
  const filled = await query<{ name: string }>(FILLED);
  const rows = new Map<string, string>();
  for (const { name } of filled) rows.set(name, await contentOf(query, name));
  return { catalog: shape?.catalog ?? '', rows };
}

/**
 * Resets a database to its baseline by emptying its tables. Returns false if something other than rows has changed; such a
 * database must not be used again. Needs a superuser, because it disables the gate's triggers.
 */
export async function resetDatabase(query: Query, baseline: Baseline): Promise<boolean> {
  const [shape] = await query<{ catalog: string }>(CATALOG);
  if (shape?.catalog !== baseline.catalog) return false;
  const filled = (await query<{ name: string }>(FILLED)).map(({ name }) => name);
  const changed: string[] = [];
  for (const name of new Set([...filled, ...baseline.rows.keys()])) {
    const before = baseline.rows.get(name);
    if (before === undefined || before !== (await contentOf(query, name))) changed.push(name);
  }
  if (changed.length === 0) return true;
  await query(`SET session_replication_role = replica`);
  await query(`TRUNCATE ${changed.join(', ')} RESTART IDENTITY CASCADE`);
  // CASCADE may also empty tables that no test has changed.
  for (const [name, rows] of baseline.rows)
    if ((await contentOf(query, name)) !== rows) await query(`INSERT INTO ${name} ${asRows(name, rows)}`);
  await query(`RESET session_replication_role`);
  return true;
}

async function contentOf(query: Query, table: string): Promise<string> {
  const [found] = await query<{ rows: string }>(
    `SELECT COALESCE(jsonb_agg(to_jsonb(t) ORDER BY to_jsonb(t)), '[]')::text AS rows FROM ${table} t`,
  );
  return found?.rows ?? '';
}

const asRows = (table: string, rows: string): string =>
  `SELECT * FROM jsonb_populate_recordset(NULL::${table}, '${rows.replaceAll("'", "''")}'::jsonb)`;
