import { hashToken } from '../src/access/identity/token.js';
import { Database } from '../src/platform/database/database.js';

const MIGRATIONS = new URL('../prisma/migrations', import.meta.url).pathname;
const PHRASES = 20_000;
const VOCABULARY = 20_000;
const QUERIES = 20;
/** Memories of one transaction. */
const AT_ONCE = 1_000_000;

export interface FleetAgent {
  readonly token: string;
  /** Words of its memories among others. */
  readonly queries: readonly string[];
}

/** Token number `n`: long enough for the server, and guessable, as nothing else uses this database. */
const tokenOf = (n: number): string => `gbt_bench${String(n).padStart(38, '0')}`;

/** Agents with a hundred memories each, generated in the database. Triggers do not run: the server is down meanwhile. */
export class FleetDatabase {
  private size = 0;

  private constructor(private readonly database: Database) {}

  static async open(url: string): Promise<FleetDatabase> {
    const database = await Database.open({ url, migrationsDir: MIGRATIONS });
    const fleet = new FleetDatabase(database);
    // Words by rank, the common ones more often (Zipf), in phrases of eleven.
    await database.client.$executeRaw`CREATE UNLOGGED TABLE "bench_phrase" ("n" int PRIMARY KEY, "text" text)`;
    await database.sqlTransaction(async (tx) => {
      await tx.$queryRaw`SELECT setseed(0.5)::text`;
      await tx.$executeRaw`
        INSERT INTO "bench_phrase" SELECT p."n", string_agg('word' || floor(${VOCABULARY} ^ w."r")::int, ' ')
          FROM (SELECT (i - 1) / 11 AS "n", random() AS "r" FROM generate_series(1, ${PHRASES * 11}) i) w
          JOIN generate_series(0, ${PHRASES - 1}) p("n") ON p."n" = w."n" GROUP BY p."n"`;
    });
    return fleet;
  }

  /** Adds agents and memories until there are `size` memories. */
  async growTo(size: number): Promise<void> {
    for (let from = this.size; from < size; from = this.size) await this.grow(from, Math.min(size, from + AT_ONCE));
    // Autovacuum would have done this long before.
    await this.database.sqlTransaction(async (tx) => {
      await tx.$executeRaw`SET LOCAL statement_timeout = 0`;
      await tx.$executeRaw`ANALYZE`;
    });
  }

  private async grow(from: number, to: number): Promise<void> {
    await this.database.sqlTransaction(async (tx) => {
      await tx.$executeRaw`SET LOCAL session_replication_role = replica`;
      await tx.$executeRaw`SET LOCAL statement_timeout = 0`;
      await tx.$executeRaw`
        INSERT INTO "principal" ("id", "kind", "name", "is_reviewer", "is_admin", "created_at")
          SELECT lpad(n::text, 32, '0')::uuid, 'agent', 'bench-' || n, false, false, now()
            FROM generate_series(${from / 100}::int, ${to / 100 - 1}::int) n`;
      await tx.$executeRaw`
        INSERT INTO "memory" ("id", "scope", "category", "agent_id", "discovery", "condition", "action", "rationale",
            "steps", "confidence", "tags", "control_tags", "provenance", "proposer", "awaiting_proposer", "content_sha256",
            "created_at")
          SELECT md5(i::text)::uuid, 'agent', 'PROCEDURAL', lpad((i / 100)::text, 32, '0')::uuid, a."text", b."text",
                 c."text", d."text", '["Do it."]', 0.7, '{}', '{non-inferable}', 'unverified', 'bench', false, i::text,
                 now()
            FROM generate_series(${from}::int, ${to - 1}::int) g(i)
            JOIN "bench_phrase" a ON a."n" = (i::bigint * 7919) % ${PHRASES}
            JOIN "bench_phrase" b ON b."n" = (i::bigint * 104729 + 1) % ${PHRASES}
            JOIN "bench_phrase" c ON c."n" = (i::bigint * 15485863 + 2) % ${PHRASES}
            JOIN "bench_phrase" d ON d."n" = (i::bigint * 611953 + 3) % ${PHRASES}`;
    });
    this.size = to;
  }

  /** Up to `count` agents spread over the first `of`, with new tokens. */
  async agents(of: number, count: number): Promise<FleetAgent[]> {
    const step = Math.max(1, Math.floor(of / count));
    const numbers = Array.from({ length: Math.min(of, count) }, (_, n) => n * step);
    const hashes = numbers.map((n) => hashToken(tokenOf(n)));
    const { client } = this.database;
    await client.$executeRaw`
      INSERT INTO "credential" ("id", "principal_id", "kind", "prefix", "hash", "scopes", "created_at")
        SELECT gen_random_uuid(), lpad(t."n"::text, 32, '0')::uuid, 'token', 'gbt_bench0', t."hash", '{report,read}', now()
          FROM unnest(${numbers}::int[], ${hashes}::text[]) AS t("n", "hash")
        ON CONFLICT ("hash") DO NOTHING`;
    const rows = await client.$queryRaw<{ agent: number; text: string }[]>`
      SELECT t."n" AS "agent", a."text" || ' ' || c."text" AS "text"
        FROM unnest(${numbers}::int[]) AS t("n"), generate_series(0, ${QUERIES - 1}::int) q,
             "bench_phrase" a, "bench_phrase" c
       WHERE a."n" = ((t."n" * 100 + q)::bigint * 7919) % ${PHRASES}
         AND c."n" = ((t."n" * 100 + q)::bigint * 15485863 + 2) % ${PHRASES}`;
    const texts = new Map<number, string[]>();
    for (const { agent, text } of rows) texts.set(agent, [...(texts.get(agent) ?? []), queryOf(text)]);
    return numbers.map((n) => ({ token: tokenOf(n), queries: texts.get(n) ?? [] }));
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

/** Every fifth word of a memory, as a task mentions an earlier lesson, and words that it may not hold. */
const queryOf = (text: string): string =>
  [...text.split(' ').filter((_, at) => at % 5 === 0), 'word17', 'word4711', 'word23'].join(' ');
