import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { DAY_MS, MINUTE_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import { loadConfig } from '../../platform/config/config.js';
import { AuthService } from './auth.service.js';
import { CredentialRepository } from './credential.repository.js';
import { PrincipalRepository } from './principal.repository.js';

const refused = (status: number, code: string) => ({ problem: { status, code } });
const REVOKED = refused(401, 'access.revoked');
const EXPIRED = refused(401, 'access.expired');
const USED = refused(401, 'access.already_used');

let app: TestApplication;

let people = 0;
const invite = async () => {
  people += 1;
  const name = `Rosa ${people}`;
  const email = `rosa.${people}@example.org`;
  const { token, principal } = await app.admin.people.add({ name, email, reviewer: true, admin: false });
  return { invitation: token, id: principal.id };
};
const enter = async () => {
  const { invitation, id } = await invite();
  const { token, signInToken = '', ...rest } = await app.client().signIn(invitation);
  return { id, token, signInToken, client: app.client(token), ...rest };
};
const setReviewer = (id: string, reviewer: boolean) => app.admin.people.change(id, { reviewer });

describe('signing in', () => {
  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  it('accepts an invitation once', async () => {
    const { invitation, id } = await invite();
    const first = await app.client().signIn(invitation);
    await expect(app.client().signIn(invitation)).rejects.toMatchObject(USED);
    expect((await app.client(first.token).me()).principal.id).toBe(id);
  });

  it('accepts an invitation once when two use it at the same time', async () => {
    const { invitation } = await invite();
    const tries = await Promise.allSettled(Array.from({ length: 5 }, () => app.client().signIn(invitation)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const attempt of tries) if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject(USED);
  });

  it('grants the right to decide for at most an hour under any configuration', () => {
    expect(() => loadConfig({ GUILDBOOK_PERSONAL_TOKEN_MINUTES: '61' })).toThrow(/GUILDBOOK_PERSONAL_TOKEN_MINUTES/);
    expect(loadConfig({}).personalTokenMinutes).toBe(60);
  });

  it('is the only use of an invitation and of a sign-in token', async () => {
    const { signInToken } = await enter();
    const { invitation } = await invite();
    for (const token of [signInToken, invitation])
      await expect(app.client(token).me()).rejects.toMatchObject(refused(401, 'access.sign_in_only'));
  });

  it('rejects agent, service and personal tokens', async () => {
    const { token: personal } = await enter();
    const { token: agent } = await app.agent('builder');
    const { token: service } = await app.admin.services.add({ name: 'bridge', scopes: ['read'] });
    for (const token of [personal, agent, service])
      await expect(app.client().signIn(token)).rejects.toMatchObject(refused(401, 'access.not_a_sign_in'));
    for (const token of ['', 'gbo_unknown', `gbo_${'A'.repeat(43)}`, 'x'.repeat(300)])
      await expect(app.client().signIn(token)).rejects.toMatchObject({
        problem: { status: expect.any(Number), code: expect.stringMatching(/^access\.unknown$|^request\.invalid$/) },
      });
  });

  it('issues a token that loses a role at the moment the person loses it', async () => {
    const { id, client } = await enter();
    const approve = () => client.proposals.approve('00000000-0000-4000-8000-000000000000', 'a'.repeat(64));
    await expect(approve()).rejects.toMatchObject(refused(404, 'proposal.not_found'));
    await setReviewer(id, false);
    await expect(approve()).rejects.toMatchObject(refused(403, 'access.scope_missing'));
    expect((await client.me()).scopes).toEqual(['read']);
  });

  it('issues a token that gains no role: a new reviewer signs in again', async () => {
    const { id, signInToken } = await enter();
    await setReviewer(id, false);
    const { token } = await app.client().signIn(signInToken);
    await setReviewer(id, true);
    expect((await app.client(token).me()).scopes).toEqual(['read']);
    const again = await app.client().signIn(signInToken);
    expect((await app.client(again.token).me()).scopes).toEqual(['read', 'decide']);
  });

  it('ends everywhere at sign-out, for this person only', async () => {
    const { client, signInToken } = await enter();
    const elsewhere = app.client((await app.client().signIn(signInToken)).token);
    const other = await enter();
    await client.signOut();
    for (const gone of [client, elsewhere]) await expect(gone.me()).rejects.toMatchObject(REVOKED);
    await expect(app.client().signIn(signInToken)).rejects.toMatchObject(REVOKED);
    expect((await other.client.me()).principal.id).toBe(other.id);
  });

  it('ends at once when the person is disabled, and an old invitation does not restore it', async () => {
    const { id, client, signInToken } = await enter();
    await app.admin.principals.disable(id);
    await expect(client.me()).rejects.toMatchObject(REVOKED);
    await expect(app.client().signIn(signInToken)).rejects.toMatchObject(REVOKED);
    await expect(app.admin.people.invite(id)).rejects.toMatchObject(refused(409, 'access.disabled'));
  });

  it('ends when the person is disabled, even if the credentials were not revoked', async () => {
    const { id, client, signInToken } = await enter();
    await app.database.client.principal.update({ where: { id }, data: { disabledAt: app.clock.now() } });
    await expect(client.me()).rejects.toMatchObject(REVOKED);
    await expect(app.client().signIn(signInToken)).rejects.toMatchObject(REVOKED);
  });

  it('a new invitation revokes all earlier credentials', async () => {
    const { id, client, signInToken } = await enter();
    const { token: invitation } = await app.admin.people.invite(id);
    await expect(client.me()).rejects.toMatchObject(REVOKED);
    await expect(app.client().signIn(signInToken)).rejects.toMatchObject(REVOKED);
    const { token } = await app.client().signIn(invitation);
    expect((await app.client(token).me()).principal.id).toBe(id);
  });

  it('journals sign-in and sign-out without the token', async () => {
    const { id, client, token, signInToken } = await enter();
    await client.signOut();
    const { items } = await app.admin.journal.list({ subject: id });
    expect(items.map(({ action }) => action)).toEqual(['access.person_added', 'access.signed_in', 'access.signed_out']);
    expect(items[1]?.data).toEqual({ with: 'one_time', scopes: ['read', 'decide'] });
    for (const secret of [token, signInToken]) expect(JSON.stringify(items)).not.toContain(secret.slice(4));
  });
});

describe('signing in, over time,', () => {
  beforeEach(async () => {
    app = await startTestApplication();
  });
  afterEach(() => app.close());

  it('rejects an invitation of last week', async () => {
    const { invitation } = await invite();
    app.clock.advance(7 * DAY_MS);
    await expect(app.client().signIn(invitation)).rejects.toMatchObject(EXPIRED);
  });

  it('grants the right to decide for an hour and not a minute longer', async () => {
    const { client, scopes } = await enter();
    expect(scopes).toContain('decide');
    app.clock.advance(59 * MINUTE_MS);
    expect((await client.me()).scopes).toContain('decide');
    app.clock.advance(MINUTE_MS);
    await expect(client.me()).rejects.toMatchObject(EXPIRED);
  });

  it('accepts a sign-in token for a month, each time for an hour', async () => {
    const { id, signInToken } = await enter();
    app.clock.advance(29 * DAY_MS);
    const { token, signInToken: another } = await app.client().signIn(signInToken);
    expect(another).toBeUndefined();
    expect((await app.client(token).me()).principal.id).toBe(id);
    app.clock.advance(DAY_MS);
    await expect(app.client().signIn(signInToken)).rejects.toMatchObject(EXPIRED);
  });
});

describe('the token of an agent', () => {
  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  it('is read again after a transaction that can change credentials, and not after the events of agents', async () => {
    const { app: services, database } = app;
    const stopped = { now: () => new Date('2026-05-04T08:00:00Z') };
    const repositories = [services.get(PrincipalRepository), services.get(CredentialRepository)] as const;
    const auth = new AuthService(database, stopped, services.get(Ids), ...repositories);
    const { id, token } = await app.agent('Ada');
    const enters = () => auth.authenticate(token, ['token']);
    await enters();
    // Outside a transaction, so that the test decides when one ends.
    await database.client.credential.updateMany({ where: { principalId: id }, data: { revokedAt: stopped.now() } });
    await database.sqlTransaction((tx) => tx.$queryRaw`SELECT 1`);
    expect(await enters()).toMatchObject({ id });
    await database.transaction((tx) => tx.principal.count());
    await expect(enters()).rejects.toMatchObject({ code: 'access.revoked' });
  });
});
