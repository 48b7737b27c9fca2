import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startServices, type TestServices } from '../../../test/support/services.js';
import { DAY_MS } from '../../platform/base/durations.js';
import { AccessModule } from '../access.module.js';
import { SignIns } from '../sign-in/sign-ins.service.js';
import { AuthService } from './auth.service.js';
import { FirstAdministrator } from './first-administrator.service.js';

let services: TestServices;
let administrator: FirstAdministrator;

beforeEach(async () => {
  services = await startServices(AccessModule);
  administrator = services.get(FirstAdministrator);
  const first = await administrator.ensure();
  const signIns = services.get(SignIns);
  const { token } = await signIns.signIn(first.state === 'issued' ? first.token : '', 'personal');
  await signIns.signOut(await services.get(AuthService).authenticate(token, ['personal']));
  // Now no administrator can sign in.
});
afterEach(() => services.close());

const signsIn = (token: string): Promise<string> =>
  services
    .get(SignIns)
    .signIn(token, 'personal')
    .then(
      () => 'signed in',
      ({ code }: { code: string }) => code,
    );

describe('the first administrator', () => {
  it('gets one token from starts at once, and none of them revokes it', async () => {
    const results = await Promise.all([1, 2, 3, 4].map(() => administrator.ensure()));
    expect(results.map(({ state }) => state).sort()).toEqual(['invited', 'invited', 'invited', 'issued']);
    expect(await administrator.ensure()).toMatchObject({ state: 'invited' });
    const issued = results.find((one) => one.state === 'issued');
    expect(await signsIn(issued?.token ?? '')).toBe('signed in');
    expect(await administrator.ensure()).toEqual({ state: 'signed_in' });
  });

  it('gets a given token beside one that is lost, and the sign-in ends the other', async () => {
    const lost = await administrator.ensure();
    const given = administrator.newToken();
    expect(await administrator.ensure(given, { given: true })).toMatchObject({ state: 'issued' });
    // A second process with the same setting.
    expect(await administrator.ensure(given, { given: true })).toMatchObject({ state: 'invited' });
    expect(await signsIn(given)).toBe('signed in');
    expect(await signsIn(lost.state === 'issued' ? lost.token : '')).toBe('access.revoked');
  });

  it('gets no second sign-in from a given token that was used, or has expired', async () => {
    const [used, expired] = [administrator.newToken(), administrator.newToken()];
    await administrator.ensure(used, { given: true });
    await signsIn(used);
    await services.database.client.credential.updateMany({
      where: { kind: { in: ['sign_in', 'personal'] } },
      data: { revokedAt: new Date() },
    });
    expect(await administrator.ensure(used, { given: true })).toEqual({ state: 'spent' });
    await administrator.ensure(expired, { given: true });
    services.clock.advance(8 * DAY_MS);
    expect(await administrator.ensure(expired, { given: true })).toEqual({ state: 'spent' });
    expect(await administrator.ensure()).toMatchObject({ state: 'issued' });
  });

  it('is journalled when a token is issued, without the token', async () => {
    const issued = await administrator.ensure();
    const entries = await services.database.client.journalEntry.findMany({ where: { action: 'access.invited' } });
    expect(entries).toHaveLength(1);
    expect(JSON.stringify(entries.map(({ data }) => data))).not.toContain(
      issued.state === 'issued' ? issued.token : '',
    );
  });
});
