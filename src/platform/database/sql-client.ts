import pg from 'pg';
import { Prisma } from '../generated/prisma/client.js';

/**
 * Hand-written SQL, wherever it runs: a method of a repository takes this, and its caller says where. `database.client`
 * runs it by the driver, Prisma's transactions on their own connection, `database.statements` in one of the driver.
 * There is no other way. Values are read alike in all three.
 */
export interface SqlClient {
  $queryRaw<T>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<T>;
  /** How many rows it changed. */
  $executeRaw(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<number>;
}

/** Texts that are prepared, in one process. The program has fewer; what is beyond is planned anew each time. */
const MAX_PREPARED = 300;
const names = new Map<string, string>();

/**
 * Nobody waits longer for a row that somebody else holds. A plan for all values does: these statements find rows by
 * their keys, and planning one takes longer than running it.
 */
const BEGIN = 'BEGIN; SET LOCAL statement_timeout = 60000; SET LOCAL plan_cache_mode = force_generic_plan';

type Run = (text: string, values: unknown[]) => Promise<pg.QueryResult>;

function sqlClientOver(run: Run): SqlClient {
  const ask = (query: TemplateStringsArray | Prisma.Sql, given: unknown[]): Promise<pg.QueryResult> => {
    const { text, values } = 'raw' in query ? Prisma.sql(query, ...given) : query;
    return run(text, values.map(toDriverValue));
  };
  return {
    // The caller says what its statement finds, as with Prisma's own.
    $queryRaw: async <T>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) =>
      (await ask(query, values)).rows as T,
    $executeRaw: async (query, ...values) => (await ask(query, values)).rowCount ?? 0,
  };
}

/** Statements outside a transaction, each on any connection, and planned for its values. */
export const poolSqlClient = (pool: pg.Pool): SqlClient =>
  sqlClientOver((text, values) => pool.query({ text, values, types }));

/**
 * Runs `work` in one transaction of hand-written statements, past Prisma, whose reading and planning of each statement
 * costs more than most statements do. Errors are the driver's.
 */
export async function runSqlTransaction<T>(pool: pg.Pool, work: (tx: SqlClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  // Its own queries fail with it; without somebody who listens, the process would end.
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

/** The five letters and digits by which PostgreSQL names what went wrong, where the driver itself was asked. */
export const sqlState = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.code : undefined;

const { builtins } = pg.types;
/** What the driver reads otherwise than Prisma does. */
const AS_PRISMA_READS = new Map<number, (text: string) => unknown>([
  [builtins.INT8, BigInt],
  [builtins.NUMERIC, (text) => new Prisma.Decimal(text)],
  // A day, and a time without a zone, are of UTC and not of this machine.
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
