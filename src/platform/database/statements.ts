import pg from 'pg';
import { Prisma } from '../generated/prisma/client.js';

/**
 * What hand-written SQL needs of a transaction. Prisma's transactions have it as well, so that a repository's method
 * that takes this serves both.
 */
export interface Statements {
  $queryRaw<T>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<T>;
  /** How many rows it changed. */
  $executeRaw(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<number>;
}

const INT8 = 20;
/** Texts that are prepared, in one process. The program has fewer; what is beyond is planned anew each time. */
const MOST_PREPARED = 300;
const names = new Map<string, string>();

/**
 * Nobody waits longer for a row that somebody else holds. A plan for all values does: these statements find rows by
 * their keys, and planning one takes longer than running it.
 */
const BEGIN = 'BEGIN; SET LOCAL statement_timeout = 60000; SET LOCAL plan_cache_mode = force_generic_plan';

/** Statements as the driver runs them, on one connection: each is parsed and planned once there. */
class DriverStatements implements Statements {
  constructor(private readonly client: pg.PoolClient) {}

  async $queryRaw<T>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<T> {
    // The caller says what its statement finds, as with Prisma's own.
    return (await this.run(query, values)).rows as T;
  }

  async $executeRaw(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<number> {
    return (await this.run(query, values)).rowCount ?? 0;
  }

  private run(query: TemplateStringsArray | Prisma.Sql, given: unknown[]): Promise<pg.QueryResult> {
    const { text, values } = 'raw' in query ? Prisma.sql(query, ...given) : query;
    return this.client.query({ text, ...nameOf(text), values: values.map(asSent), types });
  }
}

/**
 * Runs `work` in one transaction of hand-written statements, past Prisma, whose reading and planning of each statement
 * costs more than most statements do. Errors are the driver's.
 */
export async function inStatements<T>(pool: pg.Pool, work: (tx: Statements) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  // Its own queries fail with it; without somebody who listens, the process would end.
  const lost = () => {
    broken = true;
  };
  client.on('error', lost);
  try {
    await client.query(BEGIN);
    const result = await work(new DriverStatements(client));
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

/** Values as Prisma reads them. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? BigInt : pg.types.getTypeParser(oid, format),
};

/** The driver would write a date in this machine's time zone. */
const asSent = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value);

function nameOf(text: string): { name?: string } {
  const known = names.get(text);
  if (known !== undefined) return { name: known };
  if (names.size >= MOST_PREPARED) return {};
  const name = `statement ${names.size + 1}`;
  names.set(text, name);
  return { name };
}
