import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openEmbeddedDatabase } from '../../../test/support/database.js';
import type { Database } from './database.js';
import { EmbeddedStatisticsJob } from './embedded-statistics.job.js';

let database: Database;

beforeAll(async () => {
  database = await openEmbeddedDatabase();
});
afterAll(() => database.close());

async function noteChanges(from: number, to: number): Promise<void> {
  await database.client.$executeRaw`
    INSERT INTO "memory_change" ("transaction", "memory_id")
      SELECT n, gen_random_uuid() FROM generate_series(${from}::int, ${to}::int) n`;
}

/** Number of rows that the planner assumes; -1 means unknown. */
async function knownRows(): Promise<number> {
  const [row] = await database.client.$queryRaw<{ rows: number }[]>`
    SELECT "reltuples"::float8 AS "rows" FROM pg_class WHERE "oid" = '"memory_change"'::regclass`;
  return row?.rows ?? Number.NaN;
}

describe('the statistics of the embedded database', () => {
  it('are updated when a table becomes large and again when it has doubled', async () => {
    const statistics = new EmbeddedStatisticsJob(database);
    await noteChanges(1, 1_000);
    await statistics.refresh();
    expect(await knownRows()).toBe(-1);
    await noteChanges(1_001, 30_000);
    await statistics.refresh();
    expect(await knownRows()).toBe(30_000);
    await noteChanges(30_001, 31_000);
    await statistics.refresh();
    expect(await knownRows()).toBe(30_000);
    await noteChanges(31_001, 90_000);
    await statistics.onApplicationBootstrap();
    expect(await knownRows()).toBe(90_000);
  });
});
