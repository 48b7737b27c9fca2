import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { buildApplication } from '../../src/application.js';
import { loadConfig } from '../../src/platform/config/config.js';
import { Database } from '../../src/platform/database/database.js';
import { MIGRATIONS } from '../../src/platform/database/migrate.js';
import { ServerProcesses } from '../../src/platform/processes/server-processes.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';

const OTHER_KEY = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();

describe('a second process on one PostgreSQL', () => {
  let app: TestApplication;

  beforeEach(async () => {
    app = await startTestApplication();
  });
  afterEach(() => app.close());

  async function start(settings: Record<string, string>): Promise<() => Promise<void>> {
    const url = app.databaseUrl;
    const database: Database = url
      ? await Database.open({ url, migrationsDir: MIGRATIONS })
      : Object.create(app.database, { close: { value: async () => {} } });
    const config = loadConfig({ GUILDBOOK_SKILLS_DIR: app.skillsDir, ...settings });
    const other = await buildApplication(config, database, { clock: app.clock, logger: false });
    try {
      await other.init();
    } catch (error) {
      await database.close();
      throw error;
    }
    return () => other.close();
  }
  const sameKey = () => ({ GUILDBOOK_JOURNAL_KEY_FILE: `${app.skillsDir}.journal-key.pem` });

  it('starts with the key of the first', async () => {
    const close = await start(sameKey());
    expect(await app.database.client.serverProcess.count()).toBe(2);
    await close();
  });

  it('is refused with another key, with the way out; on the embedded database, a killed process is in no way', async () => {
    const started = start({ GUILDBOOK_JOURNAL_KEY: OTHER_KEY });
    if (app.databaseUrl === undefined) return await (await started)();
    await expect(started).rejects.toMatchObject({
      code: 'key.other',
      message: expect.stringMatching(
        /signs the journal with the key guildbook\S*\+[0-9a-f]{8}, and this one has .*GUILDBOOK_JOURNAL_KEY_FILE/,
      ),
    });
    expect(await app.database.client.serverProcess.count()).toBe(1);
  });

  it('starts with another key after the first has been gone for a minute', async () => {
    app.clock.advance(60_001);
    const close = await start({ GUILDBOOK_JOURNAL_KEY: OTHER_KEY });
    await close();
    await app.app.get(ServerProcesses).heartbeat();
    expect(await app.database.client.serverProcess.count()).toBe(1);
  });
});
