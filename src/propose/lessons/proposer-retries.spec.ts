import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { LESSON } from '../../../test/support/messages-api.js';
import { runUntilIdle, scriptedWorker, stopProposer } from '../../../test/support/proposer-worker.js';
import { reporter } from '../../../test/support/reporter.js';
import { ownRecovery, report } from '../../../test/support/reports.js';
import { Principals } from '../../access/identity/principals.service.js';
import type { Reporter } from '../../access/identity/reporter.js';
import { Executions } from '../../capture/intake/executions.service.js';
import { Journal } from '../../journal/journal.service.js';
import { DAY_MS, MINUTE_MS } from '../../platform/base/durations.js';
import type { Constants } from '../../platform/config/constants.js';
import { isNothingToLearn, NO_LESSON_REASONS, type ProposerResult } from '../model/proposer.js';
import type { ProposerWorker } from './proposer-worker.service.js';

const USED = { inputTokens: 800, cacheWriteTokens: 0, cacheReadTokens: 0, outputTokens: 100 };
const MOST = { inputTokens: 0, cacheWriteTokens: 900, cacheReadTokens: 0, outputTokens: 100 };
const MODEL = { name: 'claude-haiku-5-5', maxUsage: () => MOST };
const DOWN: ProposerResult = { outcome: 'unavailable', reason: 'OverloadedError 529' };
const LESSON_ANSWER: ProposerResult = { outcome: 'lesson', lesson: LESSON, usage: USED };

let app: TestApplication;
let ada: Reporter;
let agents = 0;
let answer: ProposerResult;
let asked: number;
const workers: ProposerWorker[] = [];

beforeAll(async () => {
  app = await startTestApplication();
  await stopProposer(app);
});
beforeEach(async () => {
  agents += 1;
  const admin = { kind: 'admin', id: 'admin', name: 'Admin' } as const;
  const { principal } = await app.app.get(Principals).addAgent(admin, { name: `Agent ${agents}`, owner: 'Books' });
  ada = reporter(principal.id, principal.name, principal.owner);
  answer = DOWN;
  asked = 0;
  // Gives each test the budgets of its own day.
  app.clock.advance(2 * DAY_MS);
});
afterEach(async () => {
  for (const one of workers.splice(0)) await one.beforeApplicationShutdown();
  await app.database.client.analysisPayload.updateMany({ where: { state: 'pending' }, data: { state: 'discarded' } });
});
afterAll(() => app.close());

function worker(settings: Record<string, string> = {}, constants: Partial<Constants> = {}): ProposerWorker {
  const proposerWorker = scriptedWorker(
    app,
    () => {
      asked += 1;
      return answer;
    },
    settings,
    MODEL,
    { proposerCycleShare: 1, ...constants },
  );
  workers.push(proposerWorker);
  return proposerWorker;
}

async function captured(executionId = 'execution-1', sessionId?: string): Promise<string> {
  const change = { executionId, toolCalls: ownRecovery(executionId), ...(sessionId ? { sessionId } : {}) };
  const { id } = await app.app.get(Executions).report(ada, report(change));
  await app.settled();
  return id;
}
const memories = () =>
  app.database.client.memory.findMany({ where: { scope: 'agent', agentId: ada.id }, orderBy: { createdAt: 'asc' } });
const payloadOf = (executionId: string) =>
  app.database.client.analysisPayload.findUniqueOrThrow({ where: { executionId } });
const callsOf = (executionId: string) =>
  app.database.client.proposerCall.findMany({ where: { executionId }, orderBy: { reservedAt: 'asc' } });
const journalled = async (action: string, id: string | undefined) =>
  (await app.app.get(Journal).list({ after: 0, limit: 500, order: 'newest', action })).items.filter(
    ({ subject }) => subject.id === id,
  );

const NOTHING_LEARNT = NO_LESSON_REASONS.filter(isNothingToLearn);
const USELESS = NO_LESSON_REASONS.filter((reason) => !isNothingToLearn(reason));

describe('a placeholder lesson', () => {
  it('is proposed again once the model answers, and becomes a tombstone', async () => {
    const execution = await captured();
    const proposerWorker = worker();
    await runUntilIdle(proposerWorker);
    answer = LESSON_ANSWER;
    app.clock.advance(2 * MINUTE_MS);
    await runUntilIdle(proposerWorker);
    const [byRules, byModel, ...others] = await memories();
    expect(others).toEqual([]);
    expect(byRules).toMatchObject({ proposer: 'rules/4', supersededById: byModel?.id, supersededAt: expect.any(Date) });
    expect(byModel).toMatchObject({ proposer: 'scripted/1', awaitingProposer: false, supersededAt: null });
    expect(await payloadOf(execution)).toMatchObject({ state: 'done', outcome: 'lesson' });
    expect(await journalled('memory.lesson_extracted', byModel?.id)).toMatchObject([
      { data: { replaced: [byRules?.id] } },
    ]);
    app.clock.advance(40 * DAY_MS);
    await runUntilIdle(proposerWorker);
    expect(await memories()).toHaveLength(2);
    expect(asked).toBe(2);
  });

  it('is proposed again by another worker after a restart', async () => {
    await captured();
    await runUntilIdle(worker());
    answer = LESSON_ANSWER;
    app.clock.advance(2 * MINUTE_MS);
    await runUntilIdle(worker());
    expect((await memories()).map(({ supersededAt }) => supersededAt === null)).toEqual([false, true]);
  });

  it.each(NOTHING_LEARNT)('ends without a successor when the model finds nothing to learn (%s)', async (reason) => {
    const execution = await captured();
    const proposerWorker = worker();
    await runUntilIdle(proposerWorker);
    answer = { outcome: 'none', reason, usage: USED };
    app.clock.advance(2 * MINUTE_MS);
    await runUntilIdle(proposerWorker);
    const [memory, ...others] = await memories();
    expect(others).toEqual([]);
    expect(memory).toMatchObject({ supersededAt: expect.any(Date), supersededById: null });
    expect(await journalled('memory.placeholder_discarded', memory?.id)).toHaveLength(1);
    expect(await payloadOf(execution)).toMatchObject({ state: 'discarded', outcome: reason });
  });

  it.each(USELESS)('becomes permanent when the answer has no lesson (%s)', async (reason) => {
    await captured();
    const proposerWorker = worker();
    await runUntilIdle(proposerWorker);
    answer = { outcome: 'none', reason, usage: USED };
    app.clock.advance(2 * MINUTE_MS);
    await runUntilIdle(proposerWorker);
    const [memory, ...others] = await memories();
    expect(others).toEqual([]);
    expect(memory).toMatchObject({ proposer: 'rules/4', awaitingProposer: false, supersededAt: null });
    expect(await journalled('memory.placeholder_kept', memory?.id)).toMatchObject([{ data: { reason } }]);
    app.clock.advance(40 * DAY_MS);
    await runUntilIdle(proposerWorker);
    expect(asked).toBe(2);
  });

  it('is retried less and less often, and at last given up', async () => {
    const execution = await captured();
    const proposerWorker = worker({}, { proposerAwaitDays: 3 });
    for (let hour = 0; hour < 24 * 8; hour += 1) {
      await runUntilIdle(proposerWorker);
      app.clock.advance(60 * MINUTE_MS);
    }
    expect(asked).toBeLessThan(30);
    const [memory, ...others] = await memories();
    expect(others).toEqual([]);
    expect(memory).toMatchObject({ awaitingProposer: false, supersededAt: null });
    expect(await payloadOf(execution)).toMatchObject({
      state: 'done',
      outcome: 'the model was unavailable for too long',
    });
  });

  it('is not proposed again if a later report of its session has replaced it', async () => {
    const execution = await captured('before the crash', 'session-1');
    const proposerWorker = worker();
    await runUntilIdle(proposerWorker);
    answer = LESSON_ANSWER;
    app.clock.advance(31_000);
    await captured('after the crash', 'session-1');
    await runUntilIdle(proposerWorker);
    app.clock.advance(DAY_MS);
    await runUntilIdle(proposerWorker);
    expect(await payloadOf(execution)).toMatchObject({ outcome: 'a later report replaced the placeholder lesson' });
    const live = (await memories()).filter(({ supersededAt }) => supersededAt === null);
    expect(live).toMatchObject([{ proposer: 'scripted/1' }]);
    expect(asked).toBe(2);
  });
});

describe('a model that does not answer', () => {
  it('is not called for every payload', async () => {
    for (let n = 0; n < 4; n += 1) await captured(`execution-${n}`);
    await runUntilIdle(worker());
    expect(asked).toBe(1);
    expect(await memories()).toHaveLength(4);
  });

  it('costs nothing if it refused, and its maximum if an answer may have been lost', async () => {
    const said = await captured('said');
    const proposerWorker = worker();
    await runUntilIdle(proposerWorker);
    answer = { outcome: 'unavailable', reason: 'APIConnectionError', mayBeCharged: true };
    app.clock.advance(31_000);
    const lost = await captured('lost');
    await runUntilIdle(proposerWorker);
    expect(await callsOf(said)).toMatchObject([{ outcome: 'unavailable', outputTokens: 0, costNano: 0n }]);
    expect(await callsOf(lost)).toMatchObject([{ outcome: 'unavailable', ...MOST, costNano: expect.any(BigInt) }]);
  });
});

describe('a budget', () => {
  beforeEach(() => {
    answer = LESSON_ANSWER;
  });

  it.each([
    ['GUILDBOOK_PROPOSER_DAY_TOKENS', { GUILDBOOK_PROPOSER_DAY_TOKENS: '2500' }, 1, 'day_tokens', DAY_MS],
    ['GUILDBOOK_PROPOSER_DAY_USD', { GUILDBOOK_PROPOSER_DAY_USD: '0.0003' }, 1, 'day_usd', DAY_MS],
    ["the cycle's share of tokens", { GUILDBOOK_PROPOSER_DAY_TOKENS: '12500' }, 0.2, 'cycle_tokens', 60 * MINUTE_MS],
    ["the cycle's share of dollars", { GUILDBOOK_PROPOSER_DAY_USD: '0.0015' }, 0.2, 'cycle_usd', 60 * MINUTE_MS],
  ])(
    '%s stops the calls, the rules continue, and the rest is proposed after the reset',
    async (_name, budgets, cycle, reason, span) => {
      for (let n = 0; n < 4; n += 1) await captured(`execution-${n}`);
      const proposerWorker = worker(budgets, { proposerCycleShare: cycle });
      await runUntilIdle(proposerWorker);
      expect(asked).toBe(2);
      expect((await memories()).filter(({ awaitingProposer }) => awaitingProposer)).toHaveLength(2);
      const waiting = await app.database.client.analysisPayload.findMany({ where: { state: 'pending' } });
      expect(waiting.map(({ outcome }) => outcome)).toEqual(
        Array(2).fill(`awaiting the proposer (over budget: ${reason})`),
      );
      app.clock.advance(span);
      await runUntilIdle(proposerWorker);
      expect(asked).toBe(4);
      expect((await memories()).filter(({ supersededAt }) => supersededAt === null)).toHaveLength(4);
    },
  );

  it('leaves a share to the agents of another owner, however much the first one has to ask', async () => {
    const first = ada;
    for (let n = 0; n < 8; n += 1) await captured(`first owner ${n}`);
    const admin = { kind: 'admin', id: 'admin', name: 'Admin' } as const;
    const added = { name: `Toys ${agents}`, owner: 'Toys' };
    const { principal } = await app.app.get(Principals).addAgent(admin, added);
    const proposerWorker = worker({ GUILDBOOK_PROPOSER_DAY_TOKENS: '8000' });
    await runUntilIdle(proposerWorker);
    const callsFor = (agentId: string) =>
      app.database.client.proposerCall.count({ where: { agentId, outcome: { not: 'unavailable' } } });
    // 900 tokens a call: after five it holds 4,500 of 8,000, and 3,500 are left.
    expect(await callsFor(first.id)).toBe(5);
    ada = reporter(principal.id, principal.name, principal.owner);
    for (let n = 0; n < 2; n += 1) await captured(`second owner ${n}`);
    await runUntilIdle(proposerWorker);
    expect(await callsFor(principal.id)).toBe(2);
    await app.app.get(Principals).disable(admin, principal.id);
  });

  it('holds for several workers at once', async () => {
    for (let n = 0; n < 6; n += 1) await captured(`execution-${n}`);
    const settings = { GUILDBOOK_PROPOSER_DAY_TOKENS: '3000' };
    await Promise.all([runUntilIdle(worker(settings)), runUntilIdle(worker(settings)), runUntilIdle(worker(settings))]);
    expect(asked).toBeLessThanOrEqual(3);
    const { _sum } = await app.database.client.proposerCall.aggregate({
      where: { agentId: ada.id },
      _sum: { inputTokens: true, outputTokens: true },
    });
    expect((_sum.inputTokens ?? 0) + (_sum.outputTokens ?? 0)).toBeLessThanOrEqual(3_000);
  });

  it('of zero prevents every call', async () => {
    await captured();
    await runUntilIdle(worker({ GUILDBOOK_PROPOSER_DAY_TOKENS: '0' }));
    expect(asked).toBe(0);
    expect(await memories()).toMatchObject([{ proposer: 'rules/4', awaitingProposer: true }]);
  });

  it('includes what a dead process had reserved', async () => {
    await captured('first');
    const dying = worker({ GUILDBOOK_PROPOSER_DAY_TOKENS: '1500' });
    // The process ends between the call and its answer, so that the call is never settled.
    await app.database.client.proposerCall.create({
      data: {
        ...MOST,
        id: '00000000-0000-4000-8000-00000000dead',
        payloadId: ada.id,
        executionId: ada.id,
        agentId: ada.id,
        proposer: 'scripted/1',
        model: MODEL.name,
        reservedAt: app.clock.now(),
        costNano: 1n,
      },
    });
    await runUntilIdle(dying);
    expect(asked).toBe(0);
  });

  it('of calls per minute leaves the other payloads unchanged', async () => {
    for (let n = 0; n < 3; n += 1) await captured(`execution-${n}`);
    const proposerWorker = worker({}, { proposerCallsPerMinute: 2 });
    await runUntilIdle(proposerWorker);
    expect(asked).toBe(2);
    expect((await memories()).filter(({ awaitingProposer }) => awaitingProposer)).toEqual([]);
    app.clock.advance(MINUTE_MS);
    await runUntilIdle(proposerWorker);
    expect(asked).toBe(3);
  });
});

describe('the ledger of calls', () => {
  it('contains the usage of each call and the lesson from it', async () => {
    const execution = await captured();
    answer = LESSON_ANSWER;
    await runUntilIdle(worker());
    const [memory] = await memories();
    expect(await callsOf(execution)).toMatchObject([
      { ...USED, outcome: 'lesson', memoryId: memory?.id, costNano: 130_000n, settledAt: expect.any(Date) },
    ]);
  });

  it('cannot be changed after a call is settled, and loses no row', async () => {
    const { client } = app.database;
    const settled = { where: { settledAt: { not: null } } };
    await expect(client.proposerCall.updateMany({ ...settled, data: { costNano: 0n } })).rejects.toThrow(
      'settled once',
    );
    await expect(client.proposerCall.deleteMany(settled)).rejects.toThrow('settled once');
  });
});
