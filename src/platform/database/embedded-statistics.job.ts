import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Database } from './database.js';

const EVERY_MS = 600_000;

/** Updates the planner statistics of the embedded database, which has no autovacuum. */
@Injectable()
export class EmbeddedStatisticsJob implements OnApplicationBootstrap {
  constructor(private readonly database: Database) {}

  onApplicationBootstrap(): Promise<void> {
    return this.refresh();
  }

  /** Runs ANALYZE if a table of more than one megabyte has doubled since the last run. PostgreSQL does this itself. */
  @Interval(EVERY_MS)
  async refresh(): Promise<void> {
    const { client, kind } = this.database;
    if (kind !== 'embedded') return;
    const [table] = await client.$queryRaw<{ hasGrown: boolean }[]>`
      SELECT bool_or(size > 1000000 AND size > 2 * 8192 * pages) AS "hasGrown"
        FROM (SELECT pg_relation_size("oid") AS size, greatest("relpages", 0)::bigint AS pages FROM pg_class
               WHERE "relkind" = 'r' AND "relnamespace" = 'public'::regnamespace) t`;
    if (table?.hasGrown) await client.$executeRaw`ANALYZE`;
  }
}
