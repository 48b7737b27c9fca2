import { hashToken } from '../../src/access/token.js';
import type { TestApplication } from './application.js';

/** Authorization headers of whoever might come, by what they hold. */
export const VALID = ['agent', 'service', 'proposing service', 'reader', 'reviewer', 'administrator'] as const;
export type Valid = (typeof VALID)[number];

export const VOID = [
  'nothing',
  'no bearer token',
  'a token of nobody',
  'an invitation',
  'a sign-in token',
  'an expired personal token',
  'a signed-out personal token',
  'the token of a disabled agent',
  'a rotated token',
] as const;
export type Void = (typeof VOID)[number];

type Headers = Readonly<Record<string, string>>;

/** One of each, freshly made: the valid ones work, and the void ones worked once or look as if they did. */
export async function everyCredential(app: TestApplication): Promise<Record<Valid | Void, Headers>> {
  const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
  const service = async (name: string, scopes: ('report-for' | 'read' | 'propose')[]) =>
    bearer((await app.admin.services.add({ name, scopes })).token);
  const person = async (name: string, roles: { reviewer?: boolean; admin?: boolean } = {}) =>
    bearer((await app.person(name, roles)).token);
  const invited = async (name: string) => {
    const email = `${name.replaceAll(' ', '.')}@example.org`;
    return (await app.admin.people.add({ name, email, reviewer: true, admin: true })).token;
  };
  const { signInToken = '' } = await app.client().signIn(await invited('who signs in'));
  return {
    agent: bearer((await app.agent('agent')).token),
    service: await service('importer', ['report-for', 'read']),
    'proposing service': await service('proposing', ['propose']),
    reader: await person('reader'),
    reviewer: await person('reviewer', { reviewer: true }),
    administrator: await person('administrator', { admin: true }),
    nothing: {},
    'no bearer token': { authorization: `Basic ${Buffer.from('reviewer:secret').toString('base64')}` },
    'a token of nobody': bearer(`gbp_${'A'.repeat(43)}`),
    'an invitation': bearer(await invited('who is invited')),
    'a sign-in token': bearer(signInToken),
    'an expired personal token': bearer(await expired(app)),
    'a signed-out personal token': bearer(await signedOut(app)),
    'the token of a disabled agent': bearer(await disabled(app)),
    'a rotated token': bearer(await rotated(app)),
  };
}

async function expired(app: TestApplication): Promise<string> {
  const { token } = await app.person('who is late', { reviewer: true, admin: true });
  await app.database.client.credential.update({
    where: { hash: hashToken(token) },
    data: { expiresAt: app.clock.now() },
  });
  return token;
}

async function signedOut(app: TestApplication): Promise<string> {
  const { token, client } = await app.person('who left', { reviewer: true, admin: true });
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
