import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { GateRows } from '../../../test/support/gate-rows.js';

let app: TestApplication;
let rows: GateRows;
let ada: Awaited<ReturnType<TestApplication['agent']>>;
let ben: Awaited<ReturnType<TestApplication['agent']>>;
let id: string;

beforeAll(async () => {
  app = await startTestApplication({ GUILDBOOK_UPKEEP_CRON: 'off' });
  rows = new GateRows(app.database);
  ada = await app.agent('Ada');
  ben = await app.agent('Ben');
});
afterAll(() => app.close());
beforeEach(async () => {
  id = await lesson(ada.id);
});

async function lesson(agentId: string, more: Record<string, unknown> = {}): Promise<string> {
  const row = rows.memory({ scope: 'agent', agent_id: agentId, ...more });
  await rows.insert('memory', row);
  return String(row['id']);
}
const find = () => app.database.client.memory.findUniqueOrThrow({ where: { id } });
const journalled = async (action: string) =>
  (await app.admin.journal.list({ action, limit: 500 })).items.filter(({ subject }) => subject.id === id);

describe('pinning a lesson', () => {
  it('lets a person pin and unpin, with a journal entry each time', async () => {
    expect(await app.admin.lesson.pin(id, true)).toMatchObject({ pinned: true });
    expect(await app.admin.lesson.pin(id, true)).toMatchObject({ pinned: true });
    expect(await app.admin.lesson.pin(id, false)).toMatchObject({ pinned: false });
    expect(await journalled('memory.lesson_pinned')).toHaveLength(1);
    expect(await journalled('memory.lesson_unpinned')).toHaveLength(1);
  });

  it('is refused for agents and for lessons that have ended', async () => {
    await expect(ada.client.lesson.pin(id, true)).rejects.toMatchObject({ problem: { status: 403 } });
    await app.admin.lesson.retire(id, 'it is wrong');
    await expect(app.admin.lesson.pin(id, true)).rejects.toMatchObject({ problem: { code: 'memory.unknown_lesson' } });
  });

  it('is refused for org memory, which the upkeep never ends', async () => {
    const approved = rows.orgMemory(await rows.approved());
    await rows.insert('memory', approved);
    await expect(app.admin.lesson.pin(String(approved['id']), true)).rejects.toMatchObject({
      problem: { code: 'memory.unknown_lesson' },
    });
  });
});

describe('retiring a lesson', () => {
  it('ends the lesson and its copies, records the reason, and happens only once', async () => {
    const copy = await lesson(ben.id, { propagated_from_id: id });
    expect(await app.admin.lesson.retire(id, 'it is wrong')).toMatchObject({ endReason: 'retired' });
    expect(await find()).toMatchObject({ supersededAt: expect.any(Date), endReason: 'retired' });
    expect(await app.database.client.memory.findUnique({ where: { id: copy } })).toMatchObject({
      endReason: 'source_ended',
    });
    expect(await journalled('memory.lesson_retired')).toMatchObject([{ data: { reason: 'it is wrong' } }]);
    await expect(app.admin.lesson.retire(id, 'it is wrong')).rejects.toMatchObject({ problem: { status: 404 } });
  });
});

describe('a reviewer verifying a lesson', () => {
  it('raises and lowers the provenance, and journals actor, source and reason each time', async () => {
    const judge = (provenance: 'verified' | 'unverified') =>
      app.admin.lesson.verify(id, { provenance, reason: 'looked at it' });
    expect(await judge('verified')).toMatchObject({ provenance: 'verified', scope: 'agent' });
    await expect(judge('verified')).rejects.toMatchObject({ problem: { code: 'memory.provenance_unchanged' } });
    expect(await judge('unverified')).toMatchObject({ provenance: 'unverified' });
    expect(await journalled('memory.provenance_changed')).toMatchObject([
      { actor: { kind: 'reviewer' }, data: { from: 'unverified', to: 'verified', source: 'reviewer' } },
      { actor: { kind: 'reviewer' }, data: { from: 'verified', to: 'unverified', reason: 'looked at it' } },
    ]);
  });

  it('is refused for everyone except reviewers', async () => {
    const { client } = await app.person('Only Admin', { admin: true });
    const judgement = { provenance: 'verified', reason: 'trust me' } as const;
    for (const caller of [client, ada.client])
      await expect(caller.lesson.verify(id, judgement)).rejects.toMatchObject({ problem: { status: 403 } });
    expect(await find()).toMatchObject({ provenance: 'unverified' });
  });
});

describe('the upkeep API', () => {
  it('lists and shows runs, and lets an administrator undo one', async () => {
    const useless = await lesson(ada.id, { created_at: '2001-01-01T00:00:00Z' });
    const run = await app.admin.upkeep.run(false);
    expect(run.report?.endings).toContainEqual({ id: useless, agent: 'Ada', why: 'ttl' });
    expect(await app.admin.upkeep.show(run.id)).toEqual(run);
    expect((await app.admin.upkeep.list()).items[0]).toEqual(run);
    expect(await app.admin.upkeep.undo(run.id)).toMatchObject({ restored: expect.any(Number) });
    const { items } = await app.admin.lessons({ limit: 200 });
    expect(items.find((one) => one.id === useless)).toMatchObject({ pinned: true });
    await expect(app.admin.upkeep.undo(run.id)).rejects.toMatchObject({ problem: { code: 'memory.upkeep_undone' } });
  });
});
