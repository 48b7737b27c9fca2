import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { ToolCall } from '../../src/capture/report/execution-report.schema.js';
import { EvolverJob } from '../../src/evolve/cycle/evolver.job.js';
import { MINUTE_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { onlyPending, pythonReport, reportPythonFleet } from '../support/fleet.js';
import { startMessagesApi } from '../support/messages-api.js';
import { run, SYNTAX_ERROR } from '../support/reports.js';

let app: TestApplication;
let logged: ReturnType<typeof jest.spyOn>[];
beforeEach(() => {
  logged = [jest.spyOn(Logger.prototype, 'log'), jest.spyOn(Logger.prototype, 'error')];
});
afterEach(async () => {
  jest.restoreAllMocks();
  await app.close();
});

/** Returns the names of the logged events, in order. */
/** The first start with the schedule off, and what a cycle read of its window. */
const OF_THE_LOG_ALONE = ['SKILL_EVOLVER_DISABLED', 'MINING_STATE_READ'];

function inLog(): string[] {
  const calls: unknown[][] = logged.flatMap(({ mock }) => mock.calls);
  return calls.flatMap(([entry]) =>
    typeof entry === 'object' && entry !== null && 'event' in entry && typeof entry.event === 'string'
      ? [entry.event]
      : [],
  );
}

async function inJournal(): Promise<string[]> {
  const { items } = await app.admin.journal.list({ limit: 500 });
  return items.map(({ action }) => action).filter((action) => /^(?:SKILL_EVOLVER|ORG_SKILL)_/.test(action));
}

/** The same failure with another remedy. */
const SELECT_FIRST: ToolCall[] = [
  run('python manage.py check', SYNTAX_ERROR),
  run('python manage.py check', SYNTAX_ERROR),
  run('pyenv local 3.12'),
  run('python manage.py check'),
];

describe('the events of the evolver', () => {
  it('have the same names in journal and log, from a cycle to a skill that replaces another', async () => {
    app = await startTestApplication();
    await reportPythonFleet(app, ['ada', 'ben', 'cleo']);
    await app.admin.evolver.run(false);
    const first = await onlyPending(app);
    await app.admin.proposals.approve(first.id, first.artifactSha256);
    for (const name of ['dan', 'eva', 'finn', 'gil', 'hal', 'ina']) {
      const { client } = await app.agent(name, `team of ${name}`);
      await client.executions.report({ ...pythonReport(app, name), toolCalls: SELECT_FIRST });
    }
    await app.settled();
    await app.admin.evolver.run(false);
    const conflict = await onlyPending(app);
    expect(conflict.kind).toBe('conflict');
    const second = await app.person('Second', { reviewer: true });
    await app.admin.proposals.approve(conflict.id, conflict.artifactSha256);
    if ((await app.admin.proposals.show(conflict.id)).state === 'pending')
      await second.client.proposals.approve(conflict.id, conflict.artifactSha256);
    const events = [
      'SKILL_EVOLVER_CYCLE_START',
      'SKILL_EVOLVER_PROPOSAL_EMITTED',
      'SKILL_EVOLVER_CYCLE_COMPLETE',
      'SKILL_EVOLVER_CYCLE_START',
      'SKILL_EVOLVER_PROPOSAL_EMITTED',
      'SKILL_EVOLVER_CONFLICT_DETECTED',
      'SKILL_EVOLVER_CYCLE_COMPLETE',
      'ORG_SKILL_SUPERSEDED',
    ];
    expect(await inJournal()).toEqual(events);
    expect(inLog().filter((event) => !OF_THE_LOG_ALONE.includes(event))).toEqual(events);
  });

  it('name the person or service that started the cycle, which gets no access to the proposals by that', async () => {
    app = await startTestApplication();
    await reportPythonFleet(app, ['ada', 'ben', 'cleo']);
    const { token } = await app.admin.services.add({ name: 'scheduler', scopes: ['propose'] });
    const scheduler = app.client(token);
    expect(await scheduler.evolver.run(false)).toMatchObject({ state: 'completed', report: { emitted: 1 } });
    const { items } = await app.admin.journal.list({ action: 'SKILL_EVOLVER_CYCLE_START' });
    expect(items).toMatchObject([{ actor: { kind: 'job', name: 'requested by scheduler' } }]);
    await app.admin.evolver.run(true);
    const { items: asked } = await app.admin.journal.list({ action: 'SKILL_EVOLVER_CYCLE_START', order: 'newest' });
    const { principal } = await app.admin.me();
    expect(asked[0]).toMatchObject({
      actor: { kind: 'job', id: principal.id, name: `requested by ${principal.name}` },
    });
    const { id, artifactSha256 } = await onlyPending(app);
    const refused = { problem: { status: 403 } };
    await expect(scheduler.proposals.show(id)).rejects.toMatchObject(refused);
    await expect(scheduler.proposals.approve(id, artifactSha256)).rejects.toMatchObject(refused);
  });

  it('include a failed cycle, which is journalled, logged and stored with its reason', async () => {
    app = await startTestApplication();
    await app.database.client.$executeRawUnsafe('ALTER TABLE "observation" RENAME COLUMN "body" TO "gone"');
    await expect(app.admin.evolver.run(false)).rejects.toMatchObject({ problem: { status: 500 } });
    expect(await inJournal()).toEqual(['SKILL_EVOLVER_CYCLE_START', 'SKILL_EVOLVER_CYCLE_FAILED']);
    expect(inLog()).toContain('SKILL_EVOLVER_CYCLE_FAILED');
    const { items } = await app.admin.evolver.reports();
    expect(items).toMatchObject([{ state: 'failed', report: null }]);
    expect(items[0]?.error).not.toBe('');
  });

  it('include its disabling: logged at every start, journalled once after scheduled cycles', async () => {
    app = await startTestApplication();
    const job = app.app.get(EvolverJob);
    expect(inLog()).toContain('SKILL_EVOLVER_DISABLED');
    expect(await inJournal()).toEqual([]);
    await app.admin.evolver.run(true);
    await job.onApplicationBootstrap();
    expect(await inJournal()).not.toContain('SKILL_EVOLVER_DISABLED');
    await reportPythonFleet(app, ['ada']);
    app.clock.advance(MINUTE_MS);
    await job.run();
    await job.onApplicationBootstrap();
    await job.onApplicationBootstrap();
    expect((await inJournal()).filter((event) => event === 'SKILL_EVOLVER_DISABLED')).toHaveLength(1);
  });
});

describe('a cycle without new evidence', () => {
  it('makes no model call and writes no proposal', async () => {
    const api = await startMessagesApi();
    app = await startTestApplication({ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'scripted' });
    const idle = await app.admin.evolver.run(false);
    expect(idle.report).toMatchObject({ executionsRead: 0, emitted: 0, tokens: 0, proposals: [], unsolved: [] });
    expect((await app.admin.proposals.list()).total).toBe(0);

    await reportPythonFleet(app, ['ada', 'ben', 'cleo']);
    await app.admin.evolver.run(false);
    const proposal = await onlyPending(app);
    const [requests, journal] = [api.requests.length, await inJournal()];
    const { id, report } = await app.admin.evolver.run(false);
    expect(report).toMatchObject({ emitted: 0, alreadyPending: 1, tokens: 0 });
    expect(api.requests).toHaveLength(requests);
    expect(await onlyPending(app)).toMatchObject({
      id: proposal.id,
      revision: proposal.revision,
      artifact: proposal.artifact,
    });
    expect(await inJournal()).toEqual([...journal, 'SKILL_EVOLVER_CYCLE_START', 'SKILL_EVOLVER_CYCLE_COMPLETE']);
    // The list of reports, and this report alone.
    expect((await app.admin.evolver.reports()).items.map((cycle) => cycle.id)).toContain(id);
    expect(await app.admin.evolver.report(id)).toMatchObject({ id, state: 'completed', report: { alreadyPending: 1 } });
    await app.settled();
    await api.close();
  });
});

describe('the report of a cycle', () => {
  it('shows which checks of a task some agents passed and which none did, and proposes nothing about them', async () => {
    app = await startTestApplication();
    const task = { ...pythonReport(app, 'one task for all'), toolCalls: [] };
    const agents = ['ada', 'ben', 'cleo', 'dan', 'eva', 'finn'];
    for (const [at, name] of agents.entries()) {
      const { client } = await app.agent(name, `team of ${name}`);
      const checks = [
        { name: 'test_total', ok: at >= 3 },
        { name: 'test_vat - AssertionError', ok: false },
      ];
      const verification = { outcome: 'failed', source: 'test', checks } as const;
      await client.executions.report({ ...task, executionId: `execution of ${name}`, verification });
    }
    const { report } = await app.admin.evolver.run(false);
    expect(report?.tasks).toMatchObject({ overcome: 1, open: 0, unsolved: 1 });
    expect(
      report?.tasks.problems.map(({ check, verdict, failedBy, passedBy }) => [check, verdict, failedBy, passedBy]),
    ).toEqual([
      ['test_vat', 'unsolved', 6, 0],
      ['test_total', 'overcome', 3, 3],
    ]);
    expect(report).toMatchObject({ emitted: 0, proposals: [] });
  });
});
