import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SchedulerRegistry } from '@nestjs/schedule';
import { Executions } from '../../src/capture/intake/executions.service.js';
import type { ExecutionReport } from '../../src/capture/report/execution-report.schema.js';
import { ExecutionReader } from '../../src/capture/store/execution-reader.service.js';
import { finishCycleFrom } from '../../src/evolve/cycle/cycle.js';
import { WindowReader } from '../../src/evolve/window/window-reader.service.js';
import { jobActor } from '../../src/journal/actor.js';
import { ScheduledJobs } from '../../src/platform/background/scheduled-jobs.service.js';
import { DAY_MS, HOUR_MS } from '../../src/platform/base/durations.js';
import { RandomIds } from '../../src/platform/base/ids.js';
import { RetentionRepository } from '../../src/retention/retention.repository.js';
import { Retention } from '../../src/retention/retention.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CYCLE_DEFAULTS } from '../support/cycles.js';
import { pythonReport } from '../support/fleet.js';
import { reporter } from '../support/reporter.js';

const known = { orgEntries: [], pendingProposals: [], rejectedFingerprints: [] };
const job = jobActor('retention-schedule');

describe('old reports and deliveries', () => {
  let app: TestApplication;
  const agents: { id: string; actor: ReturnType<typeof reporter> }[] = [];
  beforeEach(async () => {
    const days = {
      GUILDBOOK_KEEP_REPORTS_DAYS: '1',
      GUILDBOOK_KEEP_DELIVERIES_DAYS: '10',
      GUILDBOOK_EVOLVER_WINDOW_DAYS: '14',
    };
    // What cites a report is written here alone: no evidence is collected.
    app = await startTestApplication(days, false, { promotionBudget: 0 });
    const schedule = app.app.get(SchedulerRegistry);
    for (const name of schedule.getIntervals()) schedule.deleteInterval(name);
    agents.length = 0;
    for (const name of ['Ada', 'Ben', 'Cleo']) {
      const { id } = await app.agent(name, `team of ${name}`);
      agents.push({ id, actor: reporter(id, name, `team of ${name}`) });
    }
  });
  afterEach(() => app.close());

  const retention = () => app.app.get(Retention);
  const run = () => retention().run(job, { dryRun: false });
  const left = async () =>
    (await app.database.client.execution.findMany({ select: { taskId: true } })).map(({ taskId }) => taskId).length;
  async function send(agent: number, id: string, change: Partial<ExecutionReport> = {}): Promise<string> {
    const { actor } = agents[agent] ?? {};
    if (!actor) throw new Error(`no agent ${agent}`);
    await app.app.get(Executions).report(actor, { ...pythonReport(app, id), ...change });
    const newest = await app.database.client.execution.findFirst({ orderBy: [{ receivedAt: 'desc' }] });
    return newest?.id ?? '';
  }
  async function cycle() {
    const to = app.clock.now();
    const from = new Date(to.getTime() - 14 * DAY_MS);
    const { reader } = await app.app.get(WindowReader).advance(undefined, { from, to });
    return finishCycleFrom(app.app.get(ExecutionReader), reader, known, {
      ...CYCLE_DEFAULTS,
      minConfidenceForProposal: 0.5,
    });
  }
  /** Lessons of the agents are stored, and nothing waits. */
  const settled = () => app.settled();

  it('go by day, with what was derived from them, and one journal entry; the window of the evolver stays', async () => {
    for (const agent of [0, 1, 2]) await send(agent, `old ${agent}`);
    await settled();
    // No lesson cites them.
    await app.database.client.memoryWitness.deleteMany();
    await app.database.client.memory.deleteMany({ where: { scope: 'agent' } });
    app.clock.advance(4 * DAY_MS);
    for (const agent of [0, 1, 2]) await send(agent, `new ${agent}`);
    await settled();
    app.clock.advance(12.5 * DAY_MS);
    const before = await cycle();
    expect(before.executionsRead).toBe(3);
    const dry = await retention().run(job, { dryRun: true });
    expect(dry).toMatchObject({ id: null, reports: 3, cited: 0 });
    expect(await left()).toBe(6);
    const removed = await run();
    expect(removed).toMatchObject({ state: 'completed', reports: 3, cited: 0 });
    expect(await left()).toBe(3);
    expect(await cycle()).toEqual(before);
    const { client } = app.database;
    for (const rows of [await client.observation.count(), await client.analysisPayload.count()]) expect(rows).toBe(3);
    const entries = await client.journalEntry.findMany({ where: { subjectType: 'retention_run' } });
    expect(entries.map(({ action, subjectId }) => [action, subjectId])).toEqual([['retention.completed', removed.id]]);
    expect(JSON.parse(entries[0]?.data ?? '')).toMatchObject({ reports: 3, cited: 0, deliveries: 0, retrievals: 0 });
    expect(await run()).toMatchObject({ reports: 0 });
  });

  it('stay while a lesson, its witness, its evidence or a child cites them', async () => {
    const source = await send(0, 'source');
    const witness = await send(1, 'witness');
    const evidence = await send(2, 'evidence');
    await settled();
    const { client } = app.database;
    const [lesson] = await client.memory.findMany({ where: { sourceExecutionId: source } });
    if (!lesson) throw new Error('no lesson was learned');
    await client.memoryWitness.deleteMany();
    await client.memory.deleteMany({ where: { scope: 'agent', id: { not: lesson.id } } });
    await client.memoryWitness.create({ data: { memoryId: lesson.id, executionId: witness, at: app.clock.now() } });
    const reported = await client.execution.findUniqueOrThrow({ where: { id: evidence } });
    await client.memoryEvidence.create({
      data: {
        id: new RandomIds().uuid(),
        memoryId: lesson.id,
        kind: 'tool_result',
        stance: 'supports',
        whole: true,
        source: evidence,
        executionId: evidence,
        agentId: reported.agentId,
        owner: reported.owner,
        at: app.clock.now(),
        reporterId: reported.reporterId,
        reason: 'it worked',
      },
    });
    await send(0, 'parent', { executionId: 'the-parent', toolCalls: [] });
    await send(0, 'uncited', { toolCalls: [] });
    await settled();
    expect((await app.app.get(Retention).state()).lastRun).toBeNull();
    app.clock.advance(30 * DAY_MS);
    const child = await send(0, 'child', { parentExecutionId: 'the-parent', toolCalls: [] });
    await settled();
    const counts = await cycle();
    expect(await run()).toMatchObject({ reports: 1, cited: 4 });
    expect(await client.execution.count({ where: { id: { in: [source, witness, evidence, child] } } })).toBe(4);
    expect(await cycle()).toEqual(counts);
    const [support] = await client.$queryRaw<{ owners: bigint }[]>`SELECT * FROM memory_support(${lesson.id}::uuid)`;
    expect(Number(support?.owners)).toBe(2);
    // A tombstone cites its source, too.
    await client.memory.update({ where: { id: lesson.id }, data: { supersededAt: app.clock.now() } });
    expect(await run()).toMatchObject({ reports: 0, cited: 4 });
  });

  it('are kept while nothing has read them', async () => {
    await send(0, 'pending');
    await settled();
    await app.database.client.execution.updateMany({ data: { captureState: 'pending' } });
    await app.database.client.memoryWitness.deleteMany();
    await app.database.client.memory.deleteMany({ where: { scope: 'agent' } });
    app.clock.advance(40 * DAY_MS);
    expect(await run()).toMatchObject({ reports: 0, cited: 1 });
  });

  it('of deliveries and recalls go by their own setting', async () => {
    const { client } = app.database;
    const [ids, agentId] = [new RandomIds(), agents[0]?.id ?? ''];
    for (let n = 0; n < 450; n += 1)
      await client.delivery.create({
        data: {
          id: ids.uuid(),
          memoryId: ids.uuid(),
          agentId,
          session: `s${n}`,
          harness: 'h',
          moment: 'start',
          shape: '',
          arm: 'delivered',
          at: new Date(app.clock.now().getTime() - (n < 430 ? 11 : 9) * DAY_MS),
        },
      });
    const retrieved = { memoryId: ids.uuid(), agentId };
    await client.memoryRetrieval.createMany({
      data: [
        { ...retrieved, sessionId: 'old', at: new Date(app.clock.now().getTime() - 12 * DAY_MS) },
        { ...retrieved, sessionId: 'new', at: app.clock.now() },
      ],
    });
    expect(await retention().run(job, { dryRun: true })).toMatchObject({ deliveries: 430, retrievals: 1 });
    expect(await run()).toMatchObject({ deliveries: 430, retrievals: 1, reports: 0 });
    expect([await client.delivery.count(), await client.memoryRetrieval.count()]).toEqual([20, 1]);
  });

  it('are removed without a loss when the process dies in the middle', async () => {
    for (let n = 0; n < 5; n += 1) await send(0, `old ${n}`, { toolCalls: [] });
    await settled();
    app.clock.advance(40 * DAY_MS);
    // The process died after one batch: its row runs, and its lease has not ended.
    const rows = app.app.get(RetentionRepository);
    const { client } = app.database;
    const [dead, holder] = [new RandomIds().uuid(), new RandomIds().uuid()];
    const [one] = await client.execution.findMany({ take: 1 });
    await app.database.transaction(async (tx) => {
      const now = app.clock.now();
      await rows.lease(tx, holder, now, HOUR_MS);
      const reports = await rows.removeReports(tx, [one?.id ?? '']);
      // As the version before writes it.
      await tx.retentionRun.create({
        data: { id: dead, trigger: 'schedule', state: 'running', startedAt: now, reportsBefore: now, reports },
      });
    });
    await expect(run()).rejects.toMatchObject({ code: 'retention.busy' });
    expect(await left()).toBe(4);
    app.clock.advance(2 * HOUR_MS);
    const removed = await run();
    expect(removed).toMatchObject({ reports: 4 });
    const entries = await client.journalEntry.findMany({
      where: { subjectType: 'retention_run' },
      orderBy: { seq: 'asc' },
    });
    expect(entries.map(({ action, data }) => [action, JSON.parse(data).reports])).toEqual([
      ['retention.interrupted', 1],
      ['retention.completed', 4],
    ]);
    expect((await client.retentionRun.findUniqueOrThrow({ where: { id: dead } })).state).toBe('interrupted');
  });

  it('are removed once a day, and shown to administrators alone', async () => {
    expect(await app.admin.retention.state()).toEqual({ keepReportsDays: 15, keepDeliveriesDays: 10, lastRun: null });
    const first = await retention().runIfDue();
    expect(first).toMatchObject({ trigger: 'schedule', state: 'completed' });
    expect(await retention().runIfDue()).toBeUndefined();
    expect((await app.admin.retention.state()).lastRun).toEqual(first);
    expect(await app.admin.retention.run({ dryRun: true })).toMatchObject({ id: null, reports: 0 });
    const { client } = await app.person('Rita Reviewer', { reviewer: true });
    await expect(client.retention.run()).rejects.toMatchObject({ problem: { status: 403 } });
    await expect(client.retention.state()).rejects.toMatchObject({ problem: { status: 403 } });
    app.clock.advance(DAY_MS);
    const jobs = app.app.get(ScheduledJobs);
    await jobs.runDue();
    const { lastRun } = await retention().state();
    expect(lastRun).toMatchObject({ trigger: 'schedule', state: 'completed' });
    expect(lastRun?.id).not.toBe(first?.id);
    expect((await jobs.list()).find(({ name }) => name === 'retention')).toMatchObject({ outcome: 'completed' });
  });
});

describe('without a setting', () => {
  it('everything is kept', async () => {
    const app = await startTestApplication();
    expect(await app.admin.retention.state()).toEqual({
      keepReportsDays: null,
      keepDeliveriesDays: null,
      lastRun: null,
    });
    await expect(app.admin.retention.run()).rejects.toMatchObject({ problem: { status: 409, code: 'retention.off' } });
    expect(await app.app.get(Retention).runIfDue()).toBeUndefined();
    await app.close();
  });
});
