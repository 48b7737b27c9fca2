import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { loadConfig } from '../../src/platform/config/config.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { cookiesOf, OWN_PAGE } from '../support/browser.js';
import { type Account, IdentityProvider, TestBrowser } from '../support/identity-provider.js';

// Only a name: the test forwards the provider's redirects from this address to the server.
const PUBLIC = 'https://guildbook.example.org';
const CALLBACK = /\/sign-in\/oidc\/callback\?/;
const FLOW = '__Host-guildbook-oidc';

// Silences the provider's console warning about production use.
for (const level of ['info', 'warn'] as const) jest.spyOn(console, level).mockImplementation(() => undefined);

let app: TestApplication;
let provider: IdentityProvider;
let browser: TestBrowser;

const here = (address: string) => address.replace(PUBLIC, app.url);
/** Goes to the provider and returns to the callback. */
const leave = async () => here((await browser.open(`${app.url}/sign-in/oidc`, CALLBACK)).url);
const enter = async (callback: string) =>
  fetch(callback, { headers: { cookie: browser.cookie(callback) }, redirect: 'manual' });
const signIn = async (account: Account) => {
  provider.account = account;
  return enter(await leave());
};
/** Signs in with a fresh browser, because the provider keeps its own session. */
const signInAfresh = (account: Account) => {
  browser = new TestBrowser();
  return signIn(account);
};
const code = async (answer: Response) => [answer.status, ((await answer.json()) as { code: string }).code];
const register = async (name: string, email: string) =>
  (await app.admin.people.add({ name, email, reviewer: true, admin: false })).principal.id;
const me = (answer: Response) => fetch(`${app.url}/v1/me`, { headers: { cookie: cookiesOf(answer), ...OWN_PAGE } });

describe.each([
  { where: 'asked for', emailInIdToken: false },
  { where: 'in the ID token', emailInIdToken: true },
])('signing in with an identity provider, the address $where,', ({ emailInIdToken }) => {
  beforeAll(async () => {
    provider = await IdentityProvider.start(PUBLIC, { emailInIdToken });
    app = await startTestApplication(IdentityProvider.settings(provider.issuer, PUBLIC));
  });
  afterAll(async () => {
    await app.close();
    await provider.stop();
  });
  beforeEach(() => {
    browser = new TestBrowser();
    provider.denies = false;
  });

  it('opens a session for the person with the verified address, and journals it', async () => {
    const id = await register('Rosa', 'Rosa@example.org');
    const answer = await signIn({ email: 'rosa@Example.org', email_verified: true });
    expect(answer.status).toBe(200);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-guildbook-oidc=; Path=\/; Max-Age=0; HttpOnly; Secure; SameSite=Lax$/),
      expect.stringMatching(/^__Host-guildbook-return=; Path=\/; Max-Age=0; /),
      expect.stringMatching(/^__Host-guildbook=gbw_[\w-]{43}; .*; HttpOnly; Secure; SameSite=Strict$/),
    ]);
    expect(await (await me(answer)).json()).toMatchObject({ principal: { id }, scopes: ['read', 'decide'] });
    expect((await app.admin.journal.list({ subject: id })).items.at(-1)).toMatchObject({
      action: 'access.signed_in',
      data: { with: 'oidc', session: true },
    });
    expect(await (await fetch(`${app.url}/sign-in`)).text()).toContain('href="/sign-in/oidc?to=%2F"');
  });

  it('refuses an address that is not verified', async () => {
    await register('Vera', 'vera@example.org');
    for (const claims of [{ email_verified: false }, {}])
      expect(await code(await signIn({ email: 'vera@example.org', ...claims }))).toEqual([
        403,
        'access.oidc_unverified',
      ]);
    expect(await code(await signIn({}))).toEqual([403, 'access.oidc_unverified']);
  });

  it('registers no person, and refuses a disabled person and a shared address', async () => {
    const count = () => app.database.client.principal.count();
    const before = await count();
    const unknown = [403, 'access.oidc_unknown'];
    for (const email of ['stranger@example.org', '%@example.org', 'rosa@example.org.elsewhere.example'])
      expect(await code(await signIn({ email, email_verified: true }))).toEqual(unknown);
    expect(await count()).toBe(before);
    const gone = await register('Gone', 'gone@example.org');
    await app.admin.principals.disable(gone);
    expect(await code(await signIn({ email: 'gone@example.org', email_verified: true }))).toEqual(unknown);
    await register('Kim', 'kim@example.org');
    // The Kelvin sign, which becomes a "k" in lower case.
    expect(await code(await signIn({ email: '\u212aim@example.org', email_verified: true }))).toEqual(unknown);
    // Written before the rule that addresses are unique.
    const again = await register('Kim again', 'kim.again@example.org');
    const { client } = app.database;
    await client.$executeRawUnsafe('ALTER TABLE "principal" DISABLE TRIGGER USER');
    await client.principal.update({ where: { id: again }, data: { email: 'KIM@example.org' } });
    await client.$executeRawUnsafe('ALTER TABLE "principal" ENABLE TRIGGER USER');
    expect(await code(await signIn({ email: 'kim@example.org', email_verified: true }))).toEqual([
      409,
      'access.oidc_ambiguous',
    ]);
  });

  it('recognises a person by the account: the new owner of an address is not its previous owner', async () => {
    const id = await register('Ida', 'ida@example.org');
    const ida = { subject: 'ida at the provider', email: 'ida@example.org', email_verified: true };
    expect((await signIn(ida)).status).toBe(200);
    const entry = async () => (await app.admin.journal.list({ subject: id, order: 'newest' })).items[0];
    expect(await entry()).toMatchObject({ action: 'access.signed_in', data: { newAccount: true } });
    const other = [403, 'access.oidc_other_account'];
    expect(await code(await signInAfresh({ ...ida, subject: 'who got her address' }))).toEqual(other);
    // With another address she is the same person.
    const moved = await signInAfresh({ ...ida, email: 'ida.married@example.org' });
    expect(await (await me(moved)).json()).toMatchObject({ principal: { id } });
    expect(await entry()).toMatchObject({ action: 'access.signed_in', data: { with: 'oidc', session: true } });
    expect((await entry())?.data).not.toHaveProperty('newAccount');
    // An administrator allows a new account.
    await app.admin.people.invite(id);
    expect((await signInAfresh({ ...ida, subject: 'her new account' })).status).toBe(200);
    expect(await code(await signInAfresh(ida))).toEqual(other);
  });

  it('links one account to one person: a second account with the same address is refused', async () => {
    const [one, two] = [await register('Jo', 'jo@example.org'), await register('Jo too', 'jo.too@example.org')];
    const jo = { subject: 'jo', email: 'jo@example.org', email_verified: true };
    expect(await (await me(await signIn(jo))).json()).toMatchObject({ principal: { id: one } });
    expect(await code(await signIn({ ...jo, email: 'jo.too@example.org' }))).toEqual([
      403,
      'access.oidc_other_account',
    ]);
    // A disabled person no longer holds the account.
    await app.admin.principals.disable(one);
    expect(await (await me(await signIn({ ...jo, email: 'jo.too@example.org' }))).json()).toMatchObject({
      principal: { id: two },
    });
  });

  it('ends when the person declines at the provider', async () => {
    provider.denies = true;
    expect(await code(await signIn({ email: 'rosa@example.org', email_verified: true }))).toEqual([
      401,
      'access.oidc_refused',
    ]);
  });

  describe('returns from the provider', () => {
    let callback: string;
    const refused = [401, 'access.oidc_refused'];

    beforeEach(async () => {
      provider.account = { email: 'rosa@example.org', email_verified: true };
      callback = await leave();
    });

    it('once: the same response of the provider does not sign in again', async () => {
      const cookie = browser.cookie(callback);
      expect((await enter(callback)).status).toBe(200);
      const answer = await fetch(callback, { headers: { cookie } });
      expect(answer.headers.getSetCookie().join()).not.toContain('gbw_');
      expect(await code(answer)).toEqual(refused);
    });

    it('only in the browser that started the sign-in', async () => {
      expect(await code(await fetch(callback))).toEqual(refused);
      const other = new TestBrowser();
      await other.open(`${app.url}/sign-in/oidc`, CALLBACK);
      const stolen = await fetch(callback, { headers: { cookie: other.cookie(callback) } });
      expect(await code(stolen)).toEqual(refused);
    });

    it.each([
      ['state', 0],
      ['nonce', 1],
      ['proof of the code', 2],
    ] as const)('with its own %s', async (_what, part) => {
      browser.tamper(callback, FLOW, (flow) =>
        flow
          .split('.')
          .map((value, at) => (at === part ? `${value.slice(1)}A` : value))
          .join('.'),
      );
      expect(await code(await enter(callback))).toEqual(refused);
    });

    it.each<[string, (url: URL) => void]>([
      ['another state', (url) => url.searchParams.set('state', 'x'.repeat(32))],
      ['no state', (url) => url.searchParams.delete('state')],
      ['another code', (url) => url.searchParams.set('code', 'x'.repeat(43))],
      ['another issuer', (url) => url.searchParams.set('iss', 'https://elsewhere.example')],
      ['an error', (url) => url.searchParams.set('error', 'access_denied')],
      ['a second code', (url) => url.searchParams.append('code', 'x')],
    ])('and not with %s', async (_what, change) => {
      const url = new URL(callback);
      change(url);
      expect(await code(await enter(url.href))).toEqual(refused);
    });
  });
});

describe('an unavailable identity provider', () => {
  it('delays neither the start nor other sign-ins, and is asked again the next time', async () => {
    const gone = await IdentityProvider.start(PUBLIC);
    await gone.stop();
    app = await startTestApplication(IdentityProvider.settings(gone.issuer, PUBLIC));
    browser = new TestBrowser();
    expect((await fetch(`${app.url}/sign-in`)).status).toBe(200);
    expect((await app.admin.me()).principal.name).toBe('Administrator');
    expect(await code(await fetch(`${app.url}/sign-in/oidc`, { redirect: 'manual' }))).toEqual([
      503,
      'access.oidc_unavailable',
    ]);
    provider = await IdentityProvider.start(PUBLIC, { port: Number(new URL(gone.issuer).port) });
    await register('Rosa', 'rosa@example.org');
    expect((await signIn({ email: 'rosa@example.org', email_verified: true })).status).toBe(200);
    provider.account = { email: 'rosa@example.org', email_verified: true };
    const callback = await leave();
    await provider.stop();
    expect(await code(await enter(callback))).toEqual([503, 'access.oidc_unavailable']);
    await app.close();
  });
});

describe('without an identity provider', () => {
  it('the sign-in page does not offer it', async () => {
    app = await startTestApplication();
    for (const path of ['/sign-in/oidc', '/sign-in/oidc/callback?code=x&state=y'])
      expect(await code(await fetch(app.url + path))).toEqual([404, 'access.oidc_off']);
    expect(await (await fetch(`${app.url}/sign-in`)).text()).not.toContain('oidc');
    await app.close();
  });
});

describe('the settings of an identity provider', () => {
  it('must be complete, or the server does not start; plain http is only for this machine', () => {
    const settings = IdentityProvider.settings('https://id.example.org/realms/a', PUBLIC);
    expect(loadConfig(settings).oidcIssuer).toBe('https://id.example.org/realms/a');
    for (const name of ['GUILDBOOK_OIDC_CLIENT_ID', 'GUILDBOOK_OIDC_CLIENT_SECRET', 'GUILDBOOK_PUBLIC_URL'])
      expect(() => loadConfig({ ...settings, [name]: '' })).toThrow(new RegExp(`${name}: required`));
    expect(() => loadConfig({ ...settings, GUILDBOOK_OIDC_ISSUER: 'http://id.example.org' })).toThrow(
      /GUILDBOOK_OIDC_ISSUER/,
    );
  });
});
