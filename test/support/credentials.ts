import { hashToken } from '../../src/access/identity/token.js';
import { SESSION_COOKIE } from '../../src/access/sign-in/cookie.js';
import type { TestApplication } from './application.js';
import { FOREIGN_PAGE, OWN_PAGE, openSession } from './browser.js';

/** Request headers of all kinds of callers, by credential. */
export const VALID = [
  'agent',
  'service',
  'proposing service',
  'reader',
  'reviewer',
  'administrator',
  'reviewer in a browser',
  'administrator in a browser',
] as const;
export type Valid = (typeof VALID)[number];

export const VOID = [
  'nothing',
  'no bearer token',
  'an unknown token',
  'an invitation',
  'a sign-in token',
  'an expired personal token',
  'a signed-out personal token',
  'the token of a disabled agent',
  'a rotated token',
  'an expired token of an agent',
  'an expired session',
  'a signed-out session',
  'a session as a bearer token',
  'a personal token as a cookie',
  'a link',
] as const;
export type Void = (typeof VOID)[number];

/** Credentials that work only from our own pages. */
export const FOREIGN = ['a session from a foreign page', 'a session from a sibling domain'] as const;
export type Foreign = (typeof FOREIGN)[number];

type Headers = Readonly<Record<string, string>>;

/** Creates one credential of each kind. The void ones worked once, or look as if they did. */
export async function everyCredential(app: TestApplication): Promise<Record<Valid | Void | Foreign, Headers>> {
  const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
  const service = async (name: string, scopes: ('report-for' | 'read' | 'propose')[]) =>
    bearer((await app.admin.services.add({ name, scopes })).token);
  const person = async (name: string, roles: { reviewer?: boolean; admin?: boolean } = {}) =>
    bearer((await app.person(name, roles)).token);
  const invited = async (name: string) => {
    const email = `${name.replaceAll(' ', '.')}@example.org`;
    return (await app.admin.people.add({ name, email, reviewer: true, admin: true })).token;
  };
  const session = async (name: string, roles: { reviewer?: boolean; admin?: boolean }) => {
    const email = `${name.replaceAll(' ', '.')}@example.org`;
    const { token } = await app.admin.people.add({ name, email, reviewer: false, admin: false, ...roles });
    return openSession(app, token);
  };
  const both = { reviewer: true, admin: true };
  const foreign = await session('foreign session', both);
  const { signInToken = '' } = await app.client().signIn(await invited('who signs in'));
  return {
    agent: bearer((await app.agent('agent')).token),
    service: await service('importer', ['report-for', 'read']),
    'proposing service': await service('proposing', ['propose']),
    reader: await person('reader'),
    reviewer: await person('reviewer', { reviewer: true }),
    administrator: await person('administrator', { admin: true }),
    'reviewer in a browser': { cookie: await session('reviewer in a browser', { reviewer: true }), ...OWN_PAGE },
    'administrator in a browser': { cookie: await session('administrator in a browser', { admin: true }), ...OWN_PAGE },
    'a session from a foreign page': { cookie: foreign, ...FOREIGN_PAGE },
    'a session from a sibling domain': { cookie: foreign, 'sec-fetch-site': 'same-site' },
    nothing: {},
    'no bearer token': { authorization: `Basic ${Buffer.from('reviewer:secret').toString('base64')}` },
    'an unknown token': bearer(`gbp_${'A'.repeat(43)}`),
    'an invitation': bearer(await invited('who is invited')),
    'a sign-in token': bearer(signInToken),
    'an expired personal token': bearer(await expired(app)),
    'a signed-out personal token': bearer(await signedOut(app)),
    'the token of a disabled agent': bearer(await disabled(app)),
    'a rotated token': bearer(await rotated(app)),
    'an expired token of an agent': bearer(await expiredAgent(app)),
    'an expired session': { cookie: await expiredSession(app, await session('expired session', both)), ...OWN_PAGE },
    'a signed-out session': { cookie: await endedSession(app, await session('signed-out session', both)), ...OWN_PAGE },
    'a session as a bearer token': bearer(tokenIn(foreign)),
    'a personal token as a cookie': { cookie: `${SESSION_COOKIE}=${app.adminToken}`, ...OWN_PAGE },
    'a link': bearer((await app.client().signInLink(signInToken)).token),
  };
}

async function expired(app: TestApplication): Promise<string> {
  const { token } = await app.person('expired person', { reviewer: true, admin: true });
  await expire(app, token);
  return token;
}

async function signedOut(app: TestApplication): Promise<string> {
  const { token, client } = await app.person('signed-out person', { reviewer: true, admin: true });
  await client.signOut();
  return token;
}

async function disabled(app: TestApplication): Promise<string> {
  const { id, token } = await app.agent('disabled agent');
  await app.admin.principals.disable(id);
  return token;
}

async function rotated(app: TestApplication): Promise<string> {
  const { id, token } = await app.agent('rotated agent');
  await app.admin.principals.rotate(id);
  return token;
}

async function expiredAgent(app: TestApplication): Promise<string> {
  const { token } = await app.agent('late agent');
  await expire(app, token);
  return token;
}

const expire = (app: TestApplication, token: string) =>
  app.database.client.credential.update({ where: { hash: hashToken(token) }, data: { expiresAt: app.clock.now() } });

const tokenIn = (cookie: string): string => cookie.slice(cookie.indexOf('=') + 1);

async function expiredSession(app: TestApplication, cookie: string): Promise<string> {
  await expire(app, tokenIn(cookie));
  return cookie;
}

async function endedSession(app: TestApplication, cookie: string): Promise<string> {
  await fetch(`${app.url}/v1/sign-out`, { method: 'POST', headers: { cookie, ...OWN_PAGE } });
  return cookie;
}
