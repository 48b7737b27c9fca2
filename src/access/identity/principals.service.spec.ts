import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { pythonReport } from '../../../test/support/fleet.js';
import { http } from '../../../test/support/http.js';
import { FirstAdministrator } from './first-administrator.service.js';
import { hashToken } from './token.js';

const refused = (status: number, code: string) => ({ problem: { status, code } });
const REVOKED = refused(401, 'access.revoked');
const TAKEN = { problem: { status: 409, code: 'access.name_taken', errors: [{ field: 'name', message: 'is taken' }] } };

describe('principals', () => {
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  const actions = async (subject: string) =>
    (await app.admin.journal.list({ subject })).items.map(({ action, actor }) => `${action} by ${actor.kind}`);
  const report = (task: string) => pythonReport(app, task);

  it('the first start creates one administrator, and later starts none', async () => {
    expect(await app.app.get(FirstAdministrator).ensure()).toEqual({ state: 'signed_in' });
    expect((await app.admin.me()).principal.roles).toEqual(['reviewer', 'admin']);
  });

  it('a start invites the administrator again if no administrator can sign in, so that the server stays accessible', async () => {
    const alone = await startTestApplication();
    const { principal } = await alone.admin.me();
    await alone.admin.signOut();
    const again = await alone.app.get(FirstAdministrator).ensure();
    if (again.state !== 'issued') throw new Error('no invitation was issued');
    expect(again.principal.id).toBe(principal.id);
    const { token } = await alone.client().signIn(again.token);
    expect((await alone.client(token).me()).scopes).toContain('administer');
    expect(await alone.app.get(FirstAdministrator).ensure()).toEqual({ state: 'signed_in' });
    await alone.close();
  });

  it('an agent name is registered once, even by simultaneous requests', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 4 }, () => app.admin.agents.add({ name: 'builder' })));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const attempt of tries) if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject(TAKEN);
  });

  it('names are unique per kind: a service and a person may have the name of an agent', async () => {
    const name = 'deployer';
    await app.admin.agents.add({ name });
    await app.admin.services.add({ name, scopes: ['read'] });
    await app.admin.people.add({ name, email: 'deployer@example.org', reviewer: false, admin: false });
    await expect(app.admin.agents.add({ name })).rejects.toMatchObject(TAKEN);
    await expect(app.admin.services.add({ name, scopes: ['read'] })).rejects.toMatchObject(TAKEN);
  });

  it('an address belongs to one active person, so that no person votes twice', async () => {
    const person = (name: string, email: string) => app.admin.people.add({ name, email, reviewer: true, admin: false });
    const TAKEN_ADDRESS = refused(409, 'access.email_taken');
    const { principal } = await person('Ada', 'ada@example.org');
    await expect(person('Ada as well', 'ADA@example.org')).rejects.toMatchObject(TAKEN_ADDRESS);
    await expect(person('Ada', 'ada.again@example.org')).rejects.toMatchObject(TAKEN);
    const at = ['eve 1', 'eve 2', 'eve 3'].map((name) => person(name, 'eve@example.org'));
    const tries = await Promise.allSettled(at);
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const attempt of tries) if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject(TAKEN_ADDRESS);
    const { client } = app.database;
    const other = (await person('Ben', 'ben@example.org')).principal.id;
    await expect(
      client.principal.update({ where: { id: other }, data: { email: 'ada@example.org' } }),
    ).rejects.toMatchObject({ code: 'P2002' });
    await app.admin.principals.disable(principal.id);
    await person('Ada is back', 'ada@example.org');
    await expect(
      client.principal.update({ where: { id: principal.id }, data: { disabledAt: null } }),
    ).rejects.toMatchObject({ code: 'P2002' });
  });

  it('a disabled agent keeps its name: no other agent can take it over', async () => {
    const { id, client } = await app.agent('old hand');
    expect(await app.admin.principals.disable(id)).toMatchObject({ id, disabledAt: expect.any(String) });
    await expect(app.admin.agents.add({ name: 'old hand' })).rejects.toMatchObject(TAKEN);
    await expect(client.me()).rejects.toMatchObject(REVOKED);
    await expect(app.admin.principals.disable(id)).rejects.toMatchObject(refused(409, 'access.disabled'));
    await expect(app.admin.principals.rotate(id)).rejects.toMatchObject(refused(409, 'access.disabled'));
  });

  it('a disabled agent cannot report, neither itself nor through an importer', async () => {
    const { id, client } = await app.agent('stopped', 'team');
    const { token } = await app.admin.services.add({ name: 'team importer', owner: 'team', scopes: ['report-for'] });
    const importer = app.client(token);
    await client.executions.report(report('before'));
    await importer.executions.report(report('before, imported'), 'stopped');
    const stored = () => app.database.client.execution.count({ where: { agentId: id } });
    expect(await stored()).toBe(2);
    await app.admin.principals.disable(id);
    await expect(client.executions.report(report('after'))).rejects.toMatchObject(REVOKED);
    await expect(importer.executions.report(report('after, imported'), 'stopped')).rejects.toMatchObject(
      refused(409, 'execution.agent_disabled'),
    );
    expect(await stored()).toBe(2);
  });

  it('an agent reports as itself only: the credential identifies it, never the request', async () => {
    const { client } = await app.agent('honest');
    await app.agent('victim');
    await expect(client.executions.report(report('as another'), 'victim')).rejects.toMatchObject(
      refused(403, 'execution.other_agent'),
    );
    const { token } = await app.admin.services.add({ name: 'foreign', owner: 'elsewhere', scopes: ['report-for'] });
    await expect(app.client(token).executions.report(report('for a stranger'), 'victim')).rejects.toMatchObject(
      refused(403, 'access.other_owner'),
    );
    expect(await client.executions.report(report('as itself'))).toMatchObject({ agent: 'honest' });
  });

  it('rotation issues a new token with the same rights, and the old one stops at once', async () => {
    const { principal, token } = await app.admin.services.add({ name: 'reader', scopes: ['read'] });
    const rotated = await app.admin.principals.rotate(principal.id);
    await expect(app.client(token).me()).rejects.toMatchObject(REVOKED);
    expect((await app.client(rotated.token).me()).scopes).toEqual(['read']);
    const again = await app.admin.principals.rotate(principal.id);
    await expect(app.client(rotated.token).me()).rejects.toMatchObject(REVOKED);
    expect((await app.client(again.token).me()).scopes).toEqual(['read']);
    expect(await actions(principal.id)).toEqual([
      'access.service_added by admin',
      'access.rotated by admin',
      'access.rotated by admin',
    ]);
  });

  it('rotation issues a first token to an agent known from imports', async () => {
    const { token } = await app.admin.services.add({ name: 'nightly import', owner: 'night', scopes: ['report-for'] });
    await app.client(token).executions.report(report('imported at night'), 'night agent');
    const known = (await app.admin.agents.list()).items.find(({ name }) => name === 'night agent');
    expect(known).toMatchObject({ owner: 'night', roles: [] });
    const first = await app.admin.principals.rotate(known?.id ?? '');
    expect(await app.client(first.token).executions.report(report('by day'))).toMatchObject({ agent: 'night agent' });
  });

  it('a person gets no long-lived token, and an agent no invitation', async () => {
    const { id } = await app.person('Nora', {});
    await expect(app.admin.principals.rotate(id)).rejects.toMatchObject(refused(400, 'access.person_has_no_token'));
    const agent = await app.agent('uninvited');
    await expect(app.admin.people.invite(agent.id)).rejects.toMatchObject(refused(404, 'access.unknown_principal'));
  });

  it('administrators cannot disable themselves', async () => {
    const { principal } = await app.admin.me();
    await expect(app.admin.principals.disable(principal.id)).rejects.toMatchObject(refused(409, 'access.self'));
    expect((await app.admin.me()).principal.disabledAt).toBeNull();
  });

  it('no principal gets a right that its kind does not have, for any request', async () => {
    const post = async (path: string, body: object) => (await http(app, app.adminToken).post(path).send(body)).status;
    for (const scope of ['decide', 'administer', 'report'])
      expect(await post('/v1/services', { name: `greedy ${scope}`, scopes: ['read', scope] })).toBe(400);
    expect(await post('/v1/services', { name: 'idle', scopes: [] })).toBe(400);
    for (const extra of [{ reviewer: true }, { scopes: ['decide'] }, { kind: 'person' }, { isReviewer: true }])
      expect(await post('/v1/agents', { name: 'climber', ...extra })).toBe(400);
    expect((await app.admin.agents.list()).items.map(({ name }) => name)).not.toContain('climber');
  });

  it('no row of any table contains a token or its secret', async () => {
    const { token: invitation } = await app.admin.people.add({
      name: 'Ines',
      email: 'ines@example.org',
      reviewer: true,
      admin: true,
    });
    const { token: personal, signInToken = '' } = await app.client().signIn(invitation);
    const { token: agent } = await app.agent('careful');
    const { token: service } = await app.admin.services.add({ name: 'careful bridge', scopes: ['read'] });
    const { token: open } = await app.admin.people.add({
      name: 'Otto',
      email: 'otto@example.org',
      reviewer: true,
      admin: false,
    });
    const issued = [invitation, personal, signInToken, agent, service, open, app.adminToken];
    const { client } = app.database;
    const tables = await client.$queryRaw<{ name: string }[]>`
      SELECT table_name::text AS name FROM information_schema.tables WHERE table_schema = 'public'`;
    expect(tables.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['credential', 'journal_entry', 'principal']),
    );
    let dump = '';
    for (const { name } of tables)
      for (const { row } of await client.$queryRawUnsafe<{ row: string }[]>(
        `SELECT row_to_json(t)::text AS row FROM "${name}" t`,
      ))
        dump += `${row}\n`;
    for (const token of issued) {
      expect(dump).toContain(hashToken(token));
      expect(dump).not.toContain(token);
      // The recognisable prefix is stored, but no part of the secret after it.
      expect(dump).not.toContain(token.slice(10, 26));
    }
  });
});
