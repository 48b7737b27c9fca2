import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { http } from '../../../test/support/http.js';
import { DAY_MS } from '../../platform/base/durations.js';

const refused = (status: number, code: string) => ({ problem: { status, code } });

describe('the token of an agent or service', () => {
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  const works = (token: string) =>
    app
      .client(token)
      .me()
      .then(
        () => true,
        () => false,
      );
  const listed = async (name: string) => (await app.admin.agents.list()).items.find((agent) => agent.name === name);
  /** The days from now, rounded. An administrator signs in again after the clock was moved. */
  const lifeDays = (expiresAt: string | null) =>
    expiresAt === null ? null : Math.round((Date.parse(expiresAt) - app.clock.now().getTime()) / DAY_MS);

  it('is unique after two simultaneous rotations: one of them works', async () => {
    const { id, token } = await app.agent('twice');
    const rotated = await Promise.all(Array.from({ length: 6 }, () => app.admin.principals.rotate(id)));
    const working = await Promise.all([token, ...rotated.map((issued) => issued.token)].map(works));
    expect(working.filter(Boolean)).toHaveLength(1);
    expect(await app.database.client.credential.count({ where: { principalId: id, revokedAt: null } })).toBe(1);
  });

  it('is invalid after a rotation during a disabling', async () => {
    const { id } = await app.agent('ending');
    await Promise.allSettled([
      app.admin.principals.rotate(id),
      app.admin.principals.disable(id),
      app.admin.principals.rotate(id),
    ]);
    expect(await app.database.client.credential.count({ where: { principalId: id, revokedAt: null } })).toBe(0);
  });

  it('may expire, and lists show when; a rotated token has the same lifetime by default', async () => {
    const issued = await app.admin.agents.add({ name: 'short', expiresInDays: 10 });
    expect(lifeDays(issued.expiresAt)).toBe(10);
    expect(await listed('short')).toMatchObject({ tokenExpiresAt: issued.expiresAt, lastUsedAt: null });
    const same = await app.admin.principals.rotate(issued.principal.id);
    expect(lifeDays(same.expiresAt)).toBe(10);
    const longer = await app.admin.principals.rotate(issued.principal.id, { expiresInDays: 90 });
    expect(lifeDays(longer.expiresAt)).toBe(90);
    const forEver = await app.admin.principals.rotate(issued.principal.id, { expiresInDays: null });
    expect(forEver.expiresAt).toBeNull();
    expect((await listed('short'))?.tokenExpiresAt).toBeNull();
    for (const expiresInDays of [0, -1, 1.5, 3_651])
      await expect(app.admin.agents.add({ name: 'odd', expiresInDays })).rejects.toMatchObject(
        refused(400, 'request.invalid'),
      );
  });

  it('is rotated without a request body', async () => {
    const { id } = await app.agent('plain');
    const { body } = await http(app, app.adminToken).post(`/v1/principals/${id}/rotate`).expect(201);
    expect(body).toMatchObject({ expiresAt: null });
  });

  it('shows its last use in lists, to the minute', async () => {
    const { client, id } = await app.agent('seen');
    expect((await listed('seen'))?.lastUsedAt).toBeNull();
    const before = app.clock.now().getTime();
    await client.me();
    const used = Date.parse((await listed('seen'))?.lastUsedAt ?? '');
    expect(used).toBeGreaterThanOrEqual(before);
    expect(used).toBeLessThanOrEqual(app.clock.now().getTime());
    await app.admin.principals.rotate(id);
    expect(Date.parse((await listed('seen'))?.lastUsedAt ?? '')).toBe(used);
    const administrators = (await app.admin.people.list()).items;
    expect(administrators[0]?.lastUsedAt).toEqual(expect.any(String));
  });

  it('is rejected once expired, with advice on what to do', async () => {
    const { token } = await app.admin.services.add({ name: 'fleeting', scopes: ['read'], expiresInDays: 1 });
    expect(await works(token)).toBe(true);
    app.clock.advance(DAY_MS);
    await expect(app.client(token).me()).rejects.toMatchObject({
      problem: { status: 401, code: 'access.expired', detail: expect.stringContaining('rotate') },
    });
  });
});
