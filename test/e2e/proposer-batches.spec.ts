import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Principals } from '../../src/access/identity/principals.service.js';
import { AnalysisQueue } from '../../src/capture/analysis/analysis-queue.service.js';
import { CaptureWorker } from '../../src/capture/analysis/capture-worker.service.js';
import { Executions } from '../../src/capture/intake/executions.service.js';
import { Lessons } from '../../src/memory/lessons/lessons.service.js';
import { Clock } from '../../src/platform/base/clock.js';
import { HOUR_MS } from '../../src/platform/base/durations.js';
import { Ids } from '../../src/platform/base/ids.js';
import { loadConfig } from '../../src/platform/config/config.js';
import type { Constants } from '../../src/platform/config/constants.js';
import { BatchWorker } from '../../src/propose/lessons/batch-worker.service.js';
import { LessonResultHandler } from '../../src/propose/lessons/lesson-result-handler.service.js';
import { AnthropicProposer } from '../../src/propose/model/anthropic.proposer.js';
import { PromptWriter } from '../../src/propose/model/prompt.js';
import { ProposerQuestions } from '../../src/propose/questions/proposer-questions.service.js';
import { ProposerBatchRepository } from '../../src/propose/spending/proposer-batch.repository.js';
import { ProposerBudgets } from '../../src/propose/spending/proposer-budgets.service.js';
import { ProposerCallRepository } from '../../src/propose/spending/proposer-call.repository.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { type BatchesApi, RESULTS, startBatchesApi } from '../support/batches-api.js';
import { LESSON } from '../support/messages-api.js';
import { stopProposer } from '../support/proposer-worker.js';
import { reporter } from '../support/reporter.js';
import { ownRecovery, report } from '../support/reports.js';

let app: TestApplication;
let api: BatchesApi;
let agentId: string;
let agents = 0;
let workers: BatchWorker[] = [];

beforeAll(async () => {
  app = await startTestApplication();
  // The application's own workers would take the payloads; each test starts its own worker.
  await stopProposer(app);
  await app.app.get(BatchWorker).beforeApplicationShutdown();
});
beforeEach(async () => {
  api = await startBatchesApi();
  agents += 1;
  // Gives each test the budgets of its own day.
  app.clock.advance(48 * HOUR_MS);
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.beforeApplicationShutdown();
  await api.close();
  const { client } = app.database;
  await client.analysisPayload.updateMany({ where: { state: 'pending' }, data: { state: 'discarded' } });
  await client.proposerBatch.updateMany({ data: { state: 'ended' } });
});
afterAll(() => app.close());

/** Returns a new worker, as in another process. */
function worker(constants: Partial<Constants> = {}, settings: Record<string, string> = {}): BatchWorker {
  const { app: nest, database } = app;
  const config = loadConfig(settings, { proposerBatchMinPending: 3, ...constants });
  const [clock, ids, payloads] = [nest.get(Clock), nest.get(Ids), nest.get(AnalysisQueue)];
  const prompts = new PromptWriter({ failure: 'Learn.', success: 'Learn.', payload: '{{{fenced}}}' });
  const model = { model: 'claude-haiku-5-5', maxTokens: 1_500, minConfidence: 0.5, timeoutMs: 5_000 };
  const proposer = new AnthropicProposer({ apiKey: 'k', baseUrl: api.url, ...model }, prompts, () => ids.nonce());
  const spending = new ProposerBudgets(config, database.worker, clock, ids, new ProposerCallRepository());
  const asking = new ProposerQuestions(proposer, clock, spending);
  const conclusions = new LessonResultHandler(
    config,
    database.worker,
    clock,
    ids,
    asking,
    spending,
    payloads,
    nest.get(Lessons),
  );
  const batches = new ProposerBatchRepository();
  const made = new BatchWorker(
    ...([config, database.worker, clock, ids, asking, spending, conclusions, payloads, batches] as const),
  );
  workers = [...workers, made];
  return made;
}

async function round(batching: BatchWorker): Promise<void> {
  batching.wake();
  await batching.idle();
}

async function backlog(size: number): Promise<void> {
  const { id, name } = await agent();
  agentId = id;
  for (let n = 0; n < size; n += 1)
    await app.app
      .get(Executions)
      .report(reporter(id, name), report({ executionId: `execution-${n}`, toolCalls: ownRecovery(`${n}`) }));
  app.app.get(CaptureWorker).wake();
  await app.app.get(CaptureWorker).idle();
}

async function agent(): Promise<{ id: string; name: string }> {
  const name = `Agent ${agents}`;
  const admin = { kind: 'admin', id: 'admin', name: 'Admin' } as const;
  const { principal } = await app.app.get(Principals).addAgent(admin, { name });
  return { id: principal.id, name };
}

const lessons = () => app.database.client.memory.findMany({ where: { scope: 'agent', agentId, supersededAt: null } });
const payloads = () => app.database.client.analysisPayload.findMany({ where: { agentId } });
const calls = () => app.database.client.proposerCall.findMany({ where: { agentId } });
const batches = () => app.database.client.proposerBatch.findMany({ orderBy: { createdAt: 'desc' } });
const isDue = async () =>
  (await payloads()).filter((one) => one.state === 'pending' && (one.leaseUntil ?? 0) <= app.clock.now());

describe('a backlog', () => {
  it('goes to the model as one batch, at half the price', async () => {
    await backlog(4);
    const batching = worker();
    await round(batching);
    expect(api.submitted.map((ids) => ids.length)).toEqual([4]);
    expect(await app.app.get(AnalysisQueue).leaseNext()).toBeUndefined();
    await round(batching);
    expect(await lessons()).toEqual([]);
    api.status = 'ended';
    await round(batching);
    expect(await lessons()).toHaveLength(4);
    const [lesson] = await lessons();
    expect(lesson).toMatchObject({ awaitingProposer: false, cost: { usd: 0.0000816 } });
    expect((await calls()).map(({ costNano, outcome }) => [costNano, outcome])).toEqual(
      Array(4).fill([81_600n, 'lesson']),
    );
    expect((await batches())[0]).toMatchObject({ state: 'ended', payloads: 4 });
    await round(batching);
    expect(await lessons()).toHaveLength(4);
    expect(api.singles()).toBe(0);
  });

  it('is proposed one by one if it is small or batches are disabled', async () => {
    await backlog(2);
    await round(worker());
    await round(worker({ proposerBatchMinPending: 0 }));
    expect(api.submitted).toEqual([]);
    expect(await isDue()).toHaveLength(2);
  });

  it('is sent once by any number of processes', async () => {
    await backlog(4);
    await Promise.all([round(worker()), round(worker()), round(worker())]);
    expect(api.submitted).toHaveLength(1);
  });

  it('is sent as far as the budget allows; the rest is proposed one by one', async () => {
    await backlog(4);
    await round(worker({ proposerCycleShare: 1 }, { GUILDBOOK_PROPOSER_DAY_TOKENS: '8000' }));
    const [sent = []] = api.submitted;
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.length).toBeLessThan(4);
    expect(await isDue()).toHaveLength(4 - sent.length);
  });
});

describe('a restart', () => {
  it('during a batch loses nothing: another process stores the answers', async () => {
    await backlog(3);
    await round(worker());
    for (const one of workers.splice(0)) await one.beforeApplicationShutdown();
    api.status = 'ended';
    await round(worker());
    expect(await lessons()).toHaveLength(3);
    expect(api.submitted).toHaveLength(1);
  });

  it('while answers are stored continues there, and no lesson is stored twice', async () => {
    await backlog(4);
    await round(worker());
    api.status = 'ended';
    api.cutAfter = 2;
    await round(worker());
    expect((await lessons()).length).toBeLessThanOrEqual(2);
    expect((await batches())[0]).toMatchObject({ state: 'submitted' });
    api.cutAfter = undefined;
    app.clock.advance(10 * 60_000);
    await round(worker());
    expect(await lessons()).toHaveLength(4);
    expect((await calls()).map(({ outcome }) => outcome)).toEqual(Array(4).fill('lesson'));
  });

  it('while a batch is sent loses nothing: another process finds it at the provider and stores its answers', async () => {
    await backlog(3);
    api.clock = () => app.clock.now();
    api.refuse = 'hang-up';
    // As if the process had died before it heard of the broken connection.
    await round(worker());
    expect((await batches())[0]).toMatchObject({ state: 'prepared', providerId: null });
    expect(await isDue()).toEqual([]);
    api.status = 'ended';
    const next = worker();
    await round(next);
    expect((await batches())[0]).toMatchObject({ state: 'submitted', providerId: 'msgbatch_0' });
    await round(next);
    expect(await lessons()).toHaveLength(3);
    expect((await calls()).map(({ outcome }) => outcome)).toEqual(Array(3).fill('lesson'));
    expect(api.submitted).toHaveLength(1);
  });

  it('while a batch is sent releases its payloads if the provider has no such batch, and keeps the reservation', async () => {
    await backlog(3);
    api.clock = () => app.clock.now();
    api.refuse = 'hang-up';
    await round(worker());
    // The batch at the provider has another size, so it is a foreign one.
    api.submitted.splice(0, 1, ['a', 'b', 'c', 'd']);
    await round(worker({ proposerBatchMinPending: 100 }));
    expect((await batches())[0]).toMatchObject({ state: 'lost' });
    expect(await isDue()).toHaveLength(3);
    for (const call of await calls()) expect(call).toMatchObject({ outcome: 'unavailable', outputTokens: 1_500 });
  });

  it('while a batch is sent makes another process look it up for at most an hour while the provider is unavailable', async () => {
    await backlog(3);
    api.refuse = 'hang-up';
    await round(worker());
    await round(worker());
    expect((await batches())[0]).toMatchObject({ state: 'prepared' });
    app.clock.advance(1.1 * HOUR_MS);
    await round(worker({ proposerBatchMinPending: 100 }));
    expect((await batches())[0]).toMatchObject({ state: 'lost' });
    expect(await isDue()).toHaveLength(3);
  });

  it('between writing and sending a batch is noticed by the next process', async () => {
    await backlog(3);
    const { client } = app.database;
    const id = app.app.get(Ids).uuid();
    await app.database.transaction((tx) => app.app.get(AnalysisQueue).leaseForBatch(tx, id, 100, HOUR_MS));
    await client.proposerBatch.create({ data: { id, state: 'prepared', payloads: 3, createdAt: app.clock.now() } });
    api.clock = () => app.clock.now();
    await round(worker({ proposerBatchMinPending: 100 }));
    expect((await batches())[0]).toMatchObject({ id, state: 'lost' });
    expect(await isDue()).toHaveLength(3);
  });
});

describe('the answers of a batch', () => {
  it('are handled one by one: a refusal, control fields, an empty answer', async () => {
    await backlog(5);
    await round(worker());
    api.status = 'ended';
    api.results = (id, index) => [RESULTS.lesson, RESULTS.refusal, RESULTS.controlFields, RESULTS.errored][index]?.(id);
    await round(worker());
    const outcomes = (await payloads()).map(({ state, outcome }) => `${state}: ${outcome}`).sort();
    expect(outcomes).toEqual([
      'discarded: malformed',
      'discarded: refused',
      'done: lesson',
      'pending: the batch has no answer for it',
      'pending: the batch has no answer for it',
    ]);
    expect(await isDue()).toHaveLength(2);
    const unanswered = (await calls()).filter(({ outcome }) => outcome === 'unavailable');
    expect(unanswered.map(({ costNano }) => costNano)).toEqual([0n, 0n]);
  });

  it('pass the same gates as single ones, and decline with the same kinds', async () => {
    await backlog(6);
    await round(worker());
    api.status = 'ended';
    const answers = [
      (id: string) => RESULTS.declined(id, 'not_an_error'),
      (id: string) => RESULTS.written(id, { cause: 'The file settings.ini is missing.' }),
      (id: string) => RESULTS.written(id, { steps: ['Skip the failing tests.'] }),
      (id: string) => RESULTS.written(id, { steps: [...LESSON.steps, 'It works in 97 % of runs.'] }),
      RESULTS.half,
      (id: string) => RESULTS.declined(id, 'boring'),
    ];
    api.results = (id, index) => answers[index]?.(id);
    await round(worker());
    expect((await calls()).map(({ outcome }) => outcome).sort()).toEqual([
      'declined_not_an_error',
      'lesson',
      'lint',
      'malformed',
      'malformed',
      'ungrounded',
    ]);
    expect(await lessons()).toMatchObject([{ steps: LESSON.steps }]);
  });

  it('with an unknown or a repeated id change nothing', async () => {
    await backlog(3);
    await round(worker());
    api.status = 'ended';
    const first = RESULTS.lesson;
    api.results = (id, index) =>
      index < 2
        ? first(id)
        : `${JSON.stringify(first('never-asked'))}\n${JSON.stringify(first(api.submitted[0]?.[0] ?? ''))}`;
    await round(worker());
    expect(await lessons()).toHaveLength(2);
    expect(await isDue()).toHaveLength(1);
  });

  it('that never arrive are given up after a day, and their payloads proposed one by one', async () => {
    await backlog(3);
    await round(worker());
    app.clock.advance(25 * HOUR_MS);
    await round(worker());
    expect(await isDue()).toEqual([]);
    app.clock.advance(1.1 * HOUR_MS);
    await round(worker({ proposerBatchMinPending: 100 }));
    expect((await batches())[0]).toMatchObject({ state: 'lost' });
    expect(await isDue()).toHaveLength(3);
  });

  it('are not needed without a batch endpoint: the backlog is proposed one by one', async () => {
    await backlog(3);
    api.refuse = 404;
    const batching = worker();
    await round(batching);
    await round(batching);
    expect(await batches()).toEqual(expect.arrayContaining([expect.objectContaining({ state: 'lost' })]));
    expect(await isDue()).toHaveLength(3);
    for (const call of await calls()) expect(call).toMatchObject({ costNano: 0n });
  });
});
