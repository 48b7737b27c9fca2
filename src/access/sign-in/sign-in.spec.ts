import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { cookiesOf, FOREIGN_PAGE, OWN_PAGE, openSession, postSignIn } from '../../../test/support/browser.js';
import { HOUR_MS } from '../../platform/base/durations.js';

const NOWHERE = '00000000-0000-4000-8000-000000000000';

let app: TestApplication;

let people = 0;
const invite = async (roles: { reviewer?: boolean; admin?: boolean } = { reviewer: true }) => {
  people += 1;
  const email = `rosa.${people}@example.org`;
  const person = { name: `Rosa ${people}`, email, reviewer: false, admin: false, ...roles };
  const { token, principal } = await app.admin.people.add(person);
  return { token, id: principal.id };
};
const me = (headers: Readonly<Record<string, string>>) => fetch(`${app.url}/v1/me`, { headers });
const reject = (headers: Readonly<Record<string, string>>) =>
  fetch(`${app.url}/v1/proposals/${NOWHERE}/reject`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"reason":"because"}',
  });
const code = async (answer: Response) => [answer.status, ((await answer.json()) as { code: string }).code];
const journalOf = async (subject: string) => (await app.admin.journal.list({ subject })).items;

describe('a browser', () => {
  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  it('is not signed in by opening the link, as mail scanners do: the page has a button and no script', async () => {
    const { token, id } = await invite();
    for (const method of ['GET', 'GET', 'HEAD']) {
      const page = await fetch(`${app.url}/sign-in?token=${token}`, { method });
      expect([page.status, page.headers.getSetCookie()]).toEqual([200, []]);
      expect(page.headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(page.headers.get('cache-control')).toBe('no-store');
      if (method === 'HEAD') continue;
      const html = await page.text();
      expect(html).toContain(`<input type="hidden" name="token" value="${token}">`);
      expect(html).not.toMatch(/<script|javascript:|\son\w+=/i);
    }
    expect((await journalOf(id)).map(({ action }) => action)).toEqual(['access.person_added']);
    expect((await me({ cookie: await openSession(app, token), ...OWN_PAGE })).status).toBe(200);
  });

  it('shows nothing of a malformed sign-in link', async () => {
    for (const token of ['"><script>alert(1)</script>', `gbo_${'A'.repeat(30)}"><b>`, 'gbt_', "x' onclick='y"]) {
      const html = await (await fetch(`${app.url}/sign-in?token=${encodeURIComponent(token)}&x=<b>`)).text();
      expect(html).not.toMatch(/<script|<b>|onclick|type="hidden"/);
    }
  });

  it('is signed in by the button for an hour, with cookies that no script and no other site can use', async () => {
    const { token, id } = await invite();
    const answer = await postSignIn(app, { token });
    expect(answer.status).toBe(200);
    const [session, again] = answer.headers.getSetCookie();
    expect(session).toMatch(
      /^__Host-guildbook=gbw_[\w-]{43}; Path=\/; Max-Age=3[56]\d\d; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(again).toMatch(
      /^__Host-guildbook-sign-in=gbs_[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; Secure; SameSite=Strict$/,
    );
    const known = await me({ cookie: cookiesOf(answer), ...OWN_PAGE });
    expect(await known.json()).toMatchObject({ principal: { id }, scopes: ['read', 'decide'] });
    expect((await journalOf(id)).at(-1)).toMatchObject({
      action: 'access.signed_in',
      data: { with: 'one_time', session: true },
    });
    expect(await code(await postSignIn(app, { token }))).toEqual([401, 'access.already_used']);
  });

  it('can decide as its person', async () => {
    const cookie = await openSession(app, (await invite()).token);
    expect(await code(await reject({ cookie, ...OWN_PAGE }))).toEqual([404, 'proposal.not_found']);
    const reader = await openSession(app, (await invite({})).token);
    expect(await code(await reject({ cookie: reader, ...OWN_PAGE }))).toEqual([403, 'access.scope_missing']);
  });

  it('rejects and journals changes that another site requests', async () => {
    const { token, id } = await invite();
    const cookie = await openSession(app, token);
    const before = (await journalOf(id)).length;
    const attempts = [
      FOREIGN_PAGE,
      { 'sec-fetch-site': 'same-site', origin: 'https://wiki.example.org' },
      { origin: 'https://elsewhere.example' },
      { origin: 'null' },
      {},
    ];
    for (const headers of attempts)
      expect(await code(await reject({ cookie, ...headers }))).toEqual([403, 'access.cross_origin']);
    const noted = (await journalOf(id)).slice(before);
    expect(noted.map(({ action }) => action)).toEqual(Array(5).fill('access.cross_origin_refused'));
    expect(noted[0]).toMatchObject({
      data: {
        method: 'POST',
        route: '/v1/proposals/:id/reject',
        origin: 'https://elsewhere.example',
        site: 'cross-site',
      },
    });
    expect(await code(await me({ cookie, ...FOREIGN_PAGE }))).toEqual([403, 'access.cross_origin']);
    expect(await journalOf(id)).toHaveLength(before + 5);
  });

  it('of an old version proves its page by the Origin header', async () => {
    const cookie = await openSession(app, (await invite()).token);
    expect((await reject({ cookie, origin: app.url })).status).toBe(404);
    expect((await reject({ cookie, origin: app.url.replace('http:', 'https:') })).status).toBe(403);
  });

  it('is not signed in by another site and gets no cookie', async () => {
    const { token } = await invite();
    for (const headers of [FOREIGN_PAGE, {}, { origin: 'https://elsewhere.example' }]) {
      const answer = await postSignIn(app, { token }, headers);
      expect(answer.headers.getSetCookie()).toEqual([]);
      expect(await code(answer)).toEqual([403, 'access.cross_origin']);
    }
    expect((await postSignIn(app, { token })).status).toBe(200);
  });

  it('is rejected with both a bearer token and a cookie', async () => {
    const cookie = await openSession(app, (await invite()).token);
    const authorization = `Bearer ${app.adminToken}`;
    for (const both of [
      { cookie, authorization },
      { cookie, authorization: 'Basic eDp5' },
    ])
      expect(await code(await me({ ...both, ...OWN_PAGE }))).toEqual([400, 'access.two_credentials']);
  });

  it('can post forms to the sign-in page only, with its fields only', async () => {
    expect((await postSignIn(app, { token: 'x', next: 'https://elsewhere.example' })).status).toBe(400);
    const text = await fetch(`${app.url}/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', ...OWN_PAGE },
      body: 'token=x',
    });
    expect(text.status).toBe(415);
  });

  it('cannot use the token of an agent or a personal token', async () => {
    const { token: agent } = await app.agent('builder');
    for (const token of [agent, app.adminToken, 'nonsense'])
      expect((await postSignIn(app, { token })).status).toBe(401);
    expect(await code(await postSignIn(app, {}))).toEqual([401, 'access.unknown']);
  });

  it('signs out everywhere and deletes its cookies', async () => {
    const { token } = await invite();
    const first = await postSignIn(app, { token });
    const cookie = cookiesOf(first);
    const again = cookiesOf(await postSignIn(app, {}, { cookie, ...OWN_PAGE }));
    const answer = await fetch(`${app.url}/v1/sign-out`, { method: 'POST', headers: { cookie, ...OWN_PAGE } });
    expect(answer.status).toBe(204);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-guildbook=; .*Max-Age=0;/),
      expect.stringMatching(/^__Host-guildbook-sign-in=; .*Max-Age=0;/),
    ]);
    for (const gone of [cookie, again])
      expect(await code(await me({ cookie: gone, ...OWN_PAGE }))).toEqual([401, 'access.revoked']);
    expect((await postSignIn(app, {}, { cookie, ...OWN_PAGE })).status).toBe(401);
  });

  it('loses access at once when its person is disabled, and the right to decide with the role', async () => {
    const { token, id } = await invite();
    const cookie = await openSession(app, token);
    await app.admin.people.change(id, { reviewer: false });
    expect(await code(await reject({ cookie, ...OWN_PAGE }))).toEqual([403, 'access.scope_missing']);
    await app.admin.principals.disable(id);
    expect(await code(await me({ cookie, ...OWN_PAGE }))).toEqual([401, 'access.revoked']);
  });
});

describe('a link for a browser', () => {
  let early: string;

  beforeAll(async () => {
    app = await startTestApplication();
    early = (await invite()).token;
  });
  afterAll(() => app.close());

  const signInToken = async () => (await app.client().signIn((await invite()).token)).signInToken ?? '';

  it('requires a sign-in token, gives one session and no lasting credential, and is journalled', async () => {
    const { token: invitation, id } = await invite();
    const { signInToken: lasting } = await app.client().signIn(invitation);
    const { token, expiresAt } = await app.client().signInLink(lasting ?? '');
    expect((await journalOf(id)).at(-1)).toMatchObject({ action: 'access.link_made', data: { expiresAt } });
    await expect(app.client().signIn(token)).rejects.toMatchObject({ problem: { code: 'access.not_a_sign_in' } });
    const answer = await postSignIn(app, { token });
    expect(cookiesOf(answer)).toMatch(/^__Host-guildbook=gbw_[\w-]{43}$/);
    expect(await code(await postSignIn(app, { token }))).toEqual([401, 'access.already_used']);
    const session = cookiesOf(answer).split('=')[1] ?? '';
    for (const useless of [session, app.adminToken, (await invite()).token])
      await expect(app.client().signInLink(useless)).rejects.toMatchObject({
        problem: { status: 401, code: 'access.not_a_sign_in' },
      });
  });

  it('is valid for ten minutes, and its session for an hour', async () => {
    const token = await signInToken();
    const late = await app.client().signInLink(token);
    app.clock.advance(HOUR_MS / 6);
    expect(await code(await postSignIn(app, { token: late.token }))).toEqual([401, 'access.expired']);
    const { token: link } = await app.client().signInLink(token);
    const cookie = await openSession(app, link);
    app.clock.advance(HOUR_MS);
    expect(await code(await me({ cookie, ...OWN_PAGE }))).toEqual([401, 'access.expired']);
  });

  it('is not needed by an invited browser: it signs in again by itself for a month', async () => {
    const cookie = cookiesOf(await postSignIn(app, { token: early }));
    app.clock.advance(2 * HOUR_MS);
    expect(await (await fetch(`${app.url}/sign-in`, { headers: { cookie } })).text()).toContain('Sign in again');
    const again = await postSignIn(app, {}, { cookie, ...OWN_PAGE });
    expect(cookiesOf(again)).toMatch(/^__Host-guildbook=gbw_[\w-]{43}$/);
    expect((await me({ cookie: cookiesOf(again), ...OWN_PAGE })).status).toBe(200);
  });
});
