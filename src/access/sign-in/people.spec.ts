import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { http } from '../../../test/support/http.js';

const refused = (status: number, code: string) => ({ problem: { status, code } });
const LAST = refused(409, 'access.last_administrator');

let app: TestApplication;

const journalOf = async (subject: string) => (await app.admin.journal.list({ subject })).items;

describe('the roles of a person', () => {
  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  it('are changed by an administrator, and existing tokens lose removed roles', async () => {
    const { id, client } = await app.person('Rosa', { reviewer: true, admin: true });
    expect((await client.me()).scopes).toEqual(['read', 'decide', 'administer', 'report-for']);
    expect((await app.admin.people.change(id, { admin: false })).roles).toEqual(['reviewer']);
    expect((await client.me()).scopes).toEqual(['read', 'decide']);
    await expect(client.people.list()).rejects.toMatchObject(refused(403, 'access.scope_missing'));
    expect((await app.admin.people.change(id, { reviewer: false, admin: true })).roles).toEqual(['admin']);
    expect((await client.me()).scopes).toEqual(['read', 'administer', 'report-for']);
  });

  it('are journalled before and after a change, and an empty change is not journalled', async () => {
    const { id } = await app.person('Nora', { reviewer: true });
    const before = (await journalOf(id)).length;
    await app.admin.people.change(id, {});
    await app.admin.people.change(id, { reviewer: true });
    expect(await journalOf(id)).toHaveLength(before);
    await app.admin.people.change(id, { reviewer: false, admin: true });
    expect((await journalOf(id)).slice(before)).toMatchObject([
      { action: 'access.person_changed', actor: { kind: 'admin' }, data: { before: ['reviewer'], roles: ['admin'] } },
    ]);
  });

  it('cannot be changed by a reviewer, an agent or a service, not even their own', async () => {
    const reviewer = await app.person('Rita', { reviewer: true });
    const agent = await app.agent('climber');
    const service = await app.admin.services.add({ name: 'bridge', scopes: ['read', 'propose', 'report-for'] });
    for (const client of [reviewer.client, agent.client, app.client(service.token)])
      await expect(client.people.change(reviewer.id, { admin: true })).rejects.toMatchObject({
        problem: { status: 403 },
      });
    expect((await reviewer.client.me()).principal.roles).toEqual(['reviewer']);
  });

  it('belong to active people: agents, services and unknown ids are not found, disabled people rejected', async () => {
    const agent = await app.agent('worker');
    const unknown = refused(404, 'access.unknown_principal');
    for (const id of [agent.id, '00000000-0000-4000-8000-000000000000'])
      await expect(app.admin.people.change(id, { reviewer: true })).rejects.toMatchObject(unknown);
    const { id } = await app.person('Gone', {});
    await app.admin.principals.disable(id);
    await expect(app.admin.people.change(id, { admin: true })).rejects.toMatchObject(refused(409, 'access.disabled'));
  });

  it('accept no other fields than the documented ones', async () => {
    const { id } = await app.person('Odd', {});
    for (const body of [
      { isAdmin: true },
      { reviewer: 'yes' },
      { kind: 'agent' },
      { name: 'New' },
      { disabledAt: null },
    ])
      await http(app, app.adminToken).patch(`/v1/people/${id}`).send(body).expect(400);
  });
});

describe('the last administrator', () => {
  it('keeps the role, and two who remove each other at the same time leave one', async () => {
    app = await startTestApplication();
    const { principal } = await app.admin.me();
    await expect(app.admin.people.change(principal.id, { admin: false })).rejects.toMatchObject(LAST);
    const second = await app.person('Second', { admin: true });
    const tries = await Promise.allSettled([
      app.admin.people.change(second.id, { admin: false }),
      second.client.people.change(principal.id, { admin: false }),
    ]);
    const failures = tries.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason] : []));
    // The slower one has lost the role already, or would remove the last administrator.
    expect(failures).toHaveLength(1);
    expect(failures[0].problem.code).toMatch(/^access\.(last_administrator|scope_missing)$/);
    expect(await app.database.client.principal.count({ where: { isAdmin: true } })).toBe(1);
    await app.close();
  });

  it('cannot be disabled, however many try at once', async () => {
    app = await startTestApplication();
    const { principal } = await app.admin.me();
    const second = await app.person('Second', { admin: true });
    await Promise.allSettled([
      app.admin.principals.disable(second.id),
      second.client.principals.disable(principal.id),
      app.admin.people.change(second.id, { admin: false }),
    ]);
    expect(await app.database.client.principal.count({ where: { isAdmin: true, disabledAt: null } })).toBe(1);
    await app.close();
  });
});
