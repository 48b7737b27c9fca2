import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { HOUR_MS } from '../../platform/base/durations.js';

const refused = (status: number, code: string) => ({ problem: { status, code } });

describe('pauses of deliveries', () => {
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  const entries = async (subject: string) => (await app.admin.journal.list({ subject })).items;

  it('are set and ended by a person without any role, and journalled', async () => {
    const { id: person, client } = await app.person('Olga Plain', {});
    const pause = await client.pauses.add({ project: 'shop', sessionId: 'abc-1', hours: 2 });
    expect(pause).toMatchObject({ person: { id: person, name: 'Olga Plain' }, project: 'shop' });
    expect(pause.session).toMatch(/^abc~[a-z]{32}$/);
    expect(Date.parse(pause.until ?? '') - Date.parse(pause.since)).toBe(2 * HOUR_MS);
    expect((await client.pauses.list()).items).toEqual([pause]);

    await client.pauses.end(pause.id);
    expect((await client.pauses.list()).items).toEqual([]);
    const { session, until } = pause;
    const data = { person, project: 'shop', session, until };
    const by = { kind: 'owner', id: person };
    expect((await entries(pause.id)).sort((a, b) => a.seq - b.seq)).toMatchObject([
      { action: 'delivery.paused', actor: by, data },
      { action: 'delivery.resumed', actor: by, data },
    ]);
    expect(await app.admin.journal.verify()).toMatchObject({ intact: true });
  });

  it('are of that person: only an administrator sees, sets and ends those of others', async () => {
    const { id: person, client } = await app.person('Nina Owner', {});
    const { client: other } = await app.person('Rita Review', { reviewer: true });
    await expect(other.pauses.add({ personId: person })).rejects.toMatchObject(refused(403, 'access.not_an_admin'));
    const pause = await app.admin.pauses.add({ personId: person });
    expect(pause.person).toEqual({ id: person, name: 'Nina Owner' });
    expect((await other.pauses.list()).items).toEqual([]);
    expect((await client.pauses.list()).items).toEqual([pause]);
    expect((await app.admin.pauses.list()).items).toContainEqual(pause);

    await expect(other.pauses.end(pause.id)).rejects.toMatchObject(refused(403, 'access.not_an_admin'));
    await app.admin.pauses.end(pause.id);
    expect((await entries(pause.id)).map(({ actor }) => actor.kind)).toEqual(['admin', 'admin']);
    const { client: agent, id } = await app.agent('night-bot');
    await expect(agent.pauses.add({})).rejects.toMatchObject(refused(403, 'access.wrong_kind'));
    const unknown = refused(404, 'access.unknown_principal');
    await expect(app.admin.pauses.add({ personId: id })).rejects.toMatchObject(unknown);
  });

  it('are refused the second time, and so is their end; one that ended by itself can be set again', async () => {
    const { client } = await app.person('Two Times', {});
    const [first, second] = await Promise.allSettled([client.pauses.add({ hours: 1 }), client.pauses.add({})]);
    expect([first?.status, second?.status].sort()).toEqual(['fulfilled', 'rejected']);
    await expect(client.pauses.add({})).rejects.toMatchObject(refused(409, 'delivery.already_paused'));
    const [pause] = (await client.pauses.list()).items;
    await client.pauses.end(pause?.id ?? '');
    const gone = refused(404, 'delivery.pause_not_found');
    await expect(client.pauses.end(pause?.id ?? '')).rejects.toMatchObject(gone);

    await client.pauses.add({ hours: 0.5 });
    app.clock.advance(HOUR_MS / 2);
    expect((await client.pauses.list()).items).toEqual([]);
    expect(await client.pauses.add({})).toMatchObject({ project: null, session: null, until: null });
  });

  it('name the field that is wrong', async () => {
    const field = async (pause: object) => {
      const problem: unknown = await app.admin.pauses.add(pause).catch((error: unknown) => error);
      expect(problem).toMatchObject({ problem: { status: 400, code: 'request.invalid' } });
      return JSON.stringify(problem);
    };
    expect(await field({ project: ' ' })).toContain('"field":"project"');
    expect(await field({ project: 'p'.repeat(121) })).toContain('"field":"project"');
    expect(await field({ project: 'a\u202eb' })).toContain('"field":"project"');
    expect(await field({ sessionId: '' })).toContain('"field":"sessionId"');
    expect(await field({ sessionId: 's'.repeat(201) })).toContain('"field":"sessionId"');
    expect(await field({ hours: 0 })).toContain('"field":"hours"');
    expect(await field({ personId: 'Olga' })).toContain('"field":"personId"');
  });

  it('are at most a hundred of one person', async () => {
    const { client } = await app.person('Many Pauses', {});
    for (let n = 0; n < 100; n += 1) await client.pauses.add({ project: `project ${n}` });
    await expect(client.pauses.add({})).rejects.toMatchObject(refused(409, 'delivery.too_many_pauses'));
  });
});
