import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Guildbook } from '../../src/client/guildbook.js';
import { HOUR_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { checkedEvidence } from '../support/checked-proposal.js';
import { http } from '../support/http.js';
import { submitTestProposal } from '../support/proposal-input.js';

const STALENESS_MS = 1_001;
const ORIGIN = 'https://git.example.test/acme/shop.git';

let app: TestApplication;
let olga: Guildbook;
let token: string;
let otherToken: string;
let sessions = 0;

/** A new session of an agent, whose start has been reported. */
async function newSession(agent: string, cwd: string): Promise<string> {
  sessions += 1;
  const session = `session-${sessions}`;
  await send(agent, 'SessionStart', { session_id: session, cwd, source: 'startup' });
  return session;
}

async function send(agent: string, event: string, body: object): Promise<string> {
  const request = http(app, agent).post(`/v1/hooks/claude-code/${event}`).set('x-guildbook-origin', ORIGIN);
  return (await request.send(body).expect(200)).text;
}

/** Whether a failed call of the session is answered. */
async function isAnswered(session: string, agent = token, cwd = '/srv/shop'): Promise<boolean> {
  const call = { tool_name: 'Bash', tool_use_id: `${session} 1`, tool_input: { command: 'py2 a.py --all' } };
  const error = 'Exit code 2\npy2: unknown option --all';
  const body = { session_id: session, cwd, ...call, error };
  return (await send(agent, 'PostToolUseFailure', body)) !== '{}';
}

const fresh = (agent = token, cwd = '/srv/shop') => newSession(agent, cwd).then((one) => isAnswered(one, agent, cwd));
/** A pause and its end have an effect within a second. */
const passed = () => app.clock.advance(STALENESS_MS);
const counted = async () => {
  const { client } = app.database;
  return { deliveries: await client.delivery.count(), recalled: await client.memoryRetrieval.count() };
};

beforeAll(async () => {
  // Whether an answer comes in time is not the question here.
  app = await startTestApplication({}, false, { hookDeadlineMs: 60_000 });
  ({ client: olga } = await app.person('Olga Plain', {}));
  ({ token } = await olga.agents.own({ product: 'claude-code' }));
  ({ token: otherToken } = await app.agent('build-bot'));
  const { id, artifactSha256 } = await submitTestProposal(
    app,
    'Write py3 instead of py2',
    {},
    {
      discovery: 'Use when about to reconcile the quarterly ledger with the bank export.',
      action: 'Write `py3` in place of `py2`.',
      predicate: {
        follow: { tool: 'shell', args: '\\bpy3\\b' },
        when: { tool: 'shell', args: '\\bpy2\\b', error: 'unknown option' },
      },
    },
    checkedEvidence('confirmed'),
  );
  await app.admin.proposals.approve(id, artifactSha256);
  await app.settled();
  passed();
});
afterAll(() => app.close());

describe('a pause of a person', () => {
  it('leaves the hooks of their agents without an answer until it is resumed; events are stored', async () => {
    expect(await fresh()).toBe(true);
    const pause = await olga.pauses.add();
    passed();
    const before = await counted();
    const events = await app.database.client.reportFragment.count();
    const session = await newSession(token, '/srv/shop');
    const prompt = 'Reconcile the quarterly ledger with the bank export';
    expect(await send(token, 'UserPromptSubmit', { session_id: session, cwd: '/srv/shop', prompt })).toBe('{}');
    expect(await isAnswered(session)).toBe(false);
    await app.settled();
    expect(await counted()).toEqual(before);
    expect(await app.database.client.reportFragment.count()).toBe(events + 3);
    expect(await fresh(otherToken)).toBe(true);

    await olga.pauses.end(pause.id);
    passed();
    expect(await send(token, 'UserPromptSubmit', { session_id: session, cwd: '/srv/shop', prompt })).not.toBe('{}');
    expect(await isAnswered(session)).toBe(true);
  });

  it('ends by itself', async () => {
    await olga.pauses.add({ hours: 0.1 });
    passed();
    expect(await fresh()).toBe(false);
    app.clock.advance(HOUR_MS / 10);
    expect(await fresh()).toBe(true);
  });
});

describe('a pause of a project', () => {
  it.each(['shop', 'acme/shop'])('covers the person’s sessions in it, by the name %s', async (project) => {
    const pause = await olga.pauses.add({ project });
    passed();
    expect(await fresh()).toBe(false);
    expect(await fresh(token, '/srv/billing')).toBe(project === 'shop');
    expect(await fresh(otherToken)).toBe(true);
    await olga.pauses.end(pause.id);
    passed();
    expect(await fresh()).toBe(true);
  });
});

describe('a pause of a session', () => {
  it.each(['session of Olga: 1', 'ses_plain-2'])('covers that one alone: %s', async (sessionId) => {
    const pause = await olga.pauses.add({ sessionId });
    passed();
    expect(await isAnswered(sessionId)).toBe(false);
    expect(await fresh()).toBe(true);
    await olga.pauses.end(pause.id);
    passed();
    expect(await isAnswered(sessionId)).toBe(true);
  });
});
