import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { TestUpkeep } from '../../../test/support/upkeep.js';
import { Journal } from '../../journal/journal.service.js';
import { DAY_MS } from '../../platform/base/durations.js';

const ADMIN = { kind: 'admin', id: 'admin', name: 'Admin' } as const;
const NONE = { GUILDBOOK_PRUNING: 'none' };

let app: TestApplication;
let own: TestUpkeep;

beforeAll(async () => {
  app = await startTestApplication({ GUILDBOOK_UPKEEP_CRON: 'off' });
  own = new TestUpkeep(app);
});
afterAll(() => app.close());
beforeEach(async () => {
  // Each test has its own lessons.
  await app.database.client.memory.deleteMany({ where: { scope: 'agent' } });
});

const upkeep: TestUpkeep['with'] = (...given) => own.with(...given);
const run: TestUpkeep['run'] = (...given) => own.run(...given);
const agent: TestUpkeep['agent'] = (...given) => own.agent(...given);
const lesson: TestUpkeep['lesson'] = (...given) => own.lesson(...given);
const find = (id: string) => app.database.client.memory.findUniqueOrThrow({ where: { id } });
const isLive = async (id: string) => (await find(id)).supersededAt === null;
const journalled = async (action: string) =>
  (await app.app.get(Journal).list({ after: 0, limit: 500, order: 'newest', action })).items;

describe('the upkeep of private lessons', () => {
  it('evicts the least used lessons and those never retrieved, and journals it', async () => {
    const ada = await agent();
    const useless = await lesson(ada, 31);
    const old = await lesson(ada, 3);
    const kept = [await lesson(ada, 1), await lesson(ada, 20, { relevance_count: 2 })];
    const done = await run({ ...NONE, GUILDBOOK_MEMORY_CAPACITY: '2' });
    expect(done.report).toMatchObject({ lessons: 4, ended: { never_retrieved: 1, evicted: 1, ttl: 0, pareto: 0 } });
    expect(await find(useless)).toMatchObject({ endReason: 'never_retrieved', endedByRunId: done.id });
    expect(await find(old)).toMatchObject({ endReason: 'evicted', supersededById: null });
    for (const id of kept) expect(await isLive(id)).toBe(true);
    const [entry] = await journalled('memory.lessons_pruned');
    expect(entry).toMatchObject({
      actor: { kind: 'job' },
      subject: { type: 'agent', id: ada },
      data: { run: done.id, lessons: expect.arrayContaining([{ id: useless, why: 'never_retrieved' }]) },
    });
    expect((await journalled('memory.upkeep_completed'))[0]).toMatchObject({ subject: { id: done.id } });
  });

  it.each([
    ['ttl', { ttl: 1, pareto: 0 }],
    ['pareto', { ttl: 0, pareto: 2 }],
    ['hybrid', { ttl: 1, pareto: 1 }],
    ['none', { ttl: 0, pareto: 0 }],
  ])('prunes by the strategy %s', async (pruning, ended) => {
    const ada = await agent();
    for (const days of [100, 60, 40, 20, 10]) await lesson(ada, days, { relevance_count: 1 });
    const done = await run({ GUILDBOOK_PRUNING: pruning }, false, { pruningCapacityShare: 0.03 });
    expect(done.report?.ended).toMatchObject({ ...ended, never_retrieved: 0, evicted: 0 });
  });

  it('keeps pinned and approved lessons, and applies the capacity to each agent separately', async () => {
    const [ada, ben] = [await agent(), await agent()];
    const pinned = await lesson(ada, 400, { pinned_at: app.clock.now().toISOString() });
    const approved = own.rows.orgMemory(await own.rows.approved());
    await own.rows.insert('memory', { ...approved, created_at: '2001-01-01T00:00:00Z' });
    const others = [await lesson(ben, 1), await lesson(ben, 2)];
    await run({ GUILDBOOK_MEMORY_CAPACITY: '2' });
    for (const id of [pinned, String(approved['id']), ...others]) expect(await isLive(id)).toBe(true);
  });

  it('reports the same in a dry run and changes nothing', async () => {
    const ada = await agent();
    const useless = await lesson(ada, 31);
    const dry = await run(NONE, true);
    expect(dry).toMatchObject({ dryRun: true, undoUntil: null, report: { ended: { never_retrieved: 1 } } });
    expect(dry.report?.endings).toMatchObject([{ id: useless, why: 'never_retrieved' }]);
    expect(await isLive(useless)).toBe(true);
    expect((await run(NONE)).report).toEqual(dry.report);
  });

  it('runs once at a time, and a second run ends nothing more', async () => {
    const ada = await agent();
    for (let n = 0; n < 5; n += 1) await lesson(ada, 31);
    const settled = await Promise.allSettled([run(NONE), run(NONE)]);
    expect(settled.map(({ status }) => status).sort()).toContain('fulfilled');
    for (const one of settled)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'memory.upkeep_busy' });
    expect((await run(NONE)).report?.ended).toMatchObject({ never_retrieved: 0 });
  });
});

describe('undoing a run', () => {
  it('restores its lessons, pinned, so that the next run keeps them', async () => {
    const useless = await lesson(await agent(), 31);
    const { id } = await run(NONE);
    const { restored, run: undone } = await upkeep().undo(ADMIN, id);
    expect({ restored, undoneAt: undone.undoneAt }).toEqual({ restored: 1, undoneAt: expect.any(String) });
    expect(await find(useless)).toMatchObject({ supersededAt: null, endReason: null, pinnedAt: expect.any(Date) });
    await run(NONE);
    expect(await isLive(useless)).toBe(true);
    expect((await journalled('memory.upkeep_undone'))[0]).toMatchObject({
      actor: { kind: 'admin' },
      subject: { id },
      data: { restored: 1 },
    });
  });

  it('is refused a second time, for a dry run, and after the grace period', async () => {
    await lesson(await agent(), 31);
    const dry = await run(NONE, true);
    const { id } = await run(NONE);
    await expect(upkeep().undo(ADMIN, dry.id)).rejects.toMatchObject({ code: 'memory.upkeep_not_undoable' });
    await upkeep().undo(ADMIN, id);
    await expect(upkeep().undo(ADMIN, id)).rejects.toMatchObject({ code: 'memory.upkeep_undone' });
    await lesson(await agent(), 31);
    const late = await run(NONE);
    app.clock.advance(15 * DAY_MS);
    await expect(upkeep().undo(ADMIN, late.id)).rejects.toMatchObject({ code: 'memory.upkeep_not_undoable' });
  });

  it('does not restore a lesson whose session has a newer one, for which the summary of the session does not count', async () => {
    const ada = await agent();
    const earlier = await lesson(ada, 31, { session_id: 'session-1' });
    const other = await lesson(ada, 31, { session_id: 'session-2' });
    const { id } = await run(NONE);
    await lesson(ada, 0, { session_id: 'session-1' });
    const entry = {
      scope: 'project',
      kind: 'session-summary',
      written_by: 'rules',
      updated_at: app.clock.now().toISOString(),
    };
    await lesson(ada, 0, { ...entry, session_id: 'session-2' });
    expect(await upkeep().undo(ADMIN, id)).toMatchObject({ restored: 1 });
    expect([await isLive(earlier), await isLive(other)]).toEqual([false, true]);
  });
});
