import { testDatabaseUrl } from '../../src/platform/config/environment.js';
import type { OpenedEmbedded } from '../../src/platform/database/database.js';
import { WholeDatabase } from '../../src/platform/database/whole-database.js';
import { openTestDatabase, snapshot } from './database.js';
import { openFrom, takeEmbedded } from './embedded-pool.js';

export interface TestWholeDatabase {
  readonly database: WholeDatabase;
  /** Undefined for an embedded database. */
  readonly url: string | undefined;
  close(): Promise<void>;
}

/** A migrated database without a server, on the database of this run, or `embedded`. `fresh` as in `openTestDatabase`. */
export async function openWholeDatabase({ embedded = false, fresh = false } = {}): Promise<TestWholeDatabase> {
  const own = embedded || testDatabaseUrl() === undefined ? undefined : await openTestDatabase();
  await own?.database.close();
  const place = own?.url === undefined ? { opened: await openEmbedded(fresh) } : { url: own.url };
  const database = await WholeDatabase.open(place);
  return {
    database,
    url: own?.url,
    close: async () => {
      await database.close();
      await own?.drop();
    },
  };
}

async function openEmbedded(fresh: boolean): Promise<OpenedEmbedded> {
  if (!fresh) return takeEmbedded(snapshot);
  const database = await openFrom(await snapshot());
  return { database, release: () => database.close() };
}
