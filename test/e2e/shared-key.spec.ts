import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ServerProcesses } from '../../src/platform/background/server-processes.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { startBeside } from '../support/application-beside.js';

const OTHER_KEY = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();

describe('a second process on one PostgreSQL', () => {
  let app: TestApplication;

  beforeEach(async () => {
    app = await startTestApplication();
  });
  afterEach(() => app.close());

  const withOtherKey = () => startBeside(app, { GUILDBOOK_JOURNAL_KEY: OTHER_KEY, GUILDBOOK_JOURNAL_KEY_FILE: '' });

  it('starts with the key of the first', async () => {
    const other = await startBeside(app);
    expect(await app.database.client.serverProcess.count()).toBe(2);
    await other.close();
  });

  it('is refused with another key, with the way out; on the embedded database, a killed process is in no way', async () => {
    const started = withOtherKey();
    if (app.databaseUrl === undefined) return await (await started).close();
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
    const other = await withOtherKey();
    await other.close();
    await app.app.get(ServerProcesses).heartbeat();
    expect(await app.database.client.serverProcess.count()).toBe(1);
  });
});
