import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { adminTokenFile, readAdminToken } from '../../../test/support/admin-token.js';
import { startServices, type TestServices } from '../../../test/support/services.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { AccessModule } from '../access.module.js';
import { FirstAdministrator } from '../identity/first-administrator.service.js';
import { FirstStart } from './first-start.service.js';
import { firstStartNotice } from './first-start-notice.js';
import { SignIns } from './sign-ins.service.js';

/** Made up for this spec. */
const GIVEN = 'gbo_Zu4mQ9xWv2Lr7Tn5Kc8Yp3Hd6Bf1Gs0J';

let services: TestServices;
let dataDir: string;
beforeEach(async () => {
  services = await startServices(AccessModule);
  // Beside the skills, in the folder of this test.
  dataDir = join(services.get<Config>(CONFIG).skillsDir, '..', 'database');
});
afterEach(() => services.close());

/** What a start says without a terminal. */
async function start(settings: Partial<Config> = {}): Promise<string | undefined> {
  const config = { ...services.get<Config>(CONFIG), dataDir, ...settings };
  const access = await new FirstStart(config, services.get(Ids), services.get(FirstAdministrator)).run();
  return firstStartNotice(access, 'http://127.0.0.1:4747', false);
}
const works = (token: string): Promise<boolean> =>
  services
    .get(SignIns)
    .signIn(token, 'personal')
    .then(
      () => true,
      () => false,
    );

describe('a start without a terminal', () => {
  it('writes the token into a file that only its user reads, and a second start revokes nothing', async () => {
    const first = await start();
    expect(first).not.toContain('gbo_');
    expect(first).toContain(`--token - < ${adminTokenFile(dataDir)}`);
    expect((await stat(adminTokenFile(dataDir))).mode & 0o777).toBe(0o600);
    const token = readAdminToken(dataDir);
    const second = await start();
    expect(second).not.toContain('gbo_');
    expect(second).toContain(adminTokenFile(dataDir));
    expect(readAdminToken(dataDir)).toBe(token);
    expect(await works(token ?? '')).toBe(true);
    expect(await start()).toBeUndefined();
    expect(readAdminToken(dataDir)).toBeUndefined();
  });

  it('accepts a token from outside, once, and replaces a lost one with it', async () => {
    await start();
    const lost = readAdminToken(dataDir) ?? '';
    const second = await start({ adminToken: GIVEN });
    expect(second).toContain('the one-time token of GUILDBOOK_ADMIN_TOKEN');
    expect(second).not.toContain('gbo_');
    expect(await works(GIVEN)).toBe(true);
    expect(await works(GIVEN)).toBe(false);
    // The lost token ends with the sign-in.
    expect(await works(lost)).toBe(false);
    await services.database.client.credential.updateMany({ data: { revokedAt: services.clock.now() } });
    expect(await start({ adminToken: GIVEN })).toContain('Set a new one and start again');
  });
});
