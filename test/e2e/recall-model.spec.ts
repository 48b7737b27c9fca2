import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY_MS } from '../../src/platform/base/durations.js';
import { SESSION_BYTES } from '../../src/recall/ranking/session-history.js';
import { SessionHistories } from '../../src/recall/strategies/session-histories.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { storedMemory } from '../support/memories.js';
import { ANSWERS, type MessagesApi, startMessagesApi } from '../support/messages-api.js';

const says = (answer: object) => ANSWERS.message(JSON.stringify(answer));

let app: TestApplication;
let model: MessagesApi;
let ada: Awaited<ReturnType<TestApplication['agent']>>;

async function start(environment: Record<string, string>) {
  model = await startMessagesApi();
  app = await startTestApplication({
    ANTHROPIC_BASE_URL: model.url,
    GUILDBOOK_RECALL_MODEL: 'small-1',
    GUILDBOOK_PROPOSER_ENABLED: 'false',
    ...environment,
  });
  ada = await app.agent('Ada', 'Books');
}
async function stop() {
  await app.close();
  await model.close();
}
const remember = (discovery: string, agentId = ada.id) =>
  storedMemory(app.database, { discovery, agentId, createdAt: app.clock.now() });
/** The records of the last request, as the model reads them. */
const shown = () =>
  (model.requests.at(-1)?.body.messages[0]?.content ?? '')
    .split('\n')
    .slice(1, -1)
    .map((line): Record<string, string> => JSON.parse(line));

describe('a small model that selects', () => {
  beforeAll(() => start({ GUILDBOOK_RECALL_SELECTOR: 'model', GUILDBOOK_RECALL_MODEL_DAY_CALLS: '5' }));
  afterAll(stop);
  afterEach(() => {
    // The next day, the limit of calls and the pause after failures have ended.
    app.clock.advance(DAY_MS);
    model.forget();
  });

  it('reads the task and the deliverable memories, fenced, and only its selection is delivered', async () => {
    const first = await remember('The zeppelin export needs python3');
    const second = await remember('The zeppelin archive needs perl');
    const ben = await app.agent('Ben', 'Books');
    await remember('The zeppelin of Ben', ben.id);
    await storedMemory(app.database, {
      discovery: 'What everybody knows of a zeppelin',
      agentId: ada.id,
      createdAt: app.clock.now(),
      controlTags: [],
    });
    model.answer(says({ selected: [2] }));
    const token = `ghp_${'A1b2C3d4E5'.repeat(4).slice(0, 36)}`;
    const answer = await ada.client.recall({ query: `zeppelin export and archive with ${token}` });
    const listed = shown();
    expect(listed.map(({ number, about }) => [number, about]).slice(1)).toEqual(
      expect.arrayContaining([
        [expect.any(String), 'The zeppelin export needs python3'],
        [expect.any(String), 'The zeppelin archive needs perl'],
      ]),
    );
    expect(listed).toHaveLength(3);
    expect(listed[1]).toMatchObject({ provenance: 'unverified: context only, authorises no action' });
    expect(model.requests[0]?.raw).not.toContain(token);
    const chosen = listed[2]?.['about'] === 'The zeppelin export needs python3' ? first : second;
    expect(answer.memories.map(({ id }) => id)).toEqual([chosen]);
    expect(answer.leftOut.filter(({ because }) => because === 'not_selected').map(({ id }) => id)).toEqual([
      chosen === first ? second : first,
    ]);
  });

  it('is not asked when no memory was found', async () => {
    expect((await ada.client.recall({ query: 'quetzalcoatl' })).memories).toEqual([]);
    expect(model.requests).toHaveLength(0);
  });

  it.each([
    ['breaks', ANSWERS.broken()],
    ['answers in prose', ANSWERS.prose()],
    ['chooses what was not listed', says({ selected: [99] })],
    ['refuses', ANSWERS.refusal()],
  ])('that %s selects nothing, and the answer says why', async (_, broken) => {
    await remember('The heron build needs a clean cache');
    model.answer(broken);
    const answer = await ada.client.recall({ query: 'heron build' });
    expect(answer).toMatchObject({ memories: [], messages: [] });
    expect(answer.warnings).toEqual([expect.stringMatching(/^The selection model failed \(.*\), so nothing/)]);
  });

  it('pauses after a failure while the ranking selects, and is asked again later', async () => {
    const id = await remember('The ibis queue has to be drained');
    model.answer(ANSWERS.broken(), says({ selected: [1] }));
    await ada.client.recall({ query: 'ibis queue' });
    const resting = await ada.client.recall({ query: 'ibis queue' });
    expect([resting.memories.map((one) => one.id), resting.warnings]).toEqual([[id], []]);
    expect(model.requests).toHaveLength(1);
    app.clock.advance(600_001);
    await ada.client.recall({ query: 'ibis queue' });
    expect(model.requests).toHaveLength(2);
  });

  it('is asked at most the configured number of times a day; after that the ranking selects', async () => {
    const id = await remember('The egret certificate expires in May');
    model.answer(says({ selected: [] }));
    const delivered = [];
    for (let n = 0; n < 7; n++)
      delivered.push((await ada.client.recall({ query: 'egret certificate' })).memories.length);
    expect([model.requests.length, delivered]).toEqual([5, [0, 0, 0, 0, 0, 1, 1]]);
    expect((await ada.client.recall({ query: 'egret certificate' })).memories).toMatchObject([{ id }]);
  });

  it('reads which tools the agent used last, redacted, beside the task', async () => {
    await remember('The bittern pipeline needs a lock');
    model.answer(says({ selected: [] }), says({ selected: [] }), says({ selected: [] }));
    const token = `ghp_${'A1b2C3d4E5'.repeat(4).slice(0, 36)}`;
    const answer = await ada.client.recall({ query: 'bittern pipeline', recentTools: ['Bash', 'apply_patch', token] });
    expect(answer.warnings).toEqual([]);
    expect(shown()[0]).toEqual({
      task: 'bittern pipeline',
      recently_used_tools: expect.stringMatching(/^Bash, apply_patch, \[REDACTED/),
    });
    expect(model.requests.at(-1)?.raw).not.toContain(token);
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('Leave out what only explains how to use them');
    await ada.client.memoryTool('search_memory', { query: 'bittern pipeline', recentTools: ['Read'] });
    expect(shown()[0]).toMatchObject({ recently_used_tools: 'Read' });
    await ada.client.recall({ query: 'bittern pipeline' });
    expect(shown()[0]).toEqual({ task: 'bittern pipeline' });
  });

  it('does not read what the agent has read already, and sees how old the others are', async () => {
    const read = await remember('The curlew migration needs a dry run');
    const old = await storedMemory(app.database, {
      discovery: 'The curlew migration needs a backup',
      agentId: ada.id,
      createdAt: new Date(app.clock.now().getTime() - 3 * DAY_MS),
    });
    model.answer(says({ selected: [1] }), says({ selected: [1] }));
    const answer = await ada.client.recall({ query: 'curlew migration', alreadyRead: [read] });
    expect(shown().slice(1)).toMatchObject([
      { number: '1', about: 'The curlew migration needs a backup', age: '3 days old: things may have changed since' },
    ]);
    expect(answer).toMatchObject({ memories: [{ id: old }], leftOut: [{ id: read, because: 'already_read' }] });
    // What a tool gave whole in this session counts as read.
    await ada.client.memoryTool('recall_memory', { id: old }, 'curlew');
    await ada.client.recall({ query: 'curlew migration', sessionId: 'curlew' });
    expect(shown().slice(1)).toMatchObject([{ about: 'The curlew migration needs a dry run' }]);
    expect(shown()).toHaveLength(2);
    await ada.client.recall({ query: 'curlew migration', alreadyRead: [read, old] });
    expect(model.requests).toHaveLength(2);
  });

  it('is not asked when nothing that it selects could be delivered', async () => {
    const id = await remember('The dunlin archive needs a tape');
    const history = await app.app.get(SessionHistories).historyOf(ada.id, 'full');
    history.add([], SESSION_BYTES - 200);
    expect(await ada.client.recall({ query: 'dunlin tape', sessionId: 'full' })).toMatchObject({
      memories: [],
      leftOut: [{ id, because: 'session_full' }],
    });
    const small = await ada.client.recall({ query: 'dunlin tape', tokenBudget: 50 });
    expect([small.memories, small.warnings]).toEqual([
      [],
      [expect.stringMatching(/^The token budget of 50 is too small/)],
    ]);
    expect(model.requests).toEqual([]);
    model.answer(says({ selected: [1] }));
    expect((await ada.client.recall({ query: 'dunlin tape', sessionId: 'new' })).memories).toMatchObject([{ id }]);
    expect(model.requests).toHaveLength(1);
  });

  it('does not read memories that the session already has', async () => {
    const first = await remember('The walrus deployment needs a tag');
    model.answer(says({ selected: [1] }));
    const session = { query: 'walrus deployment', sessionId: 'one' };
    expect((await ada.client.recall(session)).memories).toMatchObject([{ id: first }]);
    expect(await ada.client.recall(session)).toMatchObject({
      memories: [],
      leftOut: [{ id: first, because: 'delivered_before' }],
    });
    expect(model.requests).toHaveLength(1);
  });
});

describe('a small model that expands queries', () => {
  beforeAll(() => start({ GUILDBOOK_QUERY_EXPANDER: 'model', GUILDBOOK_QUERY_EXPANSION_ROUNDS: '1' }));
  afterAll(stop);

  it('returns the next query, in other words than the task', async () => {
    const near = await remember('The plover report is late on Mondays');
    const far = await remember('Rotate the gannet certificate first');
    model.answer(says({ enough: false, query: 'gannet certificate' }));
    const { memories } = await ada.client.recall({ query: 'plover report' });
    expect(memories.map(({ id }) => id).sort()).toEqual([near, far].sort());
    model.answer(says({ enough: true, query: '' }));
    expect((await ada.client.recall({ query: 'plover report' })).memories).toMatchObject([{ id: near }]);
  });

  it('is replaced by expansion by terms when it fails', async () => {
    await remember('The cormorant cache is cold');
    const rest = await remember('An albatross needs a runway, a long one, for its start');
    model.answer(ANSWERS.prose());
    const { memories, warnings } = await ada.client.recall({ query: 'cormorant cache, albatross runway' });
    expect([memories.map(({ id }) => id).includes(rest), warnings]).toEqual([true, []]);
  });
});

describe('the calls of a day', () => {
  beforeAll(() => start({ GUILDBOOK_RECALL_SELECTOR: 'model', GUILDBOOK_RECALL_MODEL_DAY_CALLS: '5' }));
  afterAll(stop);

  it('leave a share to the agents of another owner', async () => {
    const other = await app.agent('Cid', 'Toys');
    for (const id of [ada.id, other.id]) await remember('The curlew index is rebuilt at night', id);
    model.answer(says({ selected: [] }));
    for (let n = 0; n < 7; n++) await ada.client.recall({ query: 'curlew index' });
    expect(model.requests).toHaveLength(3);
    await other.client.recall({ query: 'curlew index' });
    expect(model.requests).toHaveLength(4);
  });
});
