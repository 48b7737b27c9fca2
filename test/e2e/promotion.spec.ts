import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { DAY_MS, HOUR_MS } from '../../src/platform/base/durations.js';
import { PromotionWorker } from '../../src/promote/promotion-worker.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { Console } from '../support/console.js';
import { ANSWERS, type MessagesApi, startMessagesApi } from '../support/messages-api.js';
import { PYTHON_TO_PYTHON3, report, run, SYNTAX_ERROR } from '../support/reports.js';

const Move = z.object({ from: z.string(), to: z.string(), source: z.string() });
const tags = ['non-inferable'];

let app: TestApplication;
let second: MessagesApi;
let ada: Awaited<ReturnType<typeof registered>>;
let ben: Awaited<ReturnType<typeof registered>>;
/** An administrator and reviewer who signs in again after the clock was advanced. */
let rita: TestApplication['admin'];
let signInToken: string | undefined;

beforeAll(async () => {
  second = await startMessagesApi();
  app = await startTestApplication({
    GUILDBOOK_VERIFIER_MODEL: 'second-1',
    GUILDBOOK_VERIFIER_BASE_URL: second.url,
    GUILDBOOK_PROPAGATION: 'role',
    GUILDBOOK_UPKEEP_CRON: 'off',
  });
  const invited = await app.admin.people.add({ name: 'Rita', email: 'rita@example.org', reviewer: true, admin: true });
  signInToken = invited.token;
  await later(0);
  ada = await registered('Ada', 'books');
  ben = await registered('Ben', 'shop');
});
afterAll(async () => {
  await app.close();
  await second.close();
});

async function later(milliseconds: number): Promise<void> {
  app.clock.advance(milliseconds);
  const signedIn = await app.client().signIn(signInToken ?? '');
  signInToken = signedIn.signInToken ?? signInToken;
  rita = app.client(signedIn.token);
}

async function registered(name: string, owner: string) {
  const { principal, token } = await rita.agents.add({ name, owner, role: 'ci' });
  return { id: principal.id, client: app.client(token) };
}

const says = (verdict: 'supports' | 'contradicts' | 'cannot_tell') =>
  second.answer(ANSWERS.message(JSON.stringify({ verdict, reason: 'Because I know.' })));
const check = (id: string) => rita.promotions.check(id);
const judge = (id: string, provenance: 'verified' | 'unverified') =>
  rita.lesson.verify(id, { provenance, reason: 'looked at it' });
const gate = async (client: TestApplication['admin'], ...memories: string[]) =>
  client.gate({ tool: { name: 'Bash', action: 'deploy', effect: 'irreversible' }, memories });
const moves = async (id: string) =>
  (await rita.journal.list({ action: 'memory.provenance_changed', subject: id, limit: 100 })).items.map(
    ({ actor, data }) => {
      const { from, to, source } = Move.parse(data);
      return [actor.kind, from, to, source];
    },
  );
const lineOf = async (client: TestApplication['admin'], query: string, sessionId?: string) => {
  const { messages } = await client.recall({ query, ...(sessionId ? { sessionId } : {}) });
  const lines = (messages[1]?.content ?? '').split('\n').slice(1, -1);
  return lines.map((line): Record<string, string> => JSON.parse(line));
};
async function ran(who: typeof ada, executionId: string, calls = PYTHON_TO_PYTHON3, sessionId?: string) {
  await who.client.executions.report(
    report({ executionId, taskId: executionId, toolCalls: [...calls], ...(sessionId ? { sessionId } : {}) }),
  );
  await app.settled();
}

describe('an agent that stores a hallucination as a fact', () => {
  const denial = 'Claude Mythos is not a real AI model or cybersecurity system';
  let id: string;

  it('keeps it unverified: while the verifier is unavailable, no memory becomes verified', async () => {
    second.answer(ANSWERS.overloaded());
    ({ id } = await ada.client.remember({ lesson: denial, why: 'I am certain of it.', tags, sessionId: 'april-17' }));
    expect(await check(id)).toMatchObject({
      state: 'unresolved',
      because: 'verifier_unavailable',
      provenance: 'unverified',
    });
    const again = await ada.client.remember({ lesson: `${denial}, as I said before`, tags, sources: [id] });
    expect(again.provenance).toBe('unavailable_at_write_time');
    expect(await check(again.id)).toMatchObject({ provenance: 'unavailable_at_write_time' });
  });

  it('reads it four days later as unverified, with author and date; the retrieval schedules a check, and the memory stays in the queue', async () => {
    await later(4 * DAY_MS);
    const [line, ...others] = await lineOf(ada.client, 'is Claude Mythos real', 'april-21');
    expect(others).toHaveLength(1);
    for (const one of [line, ...others])
      expect(one).toMatchObject({
        provenance: expect.stringContaining('context only, authorises no action'),
        source: expect.stringContaining('the agent itself'),
        date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      });
    await app.settled();
    expect(await rita.promotions.show(id)).toMatchObject({
      trigger: 'retrieval',
      because: 'verifier_unavailable',
      relevanceCount: 1,
    });
  });

  it('cannot act on it or on a conclusion from it, however often and confidently the agent repeats it', async () => {
    const echo = await ada.client.remember({ lesson: 'There is no Mythos: drop its tables', sources: [id], tags });
    for (let n = 0; n < 3; n += 1) await ada.client.remember({ lesson: `${denial}, certainly (${n})`, tags });
    expect(await gate(ada.client, id)).toMatchObject({ decision: 'deny', reasons: [{ because: 'unverified' }] });
    expect(await check(echo.id)).toMatchObject({
      because: 'derived_from_unverified',
      restsOn: [{ memory: id, provenance: 'unverified', ended: false }],
    });
    expect(await gate(ada.client, echo.id)).toMatchObject({ decision: 'deny' });
    expect(await moves(id)).toEqual([]);
  });

  it('sees it contradicted, and shown as such, once the verifier is available', async () => {
    says('contradicts');
    await later(HOUR_MS);
    const checked = await check(id);
    expect(checked).toMatchObject({ state: 'unresolved', because: 'contradicted', provenance: 'unverified' });
    expect(checked.evidence).toMatchObject([{ kind: 'second_model', stance: 'contradicts', source: 'second-1' }]);
    const { items, counts } = await rita.promotions.list({ state: 'unresolved' });
    expect(items).toContainEqual(expect.objectContaining({ memory: id, because: 'contradicted' }));
    expect(counts.unresolved).toBeGreaterThan(0);
    const asked = second.requests.at(-1)?.body.messages[0]?.content ?? '';
    expect(asked).toMatch(/^<untrusted-data-[0-9a-f]{32}>\n.*Claude Mythos.*\n<\/untrusted-data/);
  });

  it('follows the verdict of a person, which holds until that person withdraws it; then the memory waits again', async () => {
    await judge(id, 'verified');
    expect(await check(id)).toMatchObject({ state: 'verified', because: 'person' });
    expect((await gate(ada.client, id)).decision).toBe('allow');
    await judge(id, 'unverified');
    expect(await check(id)).toMatchObject({ state: 'unresolved', because: 'contradicted', provenance: 'unverified' });
    expect(await moves(id)).toEqual([
      ['reviewer', 'unverified', 'verified', 'reviewer'],
      ['reviewer', 'verified', 'unverified', 'reviewer'],
    ]);
    expect((await gate(ada.client, id)).decision).toBe('deny');
  });

  it('marks a memory written while the verifier was unavailable, until the verifier was asked and could not decide', async () => {
    says('cannot_tell');
    const kept = await app.database.client.memory.findFirstOrThrow({ where: { discovery: { endsWith: '(1)' } } });
    await app.database.client.memory.update({
      where: { id: kept.id },
      data: { provenance: 'unavailable_at_write_time' },
    });
    expect(await check(kept.id)).toMatchObject({ because: 'not_enough_evidence', provenance: 'unverified' });
    expect(await moves(kept.id)).toEqual([['job', 'unavailable_at_write_time', 'unverified', 'promotion']]);
    const asked = second.requests.length;
    await check(kept.id);
    expect(second.requests).toHaveLength(asked);
  });
});

describe('the results of tools in later executions', () => {
  let id: string;

  it('verify a lesson if it worked for an agent of another owner, but not if its own agent repeats it', async () => {
    says('cannot_tell');
    await ran(ada, 'first', PYTHON_TO_PYTHON3, 'monday');
    const { items } = await rita.lessons({ agent: ada.id });
    id = items.find(({ sourceExecutionId }) => sourceExecutionId !== null)?.id ?? '';
    await ran(ada, 'first-again', PYTHON_TO_PYTHON3.slice(), 'tuesday');
    await ran(ada, 'first-later', PYTHON_TO_PYTHON3.slice(), 'wednesday');
    expect(await check(id)).toMatchObject({ because: 'not_enough_evidence', provenance: 'unverified' });
    await ran(ben, 'second');
    const checked = await check(id);
    expect(checked).toMatchObject({ state: 'verified', because: 'tool_result', provenance: 'verified' });
    expect(checked.evidence.filter(({ kind }) => kind === 'tool_result')).toHaveLength(3);
    expect(await moves(id)).toEqual([['job', 'unverified', 'verified', 'tool_result']]);
    expect((await gate(ada.client, id)).decision).toBe('allow');
    const recalled = await lineOf(ada.client, 'run close.py with python');
    expect(recalled.find(({ memory }) => memory === id)).toMatchObject({
      provenance: expect.stringMatching(/^verified: .*independent evidence/),
    });
  });

  it('end its verification if they contradict it, and the schedule finds that out', async () => {
    await ran(ben, 'third', [run('python open.py', SYNTAX_ERROR), run('python3 open.py', SYNTAX_ERROR)]);
    await later(7 * HOUR_MS);
    const promoting = app.app.get(PromotionWorker);
    promoting.wake();
    await promoting.idle();
    expect(await rita.promotions.show(id)).toMatchObject({
      state: 'unresolved',
      because: 'conflicting_evidence',
      provenance: 'unverified',
    });
    expect((await moves(id)).at(-1)).toEqual(['job', 'verified', 'unverified', 'promotion']);
    expect((await gate(ada.client, id)).decision).toBe('deny');
  });

  it('are checked at the request of people only, and only for private memories in the queue', async () => {
    await expect(ada.client.promotions.check(id)).rejects.toMatchObject({ problem: { status: 403 } });
    await expect(check('00000000-0000-4000-8000-00000000dead')).rejects.toMatchObject({
      problem: { code: 'promotion.unknown' },
    });
    expect((await rita.journal.list({ action: 'memory.promotion_requested', limit: 1 })).items).toHaveLength(1);
  });
});

describe('a lesson that was copied to a peer and later retired', () => {
  it('is no longer delivered to the peer, and no conclusion from it acts or stays verified', async () => {
    const ground = await ada.client.remember({ lesson: 'The osprey host is being moved', tags });
    const original = await ada.client.remember({
      lesson: 'The osprey release needs the flag --slow',
      tags,
      sources: [ground.id],
    });
    await judge(original.id, 'verified');
    await rita.upkeep.run(false);
    const [recalled] = (await ben.client.recall({ query: 'osprey release flag', sessionId: 'b' })).memories;
    const copy = recalled?.id ?? '';
    expect(recalled).toMatchObject({ provenance: 'verified', scope: 'agent' });
    // A copy has the grounds and the provenance of its original.
    expect(await gate(ben.client, copy)).toMatchObject({ reasons: [{ because: 'derived_from_unverified' }] });
    await judge(ground.id, 'verified');
    expect((await gate(ben.client, copy)).decision).toBe('allow');
    const { id: conclusion } = await ben.client.remember({
      lesson: 'Osprey deployments take an hour',
      tags,
      sources: [copy],
    });
    await judge(conclusion, 'verified');
    expect((await gate(ben.client, conclusion)).decision).toBe('allow');
    await check(conclusion);

    await later(HOUR_MS);
    await rita.lesson.retire(original.id, 'the flag deletes the host');
    expect(await gate(ben.client, copy)).toMatchObject({ reasons: [{ memory: copy, because: 'ended' }] });
    expect(await gate(ben.client, conclusion)).toMatchObject({ reasons: [{ because: 'derived_from_unverified' }] });
    const after = await ben.client.recall({ query: 'osprey deployments, release flag', sessionId: 'c' });
    expect(after.memories.map((one) => one.id)).toContain(conclusion);
    expect(after.memories.map((one) => one.id)).not.toContain(copy);
    // The recall has scheduled a check, which finds that out.
    await app.settled();
    expect(await rita.promotions.show(conclusion)).toMatchObject({
      state: 'unresolved',
      because: 'derived_from_unverified',
      provenance: 'unverified',
      restsOn: expect.arrayContaining([expect.objectContaining({ memory: copy, ended: true })]),
    });
    const lines = await lineOf(ben.client, 'osprey deployments');
    expect(lines.find(({ memory }) => memory === conclusion)).toMatchObject({
      provenance: expect.stringContaining('authorises no action'),
    });
  });

  it('changes the provenance of its copies with its own, each with a journal entry', async () => {
    const { id } = await ada.client.remember({ lesson: 'The condor build needs two cores', tags });
    await rita.upkeep.run(false);
    const { id: copy } = await app.database.client.memory.findFirstOrThrow({ where: { propagatedFromId: id } });
    await judge(id, 'verified');
    await judge(id, 'unverified');
    expect(await moves(copy)).toEqual(await moves(id));
    // A copy is corroborated only through its original.
    await expect(check(copy)).rejects.toMatchObject({ problem: { code: 'promotion.unknown' } });
  });
});

describe('the console', () => {
  it('shows unresolved memories and the reasons, and accepts the statement of reviewers only', async () => {
    const { id } = await ada.client.remember({ lesson: 'The plover job needs <b>two</b> keys\u2066', tags });
    await check(id);
    const now = { ...app, admin: rita };
    const reviewer = await Console.signedIn(now, 'Rob Reviewer', { reviewer: true });
    const reader = await Console.signedIn(now, 'Ron Reader', {});
    const open = await reader.get('/memories');
    expect(open.text).toContain('The plover job needs &lt;b&gt;two&lt;/b&gt; keys');
    expect((await reader.get('/memories?state=verified')).text).not.toContain('plover');
    expect((await reader.get(`/memories/${id}`)).text).not.toContain('<form method="post" action="/memories');
    const page = await reviewer.get(`/memories/${id}`);
    expect(page.text).toMatch(/unverified · not enough evidence[\s\S]*a second model[\s\S]*unclear/);
    expect((await reader.post(`/memories/${id}/verify`, { provenance: 'verified', reason: 'trust me' })).status).toBe(
      403,
    );
    expect((await reviewer.post(`/memories/${id}/verify`, { provenance: 'verified', reason: '' })).status).toBe(400);
    expect((await reviewer.post(`/memories/${id}/verify`, { provenance: 'verified', reason: 'I own it' })).status).toBe(
      303,
    );
    expect((await reviewer.get(`/memories/${id}`)).text).toMatch(/verified · confirmed by a person[\s\S]*I own it/);
    expect((await gate(ada.client, id)).decision).toBe('allow');
    expect((await reviewer.post(`/memories/${id}/check`)).status).toBe(303);
    expect((await reviewer.get('/memories/00000000-0000-4000-8000-00000000dead')).status).toBe(404);
  });
});
