import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { storedMemory } from '../support/memories.js';
import { ANSWERS, type MessagesApi, startMessagesApi, USAGE } from '../support/messages-api.js';
import { metricValue } from '../support/prometheus-text.js';
import { report } from '../support/reports.js';

const TOKEN = 'only-for-the-metrics-of-this-test-0002';

let api: MessagesApi;
let app: TestApplication;
beforeAll(async () => {
  api = await startMessagesApi();
  app = await startTestApplication({
    GUILDBOOK_METRICS_TOKEN: TOKEN,
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'scripted',
    GUILDBOOK_RECALL_MODEL: 'small-1',
    GUILDBOOK_RECALL_SELECTOR: 'model',
  });
});
afterAll(async () => {
  await app.close();
  await api.close();
});

const scrape = async () =>
  (await fetch(`${app.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text();
const calls = (text: string, purpose: string) =>
  Object.fromEntries(
    ['answer', 'none', 'unavailable'].map((result) => [
      result,
      metricValue(text, 'guildbook_model_calls_total', { purpose, result }),
    ]),
  );
const tokens = (text: string, purpose: string) =>
  Object.fromEntries(
    ['input', 'output', 'cache_write', 'cache_read'].map((kind) => [
      kind,
      metricValue(text, 'guildbook_model_tokens_total', { purpose, kind }),
    ]),
  );

describe('a model', () => {
  it('is counted with what it answers, and with its tokens and cost, as the database has them', async () => {
    // The last one is asked several times, because the client tries again.
    api.answer(ANSWERS.lesson(), ANSWERS.cached(), ANSWERS.noUpdate(), ANSWERS.prose(), ANSWERS.broken());
    for (const n of [1, 2, 3, 4, 5]) {
      // An agent is asked about one failure once.
      const { client } = await app.agent(`Ada ${n}`);
      await client.executions.report(report({ executionId: `execution-${n}` }));
      await app.settled();
    }
    const text = await scrape();
    expect(calls(text, 'lesson')).toEqual({ answer: 2, none: 2, unavailable: 1 });
    expect(tokens(text, 'lesson')).toEqual({
      input: 4 * USAGE.input_tokens,
      output: 4 * USAGE.output_tokens,
      cache_write: 1_200,
      cache_read: 3_400,
    });
    expect(metricValue(text, 'guildbook_model_call_duration_seconds_count', { purpose: 'lesson' })).toBe(5);
    expect(metricValue(text, 'guildbook_model_call_duration_seconds_sum', { purpose: 'lesson' })).toBeGreaterThan(0);
    const { _sum: sum } = await app.database.client.proposerCall.aggregate({
      _sum: { inputTokens: true, outputTokens: true, costNano: true },
    });
    expect(sum).toMatchObject({ inputTokens: 4 * USAGE.input_tokens, outputTokens: 4 * USAGE.output_tokens });
    expect(sum.costNano).toBeGreaterThan(0);
    expect(metricValue(text, 'guildbook_model_cost_dollars_total')).toBeCloseTo(Number(sum.costNano) / 1e9, 9);
  });

  it('is counted apart for another purpose, and not as a cost where a number of calls is the limit', async () => {
    const cost = metricValue(await scrape(), 'guildbook_model_cost_dollars_total');
    const ben = await app.agent('Ben');
    for (const discovery of ['The zeppelin export needs python3', 'The zeppelin archive needs perl'])
      await storedMemory(app.database, { discovery, agentId: ben.id, createdAt: app.clock.now() });
    api.answer(ANSWERS.message(JSON.stringify({ selected: [1] })));
    await ben.client.recall({ query: 'zeppelin' });
    api.answer(ANSWERS.refusal());
    await ben.client.recall({ query: 'zeppelin export' });
    const text = await scrape();
    expect(calls(text, 'recall')).toEqual({ answer: 1, none: 1, unavailable: 0 });
    expect(tokens(text, 'recall')).toMatchObject({ input: 2 * USAGE.input_tokens, output: 2 * USAGE.output_tokens });
    expect(calls(text, 'lesson')).toEqual({ answer: 2, none: 2, unavailable: 1 });
    expect(metricValue(text, 'guildbook_model_cost_dollars_total')).toBe(cost);
  });
});
