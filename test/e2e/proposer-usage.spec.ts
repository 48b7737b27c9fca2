import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CommandLine } from '../support/command-line.js';
import { proposedByFleet, reportPythonFleet } from '../support/fleet.js';
import { storedMemory } from '../support/memories.js';
import { ANSWERS, type MessagesApi, startMessagesApi, USAGE } from '../support/messages-api.js';
import { words } from '../support/model-words.js';

let api: MessagesApi;
let app: TestApplication;
beforeAll(async () => {
  api = await startMessagesApi();
});
afterEach(async () => {
  api.forget();
  await app.close();
});
afterAll(() => api.close());

const start = (more: Record<string, string> = {}) =>
  startTestApplication({ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'scripted', ...more });
/** 812 input tokens and 164 output tokens, at the list price of the default model. */
const ONE_CALL = { inputTokens: USAGE.input_tokens, outputTokens: USAGE.output_tokens, usd: 0.0001632 };
const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);

async function statusOf({ url, adminToken }: TestApplication): Promise<string> {
  const program = await CommandLine.create();
  try {
    return (await program.run(['status'], { GUILDBOOK_SERVER: url, GUILDBOOK_TOKEN: adminToken })).stdout;
  } finally {
    await program.remove();
  }
}

describe('the usage of the proposer', () => {
  it('is reported by day, outcome, lesson and skill', async () => {
    app = await start();
    api.answer(ANSWERS.lesson(), ANSWERS.refusal(), ANSWERS.lesson(), words());
    const proposed = await proposedByFleet(app, ['ada', 'ben', 'cem']);
    expect((await app.admin.proposer.usage()).skills).toEqual([]);
    await app.admin.proposals.approve(proposed.id, proposed.artifactSha256);
    const usage = await app.admin.proposer.usage();
    expect(usage).toMatchObject({
      model: 'claude-haiku-5-5',
      state: 'asking',
      price: { inputUsd: 0.1, outputUsd: 0.5, known: true },
      waiting: { payloads: 0, awaitingProposer: 0 },
      total: { calls: 4, inputTokens: 4 * USAGE.input_tokens },
    });
    expect(usage.days).toHaveLength(1);
    expect(usage.outcomes.map(({ outcome, calls }) => [outcome, calls])).toEqual([
      ['lesson', 2],
      ['refused', 1],
      ['worded', 1],
    ]);
    expect(usage.purposes).toMatchObject([
      { purpose: 'lesson', calls: 3 },
      { purpose: 'wording', calls: 1, ...ONE_CALL },
    ]);
    const { items } = await app.admin.lessons();
    expect(usage.lessons.map(({ id }) => id).sort()).toEqual(items.map(({ id }) => id).sort());
    for (const lesson of usage.lessons) expect(lesson).toMatchObject({ calls: 1, live: true, ...ONE_CALL });
    expect(usage.skills).toMatchObject([{ name: proposed.skillName, version: 1, calls: 4, lessons: 2 }]);
    expect(usage.skills[0]?.usd).toBeCloseTo(4 * ONE_CALL.usd, 9);
    expect(items.map(({ cost }) => cost?.usd)).toEqual([ONE_CALL.usd, ONE_CALL.usd]);
  });

  it('stops at the budget, and the state shows the reason and the time of the reset', async () => {
    app = await start({ GUILDBOOK_PROPOSER_DAY_USD: '0' });
    await reportPythonFleet(app, ['ada']);
    expect(api.requests).toEqual([]);
    expect(await app.admin.proposer.usage()).toMatchObject({
      state: 'over_budget',
      reason: 'day_usd',
      until: MOMENT,
      waiting: { payloads: 0, awaitingProposer: 1 },
      budgets: [
        { span: 'day', usd: { used: 0, limit: 0 }, resets: MOMENT },
        { span: 'cycle', usd: { used: 0, limit: 0 } },
      ],
    });
    expect((await app.admin.lessons()).items).toMatchObject([{ awaitingProposer: true, cost: null }]);
    const midnight = `${new Date(app.clock.now().getTime() + DAY_MS).toISOString().slice(0, 10)} 00:00 UTC`;
    expect(await statusOf(app)).toContain(
      `is not asked: its cost limit for the day is reached. Next try: ${midnight}. Until then rules write the lessons.`,
    );
  });

  it('is zero during a backoff, and the state shows it', async () => {
    app = await start();
    api.answer(ANSWERS.unauthenticated());
    await reportPythonFleet(app, ['ada', 'ben']);
    expect(api.requests).toHaveLength(1);
    expect(await app.admin.proposer.usage()).toMatchObject({
      state: 'resting',
      reason: 'AuthenticationError 401',
      until: MOMENT,
      total: { calls: 1, usd: 0 },
      waiting: { awaitingProposer: 2 },
      // A cycle has a fifth of the day's budget.
      budgets: [
        { span: 'day', usd: { limit: 5 }, tokens: { limit: 5_000_000 } },
        { span: 'cycle', usd: { limit: 1 }, tokens: { limit: 1_000_000 } },
      ],
    });
  });

  it('is zero if rules write the lessons, or if the proposer is disabled', async () => {
    app = await startTestApplication();
    await reportPythonFleet(app, ['ada']);
    expect(await app.admin.proposer.usage()).toMatchObject({
      state: 'rules',
      model: null,
      total: { calls: 0, usd: 0 },
    });
    await app.close();
    app = await start({ GUILDBOOK_PROPOSER_ENABLED: 'false' });
    expect(await app.admin.proposer.usage()).toMatchObject({ state: 'off' });
  });

  it('includes the calls of the recall model, which has its own budget', async () => {
    const recalls = { GUILDBOOK_RECALL_MODEL: 'small-1', GUILDBOOK_RECALL_SELECTOR: 'model' };
    app = await start({ ...recalls, GUILDBOOK_RECALL_MODEL_DAY_CALLS: '7' });
    expect((await app.admin.proposer.usage()).recall).toEqual({ model: 'small-1', dayCalls: 7, days: [] });
    const { id: agentId, client } = await app.agent('Ada');
    for (const part of ['export', 'archive'])
      await storedMemory(app.database, { discovery: `The zeppelin ${part}`, agentId, createdAt: app.clock.now() });
    api.answer(ANSWERS.message(JSON.stringify({ selected: [1] })));
    await client.recall({ query: 'zeppelin' });
    const usage = await app.admin.proposer.usage();
    expect(usage.recall.days).toEqual([{ day: app.clock.now().toISOString().slice(0, 10), calls: 1 }]);
    expect(usage.total.calls).toBe(0);
  });
});
