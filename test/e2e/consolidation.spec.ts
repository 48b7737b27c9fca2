import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Consolidation } from '../../src/consolidate/consolidation.service.js';
import type { ConsolidationRun } from '../../src/consolidate/consolidation-run.schema.js';
import { LessonRepository } from '../../src/memory/lessons/lesson.repository.js';
import { HOUR_MS } from '../../src/platform/base/durations.js';
import { takeLease } from '../../src/platform/database/lease.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { PYTHON_TO_PYTHON3, report, run } from '../support/reports.js';

const SESSIONS = 12;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let app: TestApplication;

beforeAll(async () => {
  app = await startTestApplication({ GUILDBOOK_CONSOLIDATION_CRON: 'off', GUILDBOOK_UPKEEP_CRON: 'off' });
});
afterAll(() => app.close());

type Agent = Awaited<ReturnType<TestApplication['agent']>>;

/** Sessions that show the same, each with a lesson of its own, as stores from before the comparison at writing hold. */
async function agentWithEqualLessons(name: string, sessions = SESSIONS): Promise<Agent> {
  const agent = await app.agent(name, 'Ada');
  const { memory } = app.database.client;
  for (let n = 1; n <= sessions; n += 1) {
    await agent.client.executions.report(
      report({ executionId: `${name} ${n}`, sessionId: `${name} session ${n}`, toolCalls: [...PYTHON_TO_PYTHON3] }),
    );
    await app.settled();
    const [newest] = await memory.findMany({
      where: { agentId: agent.id, NOT: { failureKey: { startsWith: 'aside ' } } },
    });
    if (newest?.failureKey)
      await memory.update({ where: { id: newest.id }, data: { failureKey: `aside ${newest.failureKey}` } });
  }
  const rows = await memory.findMany({ where: { agentId: agent.id } });
  for (const { id, failureKey } of rows)
    await app.database.transaction((tx) =>
      tx.memory.update({ where: { id }, data: { failureKey: failureKey?.replace('aside ', '') ?? null } }),
    );
  return agent;
}

const lessonsOf = (agentId: string) => app.admin.lessons({ agent: agentId });
const rowsOf = (agentId: string) =>
  app.database.client.memory.findMany({
    where: { scope: 'agent', agentId },
    orderBy: { id: 'asc' },
    omit: { restoredFromRunId: true },
  });
const onlyRun = (runs: { items: ConsolidationRun[] }): ConsolidationRun => {
  const [first, ...rest] = runs.items;
  if (!first || rest.length > 0) throw new Error(`${runs.items.length} runs`);
  return first;
};

describe('twelve sessions that show the same', () => {
  it('teach one lesson with twelve witnesses, without any consolidation', async () => {
    const { client, id } = await app.agent('At once');
    for (let n = 1; n <= SESSIONS; n += 1)
      await client.executions.report(report({ executionId: `at once ${n}`, sessionId: `at once session ${n}` }));
    await app.settled();
    expect((await lessonsOf(id)).items).toMatchObject([{ witnessCount: SESSIONS }]);
    const { items } = onlyOf(await app.admin.consolidation.run({ agentId: id }));
    expect(items).toMatchObject([
      { state: 'completed', undoUntil: null, report: { consolidate: { merges: { total: 0 } } } },
    ]);
    expect((await lessonsOf(id)).items).toMatchObject([{ witnessCount: SESSIONS }]);
  });

  it('become one lesson with twelve witnesses, which the next recall delivers once', async () => {
    const { client, id } = await agentWithEqualLessons('Twelve');
    expect((await lessonsOf(id)).total).toBe(SESSIONS);
    const done = onlyRun(await app.admin.consolidation.run({ agentId: id }));
    expect(done).toMatchObject({
      agent: 'Twelve',
      trigger: 'request',
      dryRun: false,
      state: 'completed',
      phase: 'prune',
      failure: null,
      sessions: SESSIONS,
      report: {
        orient: { lessons: SESSIONS },
        gather: { sessions: SESSIONS, added: SESSIONS, since: null },
        consolidate: { merges: { total: 1, items: [{ witnesses: SESSIONS }] } },
        after: { lessons: 1 },
        skipped: 0,
      },
    });
    const { items } = await lessonsOf(id);
    const [merge] = done.report?.consolidate.merges.items ?? [];
    expect(items).toMatchObject([{ id: merge?.into, witnessCount: SESSIONS, provenance: 'unverified' }]);
    const ended = (await rowsOf(id)).filter(({ supersededAt }) => supersededAt !== null);
    expect(ended).toHaveLength(SESSIONS);
    for (const row of ended)
      expect(row).toMatchObject({ supersededById: merge?.into, endReason: 'merged', endedByRunId: done.id });
    const { memories } = await client.recall({ query: 'python close.py SyntaxError: invalid syntax' });
    expect(memories.filter(({ id: memory }) => memory === merge?.into)).toHaveLength(1);
    expect(memories.filter(({ id: memory }) => ended.some((row) => row.id === memory))).toEqual([]);
  });

  it('give a thirteenth session to the same lesson, and the next run changes nothing', async () => {
    const { client, id } = await agentWithEqualLessons('Later', 3);
    await app.admin.consolidation.run({ agentId: id });
    await client.executions.report(report({ executionId: 'later once more', sessionId: 'later session once more' }));
    await app.settled();
    expect((await lessonsOf(id)).items).toMatchObject([{ witnessCount: 4 }]);
    const again = onlyRun(await app.admin.consolidation.run({ agentId: id }));
    expect(again).toMatchObject({ sessions: 1, undoUntil: null });
  });
});

describe('a run', () => {
  it('writes nothing as a dry run, and reports the same changes', async () => {
    const { id } = await agentWithEqualLessons('Dry', 3);
    const before = await rowsOf(id);
    const dry = onlyRun(await app.admin.consolidation.run({ agentId: id, dryRun: true }));
    expect(dry).toMatchObject({ dryRun: true, undoUntil: null, report: { after: { lessons: 1 } } });
    expect(await rowsOf(id)).toEqual(before);
    const done = onlyRun(await app.admin.consolidation.run({ agentId: id }));
    expect(done.report?.consolidate.merges.items[0]?.from).toEqual(dry.report?.consolidate.merges.items[0]?.from);
    await expect(app.admin.consolidation.undo(dry.id)).rejects.toMatchObject({
      problem: { status: 409, code: 'consolidation.not_undoable' },
    });
  });

  it('is undone as a whole, once, within the grace period, and journalled', async () => {
    const { client, id } = await agentWithEqualLessons('Undo', 3);
    const before = await rowsOf(id);
    const done = onlyRun(await app.admin.consolidation.run({ agentId: id }));
    await client.executions.report(report({ executionId: 'undo 4', sessionId: 'undo session 4' }));
    await app.settled();
    const undone = await app.admin.consolidation.undo(done.id);
    expect(undone).toMatchObject({ restored: 3, ended: 1, run: { undoUntil: null } });
    const restored = (await rowsOf(id)).filter(({ createdByRunId }) => createdByRunId === null);
    // The session that came since is a further witness of the oldest one; nothing else differs.
    const plain = (rows: typeof before) => rows.map(({ witnessCount: _, lastWitnessedAt: __, ...row }) => row);
    expect(plain(restored)).toEqual(plain(before));
    expect(restored.map(({ witnessCount }) => witnessCount).sort()).toEqual([1, 1, 2]);
    await expect(app.admin.consolidation.undo(done.id)).rejects.toMatchObject({
      problem: { status: 409, code: 'consolidation.undone' },
    });
    const { items } = await app.admin.journal.list({ order: 'newest', limit: 20 });
    expect(items.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['consolidation.completed', 'memory.lessons_consolidated', 'consolidation.undone']),
    );
    // What a person restored stays apart.
    const again = onlyRun(await app.admin.consolidation.run({ agentId: id }));
    expect(again.report?.consolidate.merges.total).toBe(0);
    expect((await lessonsOf(id)).total).toBe(3);
  });

  it('cannot be undone after the grace period, nor before the later run that used its lessons', async () => {
    const { id } = await agentWithEqualLessons('Order', 2);
    const first = onlyRun(await app.admin.consolidation.run({ agentId: id }));
    const [row] = await app.database.client.memory.findMany({
      where: { scope: 'agent', agentId: id, supersededAt: null },
    });
    await app.database.transaction((tx) =>
      tx.memory.update({ where: { id: row?.id ?? '' }, data: { discovery: 'It failed yesterday' } }),
    );
    const second = onlyRun(await app.admin.consolidation.run({ agentId: id }));
    expect(second.report?.consolidate.dates).toMatchObject({
      total: 1,
      items: [{ replaced: [{ from: 'yesterday' }] }],
    });
    await expect(app.admin.consolidation.undo(first.id)).rejects.toMatchObject({
      problem: { code: 'consolidation.later_run' },
    });
    await app.admin.consolidation.undo(second.id);
    await app.admin.consolidation.undo(first.id);
    expect((await lessonsOf(id)).total).toBe(2);
  });

  it('is refused to agents and to people who do not administer', async () => {
    const { client, id } = await app.agent('Wrong actor');
    const { client: reviewer } = await app.person('Only reviews', { reviewer: true });
    for (const caller of [client, reviewer]) {
      await expect(caller.consolidation.run({ agentId: id })).rejects.toMatchObject({ problem: { status: 403 } });
      await expect(caller.consolidation.undo(UNKNOWN)).rejects.toMatchObject({ problem: { status: 403 } });
      await expect(caller.consolidation.pause({})).rejects.toMatchObject({ problem: { status: 403 } });
    }
    await expect(client.consolidation.list()).rejects.toMatchObject({ problem: { status: 403 } });
    await expect(app.admin.consolidation.run({ agentId: UNKNOWN })).rejects.toMatchObject({ problem: { status: 404 } });
    await expect(app.admin.consolidation.show(UNKNOWN)).rejects.toMatchObject({ problem: { status: 404 } });
    await expect(app.admin.consolidation.undo(UNKNOWN)).rejects.toMatchObject({ problem: { status: 404 } });
  });

  it('backs off while another one holds the lease of the agent', async () => {
    const { id } = await agentWithEqualLessons('Busy', 2);
    const now = app.clock.now();
    const lease = `consolidation:${id}`;
    await takeLease(app.database.client, lease, UNKNOWN, now, HOUR_MS);
    await expect(app.admin.consolidation.run({ agentId: id })).rejects.toMatchObject({
      problem: { status: 409, code: 'consolidation.busy' },
    });
    const all = await app.admin.consolidation.run({});
    expect(all.busy).toEqual([{ agentId: id, agent: 'Busy' }]);
    expect((await lessonsOf(id)).total).toBe(2);
    await app.database.client.lease.deleteMany({ where: { name: lease } });
    expect(onlyRun(await app.admin.consolidation.run({ agentId: id })).state).toBe('completed');
  });

  it('that fails leaves the memory as it was, and the time of the last good one', async () => {
    const { id } = await agentWithEqualLessons('Fails', 2);
    const before = await rowsOf(id);
    const repository = app.app.get(LessonRepository);
    const { endByRun } = repository;
    repository.endByRun = () => Promise.reject(new Error('the disk of AKIAIOSFODNN7EXAMPLE is full'));
    const failed = onlyRun(await app.admin.consolidation.run({ agentId: id }));
    repository.endByRun = endByRun;
    expect(failed).toMatchObject({ state: 'failed', phase: 'prune', report: null, undoUntil: null });
    expect(failed.failure).toContain('is full');
    expect(failed.failure).not.toContain('AKIAIOSFODNN7EXAMPLE');
    expect(await rowsOf(id)).toEqual(before);
    const next = onlyRun(await app.admin.consolidation.run({ agentId: id }));
    expect(next).toMatchObject({ state: 'completed', sessions: 2, report: { gather: { since: null } } });
  });

  it('whose process ended is reported as failed by the next one', async () => {
    const { id } = await agentWithEqualLessons('Interrupted', 2);
    const stopped = { trigger: 'schedule', dryRun: false, state: 'running', phase: 'gather', sessions: 2 };
    await app.database.client.consolidationRun.create({
      data: { id: UNKNOWN, agentId: id, ...stopped, startedAt: app.clock.now() },
    });
    await app.admin.consolidation.run({ agentId: id });
    expect(await app.admin.consolidation.show(UNKNOWN)).toMatchObject({ state: 'failed', phase: 'gather' });
  });
});

describe('the schedule', () => {
  const wake = () => app.app.get(Consolidation).runDue();
  // Read without a token: those of the test expire when the clock moves a day.
  const runsOf = async (agent: string) => (await app.app.get(Consolidation).list({ agent, limit: 20 })).items;

  it('leaves a paused agent alone until it is resumed', async () => {
    const { id } = await agentWithEqualLessons('Paused', 5);
    const pause = await app.admin.consolidation.pause({ agentId: id });
    await expect(app.admin.consolidation.pause({ agentId: id })).rejects.toMatchObject({ problem: { status: 409 } });
    await wake();
    expect(await runsOf(id)).toEqual([]);
    await expect(app.admin.consolidation.run({ agentId: id })).rejects.toMatchObject({
      problem: { code: 'consolidation.paused' },
    });
    expect((await app.admin.consolidation.pauses()).items).toMatchObject([{ id: pause.id, agent: 'Paused' }]);
    await app.admin.consolidation.resume(pause.id);
    await expect(app.admin.consolidation.resume(pause.id)).rejects.toMatchObject({ problem: { status: 404 } });
    await wake();
    expect(await runsOf(id)).toMatchObject([{ state: 'completed' }]);
  });

  it('runs for an agent after five new sessions, and again after 24 hours and five more', async () => {
    const { client, id } = await agentWithEqualLessons('Scheduled', 4);
    await wake();
    expect(await runsOf(id)).toEqual([]);
    const work = (n: number) =>
      client.executions.report(
        report({ executionId: `more ${n}`, sessionId: `more session ${n}`, toolCalls: [run('ls')] }),
      );
    await work(0);
    await app.settled();
    await wake();
    expect(await runsOf(id)).toMatchObject([{ trigger: 'schedule', sessions: 5, state: 'completed' }]);
    for (const n of [1, 2, 3, 4, 5]) await work(n);
    await app.settled();
    await wake();
    expect(await runsOf(id)).toHaveLength(1);
    app.clock.advance(24 * HOUR_MS);
    await wake();
    expect(await runsOf(id)).toMatchObject([{ sessions: 5 }, { sessions: 5 }]);
  });
});

const onlyOf = <T extends { items: readonly unknown[] }>(list: T): T => {
  expect(list.items).toHaveLength(1);
  return list;
};
