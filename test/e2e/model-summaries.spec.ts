import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MINUTE_MS } from '../../src/platform/base/durations.js';
import { ModelSummaries } from '../../src/sessions/summaries/model-summaries.service.js';
import { SessionSummaries } from '../../src/sessions/summaries/session-summaries.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { ANSWERS, type MessagesApi, startMessagesApi, USAGE } from '../support/messages-api.js';
import { report } from '../support/reports.js';

const WRITTEN = {
  text: 'It closed the books: `python close.py` failed, and `python3 close.py` worked. It decided to use python3.',
  tags: ['python', 'books', 'scripts'],
};
const written = (change: Partial<typeof WRITTEN> = {}) => ANSWERS.message(JSON.stringify({ ...WRITTEN, ...change }));

describe('the summary of a session by the server’s model', () => {
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

  /** An agent with one reported session that has been quiet for long enough, summarised by rules. */
  async function quietSession(settings: Record<string, string> = {}) {
    const model = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'scripted' };
    app = await startTestApplication({ ...model, ...settings });
    api.answer(ANSWERS.noUpdate());
    await app.person('Rosa', {});
    const { client, id } = await app.agent('night-bot', 'Rosa');
    await client.sessionMemory.save({ kind: 'decision', content: 'use python3', sessionId: 'night', project: 'shop' });
    await client.executions.report(report({ sessionId: 'night', turnCount: 7, environment: { project: 'shop' } }));
    await app.settled();
    app.app.get(SessionSummaries).wake();
    await app.app.get(SessionSummaries).idle();
    api.forget();
    const summary = async () =>
      (await client.sessionMemory.read('night')).items.find(({ kind }) => kind === 'session-summary');
    return { client, id, summary };
  }

  async function askModel(afterMinutes = 11): Promise<void> {
    app.clock.advance(afterMinutes * MINUTE_MS);
    app.app.get(ModelSummaries).wake();
    await app.app.get(ModelSummaries).idle();
  }

  it('replaces that of the rules when the session is quiet, once, within the budgets and in the ledger', async () => {
    const { id, summary } = await quietSession();
    const byRules = await summary();
    expect(byRules?.content).toContain('Decided: use python3.');
    api.answer(written());
    await askModel(1);
    expect(api.requests).toEqual([]);
    await askModel();
    expect(await summary()).toMatchObject({
      content: WRITTEN.text,
      tags: WRITTEN.tags,
      figures: byRules?.figures,
      provenance: { by: 'session', name: expect.stringMatching(/^anthropic\/.*\/summary-1$/) },
    });
    expect(await app.database.client.memory.findFirst({ where: { kind: 'session-summary' } })).toMatchObject({
      writtenBy: 'model',
      proposer: expect.stringMatching(/^anthropic\/.*\/summary-1$/),
    });
    await askModel();
    expect(api.requests).toHaveLength(1);
    const [asked] = api.requests;
    expect(asked?.body.messages[0]?.content).toContain('untrusted-data');
    expect(asked?.body.messages[0]?.content).toContain('python3 close.py');
    expect(await app.database.client.proposerCall.findMany({ where: { purpose: 'summary' } })).toMatchObject([
      { agentId: id, outcome: 'summarised', inputTokens: USAGE.input_tokens, payloadId: null, cycleId: null },
    ]);
    expect((await app.admin.proposer.usage()).purposes).toContainEqual(
      expect.objectContaining({ purpose: 'summary', calls: 1 }),
    );
    const journal = await app.admin.journal.list({ action: 'session.summarised' });
    expect(journal.items.map(({ data }) => data)).toContainEqual(expect.objectContaining({ by: 'model' }));
  });

  it('stays that of the rules if it says what the session does not show, and no model is asked again', async () => {
    const { summary } = await quietSession();
    const byRules = await summary();
    api.answer(written({ text: 'It ran `npm publish` 40 times.' }));
    await askModel();
    await askModel();
    expect(await summary()).toEqual(byRules);
    expect(api.requests).toHaveLength(1);
    expect((await app.admin.proposer.usage()).outcomes.map(({ outcome }) => outcome)).toContain('unfounded_name');
  });

  it('is asked for again if the model did not answer', async () => {
    const { summary } = await quietSession();
    api.answer(ANSWERS.overloaded());
    await askModel();
    expect((await summary())?.content).toContain('Decided: use python3.');
    api.answer(written());
    await askModel(20);
    expect(await summary()).toMatchObject({ content: WRITTEN.text });
  });

  it('never replaces what the agent wrote while the model was writing', async () => {
    const { client, summary } = await quietSession();
    const { id } = (await summary()) ?? { id: '' };
    api.answer(written());
    api.whileAnswering(() =>
      client.sessionMemory.save({ kind: 'session-summary', content: 'my own', sessionId: 'night' }),
    );
    await askModel();
    expect(id).not.toBe('');
    expect(await summary()).toMatchObject({ content: 'my own', provenance: { by: 'agent' } });
  });

  it('is that of the rules without a budget', async () => {
    const { summary } = await quietSession({ GUILDBOOK_PROPOSER_DAY_TOKENS: '0' });
    api.answer(written());
    await askModel();
    expect(api.requests).toEqual([]);
    expect((await summary())?.content).toContain('Decided: use python3.');
  });
});
