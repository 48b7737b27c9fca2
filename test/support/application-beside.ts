import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { buildApplication } from '../../src/application.js';
import { Guildbook } from '../../src/client/guildbook.js';
import { loadConfig } from '../../src/platform/config/config.js';
import type { Constants } from '../../src/platform/config/constants.js';
import { Database } from '../../src/platform/database/database.js';
import { MIGRATIONS } from '../../src/platform/database/migrate.js';
import type { TestApplication } from './application.js';

export interface ApplicationBeside {
  readonly app: NestFastifyApplication;
  readonly url: string;
  client(token: string): Guildbook;
  close(): Promise<void>;
}

/**
 * Starts the whole application again beside a test application, as another process of one installation: the same database,
 * clock, signing key and skills folder, and nothing in memory. It has its own connections; on the embedded database, which
 * allows one, it shares that of the other.
 */
export async function startBeside(
  { database, databaseUrl, clock, skillsDir }: TestApplication,
  environment: Record<string, string> = {},
  constants: Partial<Constants> = {},
): Promise<ApplicationBeside> {
  const own: Database = databaseUrl
    ? await Database.open({ url: databaseUrl, migrationsDir: MIGRATIONS })
    : Object.create(database, { close: { value: async () => {} } });
  const config = loadConfig(
    { GUILDBOOK_SKILLS_DIR: skillsDir, GUILDBOOK_JOURNAL_KEY_FILE: `${skillsDir}.journal-key.pem`, ...environment },
    // A job runs when the spec says so.
    { jobPollMs: 86_400_000, ...constants },
  );
  try {
    const app = await buildApplication(config, own, { clock, logger: false });
    await app.init();
    await app.listen(0, '127.0.0.1');
    const url = await app.getUrl();
    return { app, url, client: (token) => new Guildbook({ server: url, token }), close: () => app.close() };
  } catch (error) {
    await own.close();
    throw error;
  }
}
