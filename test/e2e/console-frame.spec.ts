import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SESSION_COOKIE, SIGN_IN_COOKIE } from '../../src/access/sign-in/cookie.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { postSignIn } from '../support/browser.js';
import { Console, formOf } from '../support/console.js';
import { submitTestProposal } from '../support/proposal-input.js';

const POLICY =
  /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/;

describe('the frame of the console', () => {
  let app: TestApplication;
  let admin: Awaited<ReturnType<typeof Console.signedIn>>;

  beforeAll(async () => {
    app = await startTestApplication();
    admin = await Console.signedIn(app, 'Ada Admin', { reviewer: true, admin: true });
  });
  afterAll(() => app.close());

  it('sends every page with a policy that allows only our own files, and without inline code', async () => {
    const { id } = await submitTestProposal(app, 'some policy');
    for (const path of ['/', `/review/${id}`, `/review/${id}/edit`, '/review/none', '/?q=none']) {
      const { headers, text: html } = await admin.get(path);
      expect([path, headers.get('content-security-policy')]).toEqual([path, expect.stringMatching(POLICY)]);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:|<script(?! type="module" src="\/console\/)/i);
      expect(html.match(/(?:src|href|action)="(?!\/|#)[^"]*"/g)).toBeNull();
    }
  });

  it('serves style and script under names with their hash, immutable, compressed and with an entity tag', async () => {
    const { text: html } = await admin.get('/');
    for (const [, path = ''] of html.matchAll(/(?:href|src)="(\/console\/[^"]+)"/g)) {
      const answer = await fetch(app.url + path, { headers: { 'accept-encoding': 'br' } });
      expect([path, answer.status, (await answer.text()).length > 100]).toEqual([path, 200, true]);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer.headers.get('content-encoding')).toBe('br');
      const known = { 'accept-encoding': 'br', 'if-none-match': answer.headers.get('etag') ?? '' };
      expect((await fetch(app.url + path, { headers: known })).status).toBe(304);
    }
    const plain = await fetch(`${app.url}/console/console.css`, { headers: { 'accept-encoding': 'identity' } });
    expect([plain.headers.get('cache-control'), plain.headers.get('content-encoding')]).toEqual([
      'public, no-cache',
      null,
    ]);
    expect((await plain.text()).startsWith(':root')).toBe(true);
    for (const file of ['none.css', '..%2Fpages.view.js', 'frame.css', '%2e%2e'])
      expect((await fetch(`${app.url}/console/${file}`)).status).toBeGreaterThanOrEqual(400);
  });

  it('asks a signed-out person to sign in, and returns to the requested page', async () => {
    const { id } = await submitTestProposal(app, 'wanted later');
    const person = await Console.signedIn(app, 'Late Lena', { reviewer: true });
    person.forget(SESSION_COOKIE);
    const out = await person.get(`/review/${id}`);
    expect(out.status).toBe(401);
    expect(out.text).toContain('You are signed out');
    expect(out.text).not.toContain('wanted later');
    const again = await person.post('/sign-in', formOf(out, '/sign-in'));
    expect([again.status, again.to]).toEqual([303, `/review/${id}`]);
    expect((await person.get(`/review/${id}`)).status).toBe(200);
  });

  it('never redirects to another site after the sign-in', async () => {
    const { token } = await app.admin.people.add({
      name: 'Nora',
      email: 'nora@example.org',
      reviewer: true,
      admin: false,
    });
    const page = await (await fetch(`${app.url}/sign-in?token=${token}&to=//evil.example`)).text();
    expect(page).toContain('name="to" value="/"');
    const answer = await fetch(`${app.url}/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ token, to: 'https://evil.example/' }),
      redirect: 'manual',
    });
    expect([answer.status, answer.headers.get('location')]).toEqual([200, null]);
    await answer.text();
  });

  it('returns to the proposal after the sign-in if the session ended before a form was sent', async () => {
    const { id } = await submitTestProposal(app, 'sent too late');
    const person = await Console.signedIn(app, 'Lars Late', { reviewer: true });
    const form = formOf(await person.get(`/review/${id}`), `/review/${id}/approve`);
    person.forget(SESSION_COOKIE);
    const out = await person.post(`/review/${id}/approve`, form);
    expect(out.status).toBe(401);
    expect(formOf(out, '/sign-in')).toEqual({ to: `/review/${id}` });
    expect((await app.admin.proposals.show(id)).state).toBe('pending');
  });

  it('opens a link from another site, whose first request has no cookie, by reloading once', async () => {
    // fetch sets these headers itself, so it cannot be used here.
    const open = async (site: string): Promise<string> => {
      const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate' };
      const [answer] = (await once(get(`${app.url}/review/next`, { headers }), 'response')) as [IncomingMessage];
      expect(answer.statusCode).toBe(401);
      return text(answer);
    };
    expect(await open('cross-site')).toContain('<meta http-equiv="refresh" content="0">');
    expect(await open('same-origin')).toContain('You are signed out');
  });

  it('signs out everywhere', async () => {
    const person = await Console.signedIn(app, 'Otto Out', {});
    const out = await person.post('/sign-out');
    expect([out.status, out.to]).toEqual([303, '/sign-in']);
    expect([person.cookie(SESSION_COOKIE), person.cookie(SIGN_IN_COOKIE)]).toEqual([undefined, undefined]);
    expect((await person.get('/')).status).toBe(401);
  });

  it('answers unknown and malformed addresses with a page', async () => {
    const none = await admin.get('/review/00000000-0000-4000-8000-000000000000');
    expect([none.status, none.text.includes('Not found')]).toEqual([404, true]);
    const nonsense = await admin.get('/review/%3Cscript%3E');
    expect([nonsense.status, nonsense.text.includes('<script>')]).toEqual([400, false]);
  });

  it('explains why a link does not sign in, with the remaining ways; a program receives a problem', async () => {
    const own = { 'sec-fetch-site': 'same-origin', accept: 'text/html,*/*;q=0.8' };
    const person = { name: 'Pia', email: 'pia@example.org', reviewer: false, admin: false };
    const { token } = await app.admin.people.add(person);
    await postSignIn(app, { token });
    const late = await postSignIn(app, { token }, own);
    const html = await late.text();
    expect([late.status, late.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8']);
    expect(late.headers.get('content-security-policy')).not.toContain('script-src');
    expect(html).toMatch(/role="alert">This one-time token was already used\.</);
    expect(html).toContain('guildbook login --browser');
    expect(html).toContain('Error code: access.already_used');
    expect(html).not.toMatch(new RegExp(`<script|${token}`));
    const again = await postSignIn(app, { token }, { ...own, cookie: `${SIGN_IN_COOKIE}=gbs_${'A'.repeat(43)}` });
    expect(await again.text()).toContain('Sign in again');
    const program = await postSignIn(app, { token });
    expect(program.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });

  it('signs in when the person presses the button', async () => {
    const { token } = await app.admin.people.add({
      name: 'Paul',
      email: 'paul@example.org',
      reviewer: false,
      admin: false,
    });
    const answer = await postSignIn(app, { token });
    expect([answer.status, (await answer.text()).includes('href="/"')]).toEqual([200, true]);
  });
});
