import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { LESSON } from '../../../test/support/messages-api.js';
import { report, run, SYNTAX_ERROR } from '../../../test/support/reports.js';
import { jobActor } from '../../journal/actor.js';
import { generalOf } from '../../untrusted/redaction/redact-deep.js';
import { type ExtractedLesson, Lessons } from './lessons.service.js';

const PROPOSER = jobActor('proposer');
const REJECTED = 'error: failed to push some refs';
const OPEN = ['main', 'HEAD', 'next'].map((branch) => run(`git push origin ${branch}`, REJECTED));
const OVERCOME = [run('git push origin main', REJECTED), run('git push -u origin main')];

let app: TestApplication;
let ada: Awaited<ReturnType<TestApplication['agent']>>;
let reports = 0;
let agents = 0;

beforeAll(async () => {
  app = await startTestApplication({ GUILDBOOK_UPKEEP_CRON: 'off' });
});
afterAll(() => app.close());
beforeEach(async () => {
  agents += 1;
  ada = await app.agent(`Ada ${agents}`);
});

/** Ada reports an execution that ends a minute after the one before. */
async function reported(change: Parameters<typeof report>[0] = {}): Promise<void> {
  reports += 1;
  const finishedAt = new Date(Date.parse('2026-03-31T18:05:00Z') + reports * 60_000).toISOString();
  await ada.client.executions.report(report({ executionId: `execution-${reports}`, finishedAt, ...change }));
  await app.settled();
}

const rows = () =>
  app.database.client.memory.findMany({
    where: { scope: 'agent', agentId: ada.id },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
const live = async () => (await rows()).filter(({ supersededAt }) => supersededAt === null);
const actionsOf = async (id: string | undefined) =>
  (await app.database.client.journalEntry.findMany({ where: { subjectId: String(id) }, orderBy: { seq: 'asc' } })).map(
    ({ action }) => action,
  );

describe('equal executions of one agent', () => {
  it('are one lesson with as many witnesses', async () => {
    for (let n = 0; n < 8; n += 1) await reported();
    const [lesson, ...others] = await rows();
    expect(others).toEqual([]);
    expect(lesson).toMatchObject({ witnessCount: 8, lastWitnessedAt: expect.any(Date) });
    expect(await actionsOf(lesson?.id)).toEqual([
      'memory.lesson_extracted',
      ...Array.from({ length: 7 }, () => 'memory.lesson_witnessed'),
    ]);
    expect((await app.admin.lessons({ agent: ada.id })).items).toMatchObject([{ witnessCount: 8 }]);
  });

  it('stay apart if the remedy or the error differs', async () => {
    await reported();
    await reported({ toolCalls: [run('python close.py', SYNTAX_ERROR), run('uv run python close.py')] });
    await reported({ toolCalls: [run('python close.py', 'ImportError: no x'), run('python3 close.py')] });
    expect(await live()).toHaveLength(3);
  });

  it('count one session once', async () => {
    await reported({ sessionId: 'one session' });
    await reported({ sessionId: 'one session' });
    expect(await live()).toMatchObject([{ witnessCount: 1 }]);
  });

  it('stay lessons of their agents', async () => {
    await reported();
    const first = ada;
    ada = await app.agent('Another agent');
    await reported();
    expect(await live()).toMatchObject([{ agentId: ada.id, witnessCount: 1 }]);
    expect((await app.admin.lessons({ agent: first.id })).items).toMatchObject([{ witnessCount: 1 }]);
  });

  it('are one lesson also if they are stored at the same time', async () => {
    const { id: agentId } = ada;
    const executions = await Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        const executionId = `at once ${reports} ${n}`;
        const toolCalls = [run('git status')];
        return (await ada.client.executions.report(report({ executionId, toolCalls }))).id;
      }),
    );
    const stored = await Promise.all(
      executions.map((executionId) =>
        app.database.transaction((tx) =>
          app.app.get(Lessons).storeExtracted(tx, PROPOSER, extracted({ agentId, executionId })),
        ),
      ),
    );
    expect(stored.filter((one) => one?.isNew)).toHaveLength(1);
    expect(await live()).toMatchObject([{ witnessCount: 6 }]);
  });
});

const Steps = z.array(z.string());

describe('an execution that overcame several failures', () => {
  const MISSING = "ModuleNotFoundError: No module named 'yaml'";
  const SEVERAL = [
    run('python close.py', SYNTAX_ERROR),
    run('python3 close.py'),
    run('pytest tests', MISSING),
    run('pip install pyyaml'),
    run('pytest tests'),
  ];
  const remedies = async () => (await live()).map(({ steps }) => Steps.parse(steps)[0]).sort();
  const BOTH = ['Run `pip install pyyaml`.', 'Use `python3 close.py`.'];

  it('gives a lesson about each, with its own failure and remedy, journalled and counted', async () => {
    await reported({ toolCalls: SEVERAL });
    expect(await remedies()).toEqual(BOTH);
    const lessons = await live();
    expect(new Set(lessons.map(({ failureKey }) => failureKey)).size).toBe(2);
    expect(new Set(lessons.map(({ remedyKey }) => remedyKey)).size).toBe(2);
    for (const { id } of lessons) expect(await actionsOf(id)).toEqual(['memory.lesson_extracted']);
    await reported({ toolCalls: SEVERAL });
    expect((await rows()).map(({ witnessCount }) => witnessCount)).toEqual([2, 2]);
  });

  it('teaches each once when it is reported twice and when its payload is processed again', async () => {
    await reported({ toolCalls: SEVERAL, executionId: `twice ${agents}` });
    await ada.client.executions.report({
      ...report({ executionId: `twice ${agents}`, toolCalls: SEVERAL }),
      finishedAt: new Date(Date.parse('2026-03-31T18:05:00Z') + reports * 60_000).toISOString(),
    });
    await app.database.client.analysisPayload.updateMany({
      where: { agentId: ada.id },
      data: { state: 'pending', leaseUntil: null },
    });
    await reported({ toolCalls: [run('git status')] });
    expect((await rows()).map(({ witnessCount }) => witnessCount)).toEqual([1, 1]);
    for (const { id } of await rows()) expect(await actionsOf(id)).toEqual(['memory.lesson_extracted']);
    expect(await app.database.client.analysisPayload.count({ where: { agentId: ada.id, state: 'pending' } })).toBe(0);
  });

  it('keeps both when a later report of its session shows them again, and ends the one that it does not show', async () => {
    await reported({ sessionId: 'long', toolCalls: SEVERAL });
    const first = await live();
    await reported({ sessionId: 'long', toolCalls: [...SEVERAL, run('git status')] });
    expect((await live()).map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    expect((await live()).map(({ witnessCount }) => witnessCount)).toEqual([1, 1]);
    await reported({ sessionId: 'long', toolCalls: SEVERAL.slice(0, 2) });
    expect(await remedies()).toEqual(['Use `python3 close.py`.']);
  });

  it('that failed teaches what it overcame and what ended it', async () => {
    await reported({ status: 'failed', toolCalls: [...SEVERAL.slice(0, 2), ...OPEN] });
    const lessons = await live();
    expect(lessons.map(({ remedyKey }) => remedyKey === null).sort()).toEqual([false, true]);
    expect(lessons.find(({ remedyKey }) => remedyKey === null)?.discovery).toContain(REJECTED);
  });
});

const extracted = (change: Partial<ExtractedLesson> & Pick<ExtractedLesson, 'agentId' | 'executionId'>) => ({
  id: crypto.randomUUID(),
  sessionId: null,
  kind: 'failure' as const,
  lesson: generalOf(LESSON),
  proposer: 'rules/4',
  awaitingProposer: false,
  keys: { failureKey: 'a failure', remedyKey: 'a remedy' },
  ...change,
});

describe('a lesson of a model about a failure that rules wrote about', () => {
  const store = (change: Partial<ExtractedLesson>) =>
    app.database.transaction((tx) =>
      app.app
        .get(Lessons)
        .storeExtracted(tx, PROPOSER, extracted({ agentId: ada.id, executionId: crypto.randomUUID(), ...change })),
    );

  it('replaces that lesson and takes over its witnesses', async () => {
    await store({});
    await store({});
    await store({ proposer: 'anthropic/m/prompt-2' });
    expect(await live()).toMatchObject([{ proposer: 'anthropic/m/prompt-2', witnessCount: 3 }]);
  });

  it('is a witness if a person pinned that lesson', async () => {
    const first = await store({});
    await app.admin.lesson.pin(String(first?.id), true);
    expect(await store({ proposer: 'anthropic/m/prompt-2' })).toEqual({ id: first?.id, isNew: false });
    expect(await live()).toMatchObject([{ proposer: 'rules/4', witnessCount: 2 }]);
  });
});

describe('a lesson that nothing overcame a failure', () => {
  const failed = (sessionId: string) => reported({ sessionId, status: 'failed', toolCalls: OPEN });

  it('ends when a later execution of the session succeeds', async () => {
    await failed('night');
    expect(await live()).toMatchObject([{ remedyKey: null }]);
    await reported({ sessionId: 'night', toolCalls: [run('git status')] });
    expect(await live()).toEqual([]);
    const [ended] = await rows();
    expect(ended?.endReason).toBe('overcome_later');
    expect(await actionsOf(ended?.id)).toEqual(['memory.lesson_extracted', 'memory.lesson_closed']);
  });

  it('stays when the later execution failed or belongs to another session', async () => {
    await failed('one');
    await reported({ sessionId: 'two', toolCalls: [run('git status')] });
    await reported({
      sessionId: 'one',
      toolCalls: [run('git status')],
      verification: { outcome: 'failed', source: 'ci' },
    });
    expect(await live()).toHaveLength(1);
  });

  it('loses a witness if other sessions showed it as well', async () => {
    await failed('first');
    await failed('second');
    expect(await live()).toMatchObject([{ witnessCount: 2 }]);
    await reported({ sessionId: 'second', toolCalls: [run('git status')] });
    const [lesson] = await live();
    expect(lesson).toMatchObject({ witnessCount: 1 });
    expect((await actionsOf(lesson?.id)).at(-1)).toBe('memory.witness_removed');
  });

  it('is not stored if the session has succeeded meanwhile', async () => {
    await reported({ sessionId: 'late', toolCalls: [run('git status')] });
    const before = new Date(Date.parse('2026-03-31T18:04:00Z')).toISOString();
    await reported({ sessionId: 'late', status: 'failed', toolCalls: OPEN, finishedAt: before });
    expect(await rows()).toEqual([]);
  });

  it('ends when its agent learns what overcomes the failure', async () => {
    await failed('monday');
    await reported({ sessionId: 'tuesday', toolCalls: OVERCOME });
    const lessons = await live();
    expect(lessons).toMatchObject([{ remedyKey: expect.any(String) }]);
    expect((await rows()).find(({ remedyKey }) => remedyKey === null)?.supersededById).toBe(lessons[0]?.id);
  });
});
