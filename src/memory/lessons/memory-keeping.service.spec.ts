import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { report } from '../../../test/support/reports.js';

const REASON = 'the interpreter was renamed';
let app: TestApplication;
let owner: TestApplication['admin'];
let other: TestApplication['admin'];
let ada: TestApplication['admin'];
let agents = 0;
let agentId: string;
let id: string;

beforeAll(async () => {
  app = await startTestApplication({ GUILDBOOK_UPKEEP_CRON: 'off' });
  owner = (await app.person('Olga Owner', {})).client;
  other = (await app.person('Otto Other', {})).client;
});
afterAll(() => app.close());
beforeEach(async () => {
  agents += 1;
  const agent = await app.agent(`Ada ${agents}`, 'olga owner');
  agentId = agent.id;
  ada = agent.client;
  const environment = { interpreters: [{ name: 'python', version: '2.7.18' }] };
  await ada.executions.report(report({ executionId: `execution-${agents}`, environment }));
  await app.settled();
  id = (await app.admin.lessons({ agent: agentId })).items[0]?.id ?? '';
});

const journalled = async (action: string) =>
  (await app.admin.journal.list({ action, limit: 500 })).items.filter(({ data }) =>
    JSON.stringify(data).includes(agentId),
  );

describe('a lesson by its id', () => {
  it('has its cause, environment, example and witnesses', async () => {
    expect(await owner.lesson.show(id)).toMatchObject({
      id,
      witnessCount: 1,
      lesson: {
        cause: '`python` is version 2.7.18 there.',
        environment: [
          { name: 'project kind', value: 'python' },
          { name: 'python', value: '2.7.18' },
        ],
        example: { failed: { call: 'python close.py' }, worked: { call: 'python3 close.py' } },
      },
    });
  });

  it('is unknown if there is none', async () => {
    await expect(owner.lesson.show(agentId)).rejects.toMatchObject({ problem: { code: 'memory.unknown_lesson' } });
  });
});

describe('the list of lessons', () => {
  it.each([
    ['a tag', { tag: 'SyntaxError' }, { tag: 'other' }],
    ['a control tag', { tag: 'non-inferable' }, { tag: 'success-derived' }],
    ['a provenance', { provenance: 'unverified' }, { provenance: 'verified' }],
    ['a scope', { scope: 'agent' }, { scope: 'org' }],
    ['a state', { state: 'live' }, { state: 'ended' }],
    ['a category', { category: 'PROCEDURAL' }, { category: 'SEMANTIC' }],
  ])('is filtered by %s, and its total counts what matches', async (_, matching, otherwise) => {
    expect(await app.admin.lessons({ agent: agentId, ...matching })).toMatchObject({ items: [{ id }], total: 1 });
    expect(await app.admin.lessons({ agent: agentId, ...otherwise })).toEqual({ items: [], total: 0, next: null });
  });

  it('has the total of all that match, beyond the limit', async () => {
    const all = await app.admin.lessons({ limit: 200 });
    const items = all.items.slice(0, 1);
    expect(await app.admin.lessons({ limit: 1 })).toMatchObject({ items, total: all.items.length, next: items[0]?.id });
  });
});

describe('correcting a lesson', () => {
  it('replaces it by an unverified one that keeps its example and witnesses, and journals the reason', async () => {
    await app.admin.lesson.verify(id, { provenance: 'verified', reason: 'looked at it' });
    const corrected = await owner.lesson.correct(id, { action: 'Use python3.12.', cause: null, reason: REASON });
    expect(corrected).toMatchObject({ provenance: 'unverified', proposer: 'a person', witnessCount: 1, agentId });
    expect(corrected.lesson.activation.action).toBe('Use python3.12.');
    expect(corrected.lesson).toHaveProperty('example');
    expect(corrected.lesson).not.toHaveProperty('cause');
    expect(await owner.lesson.show(id)).toMatchObject({ endReason: 'corrected', supersededById: corrected.id });
    expect(await journalled('memory.lesson_corrected')).toMatchObject([
      {
        actor: { kind: 'owner', name: 'Olga Owner' },
        subject: { id: corrected.id },
        data: { reason: REASON, replaced: id },
      },
    ]);
  });

  it('is kept when the failure is learned again', async () => {
    const corrected = await app.admin.lesson.correct(id, { action: 'Use python3.12.', reason: REASON });
    await ada.executions.report(report({ executionId: `again-${agents}` }));
    await app.settled();
    expect(await app.admin.lessons({ agent: agentId })).toMatchObject({
      items: [{ id: corrected.id, witnessCount: 2 }],
      total: 1,
    });
  });

  it('is refused for everyone but the owner and administrators, and if it changes nothing', async () => {
    const correction = { action: 'Use ruby.', reason: REASON };
    await expect(other.lesson.correct(id, correction)).rejects.toMatchObject({ problem: { code: 'memory.not_owner' } });
    await expect(owner.lesson.correct(id, { reason: REASON })).rejects.toMatchObject({
      problem: { code: 'memory.unchanged' },
    });
    expect(await owner.lesson.show(id)).toMatchObject({ supersededAt: null });
  });
});

describe('deleting a lesson', () => {
  it('ends it, erases its texts, and journals the reason', async () => {
    expect(await owner.lesson.delete(id, REASON)).toMatchObject({
      endReason: 'deleted',
      lesson: { discovery: '(deleted)', steps: ['(deleted)'], tags: [] },
    });
    expect((await owner.lesson.show(id)).lesson).not.toHaveProperty('example');
    expect(await journalled('memory.lesson_deleted')).toMatchObject([
      { actor: { kind: 'owner' }, subject: { id }, data: { reason: REASON } },
    ]);
    await expect(owner.lesson.delete(id, REASON)).rejects.toMatchObject({ problem: { status: 404 } });
  });

  it('erases the words that it was corrected from, too', async () => {
    const { id: corrected } = await owner.lesson.correct(id, { action: 'Write the long name', reason: REASON });
    await owner.lesson.delete(corrected, REASON);
    expect(await owner.lesson.show(id)).toMatchObject({
      endReason: 'deleted',
      lesson: { activation: { action: '(deleted)' }, steps: ['(deleted)'], tags: [] },
    });
  });

  it('is refused for the owner of another agent', async () => {
    await expect(other.lesson.delete(id, REASON)).rejects.toMatchObject({ problem: { code: 'memory.not_owner' } });
    expect((await owner.lesson.show(id)).lesson.discovery).toContain('python fails');
  });
});
