import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FirstAdministrator } from '../../src/access/identity/first-administrator.service.js';
import { buildApplication } from '../../src/application.js';
import { Guildbook } from '../../src/client/guildbook.js';
import { type Config, loadConfig } from '../../src/platform/config/config.js';
import { Database } from '../../src/platform/database/database.js';
import { MIGRATIONS } from '../../src/platform/database/migrate.js';
import { Publisher } from '../../src/skills/publishing/publisher.service.js';
import { Reconciler } from '../../src/skills/publishing/reconciler.service.js';
import { RemotePusher } from '../../src/skills/publishing/remote-pusher.service.js';
import { migratedFolder } from './database.js';

/** A folder with everything of one server: embedded database, skills, signing key. */
export class OwnPlace {
  private constructor(readonly folder: string) {}

  static async create(): Promise<OwnPlace> {
    return new OwnPlace(await mkdtemp(join(tmpdir(), 'guildbook-place-')));
  }

  /** The settings of a server here; with a URL, its database is there. */
  config(databaseUrl?: string): Config {
    return loadConfig({
      GUILDBOOK_DATA_DIR: join(this.folder, 'database'),
      GUILDBOOK_SKILLS_DIR: join(this.folder, 'skills'),
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    });
  }

  /** Puts a migrated, empty embedded database here: creating one takes seconds. */
  async migrated(): Promise<this> {
    // Node's `cp` takes three times as long for these 1,300 files.
    await promisify(execFile)('cp', ['-R', await migratedFolder(), join(this.folder, 'database')]);
    return this;
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

/** A server on a place, as the program starts it. Without a token, it signs in as its first administrator. */
export async function startAt(config: Config, token?: string) {
  const { databaseUrl: url, dataDir } = config;
  const database = await Database.open({ url, dataDir, migrationsDir: MIGRATIONS });
  const app = await buildApplication(config, database, { logger: false });
  try {
    await app.init();
  } catch (error) {
    await database.close();
    throw error;
  }
  await app.listen(0, '127.0.0.1');
  const server = await app.getUrl();
  const first = token === undefined ? await app.get(FirstAdministrator).ensure() : undefined;
  const own = first?.state === 'issued' ? await new Guildbook({ server }).signIn(first.token) : { token: token ?? '' };
  return {
    app,
    database,
    token: own.token,
    admin: new Guildbook({ server, token: own.token }),
    /** Until everything that was decided is published and compared. */
    settled: async () => {
      for (const type of [Publisher, RemotePusher, Reconciler, Publisher]) {
        const worker = app.get<{ wake(): void; idle(): Promise<void> }>(type);
        worker.wake();
        await worker.idle();
      }
    },
    close: () => app.close(),
  };
}
