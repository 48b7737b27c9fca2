import pg from 'pg';
import { Prisma } from '../generated/prisma/client.js';

/**
 * Runs hand-written SQL. A repository method takes this handle, and its caller chooses where the SQL runs:
 * `database.client` uses the driver, Prisma's transactions their own connection, `database.sqlTransaction` a
 * transaction of the driver. There is no other way to run SQL. All three decode values alike.
 */
export interface SqlClient {
  $queryRaw<T>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<T>;
  /** Returns the number of changed rows. */
  $executeRaw(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<number>;
}

/**
 * Statement texts that one process prepares. The program has fewer; any beyond the limit are planned on each execution.
 */
const MAX_PREPARED = 300;
const names = new Map<string, string>();

/**
 * A statement waits at most 60 seconds for a locked row. Generic plans are forced: these statements find rows by key,
 * and planning takes longer than running them.
 */
const BEGIN = 'BEGIN; SET LOCAL statement_timeout = 60000; SET LOCAL plan_cache_mode = force_generic_plan';

/** A server that does not respond at all is an outage, too: no request waits for a connection without an end. */
export const CONNECTING = { connectionTimeoutMillis: 30_000, keepAlive: true } as const;

type Run = (text: string, values: unknown[]) => Promise<pg.QueryResult>;

function sqlClientOver(run: Run): SqlClient {
  const ask = (query: TemplateStringsArray | Prisma.Sql, parameters: unknown[]): Promise<pg.QueryResult> => {
    const { text, values } = 'raw' in query ? Prisma.sql(query, ...parameters) : query;
    return run(text, values.map(toDriverValue));
  };
  return {
    // The caller declares the row type, as with Prisma's own method.
    $queryRaw: async <T>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) =>
      (await ask(query, values)).rows as T,
    $executeRaw: async (query, ...values) => (await ask(query, values)).rowCount ?? 0,
  };
}

/** Returns a client for statements outside a transaction, each on any connection and planned for its values. */
export const poolSqlClient = (pool: pg.Pool): SqlClient =>
  sqlClientOver((text, values) => pool.query({ text, values, types }));

/** Returns a client for statements on one connection, whose transaction the caller began. */
export const connectionSqlClient = (client: pg.PoolClient): SqlClient =>
  sqlClientOver((text, values) => client.query({ text, values, types }));

/**
 * Runs `work` in one transaction of hand-written statements with the driver: Prisma's decoding and planning of a
 * statement costs more than most statements. Errors are the driver's.
 */
export async function runSqlTransaction<T>(pool: pg.Pool, work: (tx: SqlClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  // The client's own queries fail with this error. Without a listener the process would end.
  const lost = () => {
    broken = true;
  };
  client.on('error', lost);
  try {
    await client.query(BEGIN);
    const result = await work(
      sqlClientOver((text, values) => client.query({ text, ...preparedNameOf(text), values, types })),
    );
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(lost);
    throw error;
  } finally {
    client.off('error', lost);
    client.release(broken);
  }
}

/** Prisma names the state of a statement of ours in its message only. */
const RAW_QUERY_STATE = /Raw query failed\. Code: `(\w{5})`/;

/** Returns the SQLSTATE of an error that the driver raised, or that Prisma raised for hand-written SQL. */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) return error.code;
  return error instanceof Prisma.PrismaClientKnownRequestError ? RAW_QUERY_STATE.exec(error.message)?.[1] : undefined;
}

const { builtins } = pg.types;
/** Types that the driver decodes differently from Prisma. */
const AS_PRISMA_READS = new Map<number, (text: string) => unknown>([
  [builtins.INT8, BigInt],
  [builtins.NUMERIC, (text) => new Prisma.Decimal(text)],
  // A date, and a time without a zone, are in UTC and not in this machine's zone.
  [builtins.DATE, (text) => new Date(text)],
  [builtins.TIMESTAMP, (text) => new Date(`${text.replace(' ', 'T')}Z`)],
]);

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    AS_PRISMA_READS.get(oid) ?? pg.types.getTypeParser(oid, format),
};

/** The driver would write a date in this machine's time zone. */
const toDriverValue = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value);

function preparedNameOf(text: string): { name?: string } {
  const known = names.get(text);
  if (known !== undefined) return { name: known };
  if (names.size >= MAX_PREPARED) return {};
  const name = `statement ${names.size + 1}`;
  names.set(text, name);
  return { name };
}

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
