import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { LESSON } from '../../../test/support/messages-api.js';
import { runUntilIdle, scriptedWorker, stopProposer } from '../../../test/support/proposer-worker.js';
import { reporter } from '../../../test/support/reporter.js';
import { ownRecovery, report, run, SYNTAX_ERROR } from '../../../test/support/reports.js';
import { Principals } from '../../access/identity/principals.service.js';
import type { Reporter } from '../../access/identity/reporter.js';
import { AnalysisQueue, type LeasedPayload } from '../../capture/analysis/analysis-queue.service.js';
import { Executions } from '../../capture/intake/executions.service.js';
import type { ExecutionReport } from '../../capture/report/execution-report.schema.js';
import { Journal } from '../../journal/journal.service.js';
import { Lessons } from '../../memory/lessons/lessons.service.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { NO_LESSON_REASONS, type NoLessonReason, type ProposerResult } from '../model/proposer.js';
import type { ProposerWorker } from './proposer-worker.service.js';

let app: TestApplication;
let ada: Reporter;
let agents = 0;
const workers: ProposerWorker[] = [];

beforeAll(async () => {
  app = await startTestApplication();
  // The application's own worker would take the payloads; each test starts its own worker.
  await stopProposer(app);
});
beforeEach(async () => {
  ada = await newAgent();
});
afterEach(async () => {
  app.clock.advance(60 * MINUTE_MS);
  await runUntilIdle(worker(() => none('no_update')));
  // Capture wakes every worker until it is shut down.
  for (const one of workers.splice(0)) await one.beforeApplicationShutdown();
});
afterAll(() => app.close());

/** Not through the API: the session would expire in the hours that these tests advance the clock. */
async function newAgent(): Promise<Reporter> {
  agents += 1;
  const admin = { kind: 'admin', id: 'admin', name: 'Admin' } as const;
  const { principal } = await app.app.get(Principals).addAgent(admin, { name: `Agent ${agents}`, owner: 'Books' });
  return reporter(principal.id, principal.name, principal.owner);
}

type Answering = () => ProposerResult | Promise<ProposerResult>;

function worker(answer: Answering, settings: Record<string, string> = {}): ProposerWorker {
  const proposerWorker = scriptedWorker(app, answer, settings);
  workers.push(proposerWorker);
  return proposerWorker;
}

async function captured(executionId = 'execution-1', change: Partial<ExecutionReport> = {}): Promise<string> {
  const { id } = await app.app
    .get(Executions)
    .report(ada, report({ executionId, toolCalls: ownRecovery(executionId), ...change }));
  await app.settled();
  return id;
}

const lesson = (change: Partial<typeof LESSON> = {}): ProposerResult => ({
  outcome: 'lesson',
  lesson: { ...LESSON, ...change },
});
const none = (reason: NoLessonReason): ProposerResult => ({ outcome: 'none', reason });
const USED = { inputTokens: 812, cacheWriteTokens: 0, cacheReadTokens: 0, outputTokens: 164 };
const DOWN: ProposerResult = { outcome: 'unavailable', reason: 'OverloadedError 529' };

const memories = () =>
  app.database.client.memory.findMany({ where: { scope: 'agent', agentId: ada.id }, orderBy: { createdAt: 'asc' } });
const payloadOf = (executionId: string) =>
  app.database.client.analysisPayload.findUniqueOrThrow({ where: { executionId } });
const extracted = async () => {
  const { items } = await app.app
    .get(Journal)
    .list({ after: 0, limit: 500, order: 'oldest', action: 'memory.lesson_extracted' });
  return items.filter(({ data }) => Extracted.parse(data).agent === ada.id);
};
const Extracted = z.looseObject({ agent: z.string() });
const Steps = z.array(z.string());

describe('the proposer worker', () => {
  it('stores the lesson for its agent alone, unverified, ends the payload and journals it', async () => {
    const execution = await captured();
    await runUntilIdle(worker(() => ({ ...lesson(), usage: USED }) as ProposerResult));
    const [memory, ...others] = await memories();
    expect(others).toEqual([]);
    expect(memory).toMatchObject({
      scope: 'agent',
      agentId: ada.id,
      category: 'PROCEDURAL',
      discovery: LESSON.discovery,
      steps: LESSON.steps,
      controlTags: ['non-inferable'],
      provenance: 'unverified',
      proposer: 'scripted/1',
      awaitingProposer: false,
      sourceExecutionId: execution,
      cost: { ...USED, usd: 0.0001632 },
    });
    expect(await payloadOf(execution)).toMatchObject({ state: 'done', outcome: 'lesson' });
    expect(await extracted()).toEqual([
      expect.objectContaining({
        actor: { kind: 'job', id: 'job:proposer', name: 'proposer' },
        subject: { type: 'memory', id: memory?.id },
        data: expect.objectContaining({ agent: ada.id, execution, provenance: 'unverified', proposer: 'scripted/1' }),
      }),
    ]);
    expect(await app.admin.journal.verify()).toMatchObject({ intact: true });
  });

  it('tags a lesson from a verified success', async () => {
    const verification = { outcome: 'succeeded', source: 'ci' } as const;
    await captured('success', {
      verification,
      qualityScore: 9,
      toolCalls: [{ name: 'Bash', action: 'python3 close.py', ok: true }],
    });
    await runUntilIdle(worker(lesson));
    expect((await memories())[0]?.controlTags).toEqual(['non-inferable', 'success-derived']);
  });

  it('stores no lesson if the journal cannot be written, and retries the payload later', async () => {
    const execution = await captured();
    const proposerWorker = worker(lesson);
    await whileJournalIsBroken(app, () => runUntilIdle(proposerWorker));
    expect(await memories()).toEqual([]);
    expect(await payloadOf(execution)).toMatchObject({ state: 'pending', outcome: expect.stringMatching(/^failed: /) });
    await runUntilIdle(proposerWorker);
    expect(await memories()).toEqual([]);
    app.clock.advance(MINUTE_MS);
    await runUntilIdle(proposerWorker);
    expect(await memories()).toHaveLength(1);
  });

  it.each(NO_LESSON_REASONS)('stores nothing but the reason of an answer without a lesson (%s)', async (reason) => {
    const execution = await captured();
    await runUntilIdle(worker(() => none(reason)));
    expect(await memories()).toEqual([]);
    expect(await extracted()).toEqual([]);
    expect(await payloadOf(execution)).toMatchObject({ state: 'discarded', outcome: reason });
  });

  it('does nothing while the proposer is disabled', async () => {
    const execution = await captured();
    await runUntilIdle(worker(lesson, { GUILDBOOK_PROPOSER_ENABLED: 'false' }));
    expect(await memories()).toEqual([]);
    expect(await payloadOf(execution)).toMatchObject({ state: 'pending', attempts: 0 });
  });

  it('continues with the other payloads after a proposer throws', async () => {
    const first = await captured('first');
    await captured('second');
    const answers: Answering[] = [
      () => {
        throw new TypeError('broken');
      },
      lesson,
    ];
    const proposerWorker = worker(() => (answers.shift() ?? lesson)());
    await runUntilIdle(proposerWorker);
    expect(await memories()).toHaveLength(1);
    expect(await payloadOf(first)).toMatchObject({ state: 'pending', outcome: 'failed: TypeError' });
    app.clock.advance(MINUTE_MS);
    await runUntilIdle(proposerWorker);
    expect(await memories()).toHaveLength(2);
  });
});

describe('the model is unavailable', () => {
  it('the rules write the lesson, marked as awaiting the proposer', async () => {
    const execution = await captured();
    await runUntilIdle(worker(() => DOWN));
    const [memory] = await memories();
    expect(memory).toMatchObject({ proposer: 'rules/4', awaitingProposer: true, provenance: 'unverified', cost: null });
    expect(memory?.discovery).toContain('python3');
    expect(await payloadOf(execution)).toMatchObject({ outcome: 'awaiting the proposer (OverloadedError 529)' });
  });

  it('a payload for which the rules have no lesson waits for the model', async () => {
    const execution = await captured('silent', {
      status: 'failed',
      toolCalls: [run('python3 close.py', SYNTAX_ERROR)],
    });
    let answer: ProposerResult = DOWN;
    const proposerWorker = worker(() => answer);
    await runUntilIdle(proposerWorker);
    expect(await memories()).toEqual([]);
    expect(await payloadOf(execution)).toMatchObject({ state: 'pending', outcome: expect.stringMatching(/^awaiting/) });
    answer = lesson();
    app.clock.advance(MINUTE_MS);
    await runUntilIdle(proposerWorker);
    expect(await memories()).toEqual([expect.objectContaining({ proposer: 'scripted/1', awaitingProposer: false })]);
  });
});

describe('an execution that overcame several failures', () => {
  const SEVERAL = [
    ...ownRecovery('several'),
    run('pytest tests', "ModuleNotFoundError: No module named 'yaml'"),
    run('pip install pyyaml'),
    run('pytest tests'),
  ];
  const live = async () => (await memories()).filter(({ supersededAt }) => supersededAt === null);
  const proposersByStep = async () =>
    Object.fromEntries((await live()).map(({ steps, proposer }) => [Steps.parse(steps)[0], proposer]));

  it('is one question for the model; the rules write about what it did not choose', async () => {
    const execution = await captured('several', { toolCalls: SEVERAL });
    let asked = 0;
    await runUntilIdle(
      worker(() => {
        asked += 1;
        return lesson();
      }),
    );
    expect(asked).toBe(1);
    expect(await proposersByStep()).toEqual({
      [String(LESSON.steps.at(0))]: 'scripted/1',
      'Run `pip install pyyaml`.': 'rules/4',
    });
    expect(await payloadOf(execution)).toMatchObject({ state: 'done', outcome: 'lesson' });
  });

  it('gives no lesson if the model finds nothing to learn in it', async () => {
    await captured('several', { toolCalls: SEVERAL });
    await runUntilIdle(worker(() => none('no_update')));
    expect(await memories()).toEqual([]);
  });

  it('is learned by rules while the model is down, and keeps each lesson when the model writes about one', async () => {
    await captured('several', { toolCalls: SEVERAL });
    let answer: ProposerResult = DOWN;
    const proposerWorker = worker(() => answer);
    await runUntilIdle(proposerWorker);
    expect((await live()).map(({ awaitingProposer }) => awaitingProposer).sort()).toEqual([false, true]);
    const steps = ['Run `pip install pyyaml`.'];
    answer = lesson({ steps, activation: { ...LESSON.activation, action: 'Run `pip install pyyaml` first.' } });
    app.clock.advance(MINUTE_MS);
    await runUntilIdle(proposerWorker);
    expect(await proposersByStep()).toEqual({
      'Run `pip install pyyaml`.': 'scripted/1',
      'Use `python3 close.py`.': 'rules/4',
    });
    expect((await live()).map(({ awaitingProposer }) => awaitingProposer)).toEqual([false, false]);
  });
});

describe('several workers', () => {
  it('two workers never make two lessons from one payload', async () => {
    for (let n = 0; n < 6; n += 1) await captured(`execution-${n}`);
    let asked = 0;
    const slow: Answering = async () => {
      asked += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return lesson();
    };
    await Promise.all([runUntilIdle(worker(slow)), runUntilIdle(worker(slow)), runUntilIdle(worker(slow))]);
    expect(asked).toBe(6);
    expect(new Set((await memories()).map(({ sourceExecutionId }) => sourceExecutionId)).size).toBe(6);
    expect(await memories()).toHaveLength(6);
  });

  it('a worker that exceeds its lease stores nothing, even if no other worker took the payload', async () => {
    const execution = await captured();
    let taken: LeasedPayload | undefined;
    const late = worker(async () => {
      app.clock.advance(16 * MINUTE_MS);
      taken = await app.app.get(AnalysisQueue).leaseNext();
      return lesson({ discovery: 'too late' });
    });
    await runUntilIdle(late);
    expect(taken?.executionId).toBe(execution);
    expect(await memories()).toEqual([]);
    expect(await extracted()).toEqual([]);
    expect(await payloadOf(execution)).toMatchObject({ state: 'pending', attempts: 2 });
  });

  it('a payload of a worker that died is taken by another one after a quarter of an hour', async () => {
    await captured();
    await app.app.get(AnalysisQueue).leaseNext();
    const proposerWorker = worker(lesson);
    await runUntilIdle(proposerWorker);
    expect(await memories()).toEqual([]);
    app.clock.advance(15 * MINUTE_MS);
    await runUntilIdle(proposerWorker);
    expect(await memories()).toHaveLength(1);
  });
});

describe('a session', () => {
  it('keeps one lesson: a later one replaces the earlier one, which stays as a tombstone', async () => {
    const proposerWorker = worker(lesson);
    await captured('before the crash', { sessionId: 'session-1' });
    await runUntilIdle(proposerWorker);
    app.clock.advance(MINUTE_MS);
    await captured('after the crash', { sessionId: 'session-1' });
    await runUntilIdle(proposerWorker);
    const [earlier, later, ...others] = await memories();
    expect(others).toEqual([]);
    expect(earlier).toMatchObject({ supersededById: later?.id, supersededAt: expect.any(Date) });
    expect(later).toMatchObject({ supersededById: null, supersededAt: null });
    const { items } = await app.app.get(Lessons).list({ agent: ada.id, scope: 'agent', state: 'live', limit: 50 });
    expect(items.map(({ id }) => id)).toEqual([later?.id]);
  });

  it('does not replace lessons of another agent, or lessons without a session', async () => {
    const proposerWorker = worker(lesson);
    const ben = await newAgent();
    await captured('ada in the session', { sessionId: 'session-1' });
    await app.app.get(Executions).report(ben, report({ sessionId: 'session-1' }));
    await captured('ada without one');
    await captured('ada without one again');
    await runUntilIdle(proposerWorker);
    const live = await app.database.client.memory.count({
      where: { scope: 'agent', agentId: { in: [ada.id, ben.id] }, supersededAt: null },
    });
    expect(live).toBe(4);
  });
});
