import { buildApplication } from '../../src/application.js';
import { loadConfig } from '../../src/platform/config/config.js';
import type { TestApplication } from './application.js';

/**
 * Starts the application again beside a test application: the same database, clock and skills, and nothing in memory.
 * It uses the database's connection of the other, because an embedded database has one.
 */
export async function startBeside({ database, clock, skillsDir }: TestApplication) {
  const shared: TestApplication['database'] = Object.create(database, { close: { value: async () => {} } });
  const config = loadConfig(
    { GUILDBOOK_SKILLS_DIR: skillsDir, GUILDBOOK_JOURNAL_KEY_FILE: `${skillsDir}.journal-key.pem` },
    { hookDeadlineMs: 60_000 },
  );
  const app = await buildApplication(config, shared, { clock, logger: false });
  await app.init();
  await app.listen(0, '127.0.0.1');
  return { url: await app.getUrl(), close: (): Promise<void> => app.close() };
}
