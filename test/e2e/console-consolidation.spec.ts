import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LessonRepository } from '../../src/memory/lessons/lesson.repository.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { Console, formOf } from '../support/console.js';
import { PYTHON_TO_PYTHON3, report } from '../support/reports.js';

const STARTED = new Date('2026-03-01T09:00:00.000Z');

describe('the pages of consolidation runs', () => {
  let app: TestApplication;
  let admin: Console;
  let reader: Console;
  let agentId: string;

  beforeAll(async () => {
    app = await startTestApplication({ GUILDBOOK_CONSOLIDATION_CRON: 'off', GUILDBOOK_UPKEEP_CRON: 'off' });
    admin = await Console.signedIn(app, 'Ada Admin', { admin: true, reviewer: true });
    reader = await Console.signedIn(app, 'Rea Reader', {});
  });
  afterAll(() => app.close());

  /** Two sessions that show the same, each with a lesson of its own, as stores of earlier versions hold. */
  async function twoEqualLessons(name: string): Promise<string> {
    const { client, id } = await app.agent(name, 'Ada');
    const { memory } = app.database.client;
    const keys = new Map<string, string | null>();
    for (const n of [1, 2]) {
      await client.executions.report(
        report({ executionId: `${name} ${n}`, sessionId: `${name} session ${n}`, toolCalls: [...PYTHON_TO_PYTHON3] }),
      );
      await app.settled();
      for (const one of await memory.findMany({ where: { scope: 'agent', agentId: id } }))
        if (!keys.has(one.id)) {
          keys.set(one.id, one.failureKey);
          await memory.update({ where: { id: one.id }, data: { failureKey: `aside ${n}` } });
        }
    }
    for (const [key, failureKey] of keys) await memory.update({ where: { id: key }, data: { failureKey } });
    return id;
  }
  const run = async (form: Record<string, string> = {}) => {
    const { status, to } = await admin.post('/consolidation', form);
    expect(status).toBe(303);
    return to ?? '';
  };
  const store = async (more: object): Promise<string> => {
    const id = randomUUID();
    await app.database.client.consolidationRun.create({
      data: {
        id,
        agentId,
        trigger: 'schedule',
        dryRun: false,
        state: 'completed',
        sessions: 1,
        startedAt: STARTED,
        ...more,
      },
    });
    return id;
  };

  it('say what a run does before there is one, and that nothing is there to consolidate', async () => {
    const { text } = await reader.get('/consolidation');
    for (const says of ['No run yet', 'Orient', 'Gather', 'Prune', 'The schedule is off']) expect(text).toContain(says);
    expect(text).not.toContain('Run now');
    expect((await admin.get(await run())).text).toContain('No agent has a memory to consolidate');
  });

  it('say when the next look is due', async () => {
    const scheduled = await startTestApplication({ GUILDBOOK_CONSOLIDATION_CRON: '0 0 1 1 *' });
    try {
      const page = await Console.signedIn(scheduled, 'Rea Reader', {});
      const { text } = await page.get('/consolidation');
      expect(text).toMatch(/due 24 hours after its last run, once it has 5 new sessions\..*Next look:.*-01-01T/s);
    } finally {
      await scheduled.close();
    }
  });

  it('show a dry run by phase, which changes nothing', async () => {
    agentId = await twoEqualLessons('build-bot');
    const to = await run({ dryRun: 'true' });
    const { text } = await reader.get(to);
    for (const says of [
      'A dry run',
      'Orient',
      '2 lessons',
      '2 new sessions',
      'Merged (1)',
      '2 witnesses',
      'After the run',
    ])
      expect(text).toContain(says);
    expect(text).not.toContain('Undo this run');
    expect((await app.admin.lessons({ agent: agentId })).total).toBe(2);
  });

  it('run for one agent, show the lessons by what they say, and undo', async () => {
    const to = await run({ agentId });
    const [lesson] = (await app.admin.lessons({ agent: agentId })).items;
    const page = await admin.get(to);
    expect(page.text).toContain('Merged (1)');
    expect(page.text).toContain((lesson?.lesson.discovery ?? '').slice(0, 12));
    expect((await reader.get('/consolidation')).text).toMatch(/build-bot[\s\S]*1 lesson merged from several/);
    expect((await reader.post(`${to}/undo`)).status).toBe(403);
    const undone = await admin.post(`${to}/undo`, formOf(page, `${to}/undo`));
    expect(undone).toMatchObject({ status: 303, to });
    expect((await admin.get(to)).text).toContain('This run was undone');
    expect((await app.admin.lessons({ agent: agentId })).total).toBe(2);
    expect((await admin.post(`${to}/undo`)).status).toBe(409);
  });

  it('show what a run did to the entries of a session memory, to those who may read them', async () => {
    const { client, id } = await app.agent('shop-bot', 'Ada');
    const remember = (sessionId: string, content: string) =>
      client.sessionMemory.save({ kind: 'fact', content, sessionId, project: 'shop' });
    await remember('s1', 'The tests need the database.');
    await remember('s2', 'the tests need the database');
    await remember('s3', 'Deploy on Tuesdays.');
    const to = await run({ agentId: id });
    const { text } = await admin.get(to);
    expect(text).toContain('the tests need the database');
    expect(text).not.toContain('Only the owner of the agent');
    const hidden = (await reader.get(to)).text;
    expect(hidden).not.toContain('need the database');
    expect(hidden).toContain('Only the owner of the agent and administrators read what its entries say.');
  });

  it('ask the owner about notes that contradict each other, as soon as the second is written', async () => {
    const { client, id } = await app.agent('vpn-bot', 'Ada Admin');
    const save = (sessionId: string, content: string) =>
      client.sessionMemory.save({ kind: 'fact', content, sessionId, project: 'shop' });
    const first = await save('s1', 'The tests need the VPN');
    expect((await admin.get('/consolidation')).text).not.toContain('Questions to the owner');
    const { warnings } = await save('s2', 'The tests never need the VPN');
    expect(warnings).toEqual([expect.stringContaining(`It contradicts the fact ${first.id}`)]);
    const note = await client.remember({ lesson: 'The tests do not need the VPN', tags: ['non-inferable'] });
    expect(note.warnings).toEqual([expect.stringContaining(`It contradicts the fact ${first.id}`)]);
    const { text } = await admin.get('/consolidation');
    expect(text).toContain('Questions to the owner');
    expect(text).toContain('fact: The tests never need the VPN');
    expect((await reader.get('/consolidation')).text).not.toContain('need the VPN');
    const { client: foreign } = await app.agent('foreign-bot', 'Mallory');
    app.clock.advance(1_000);
    for (const lesson of ['The vault is on host db2', 'The vault is on host db9']) await foreign.remember({ lesson });
    const newest = async (owners?: string[]) =>
      (await app.app.get(LessonRepository).questions(app.database.client, owners, 1)).map(({ agent }) => agent);
    expect([await newest(), await newest(['ADA ADMIN']), await newest([])]).toEqual([['foreign-bot'], ['vpn-bot'], []]);
    const askedAbout = () =>
      app.database.client.memory.count({ where: { agentId: id, controlTags: { has: `contradicts:${first.id}` } } });
    expect(await askedAbout()).toBe(2);
    await app.admin.sessionMemory.edit(first.id, { content: 'The deploy takes the VPN' });
    expect((await admin.get('/consolidation')).text).not.toContain('need the VPN');
    expect(await askedAbout()).toBe(0);
  });

  it('say nothing about reading to those who may read entries whose texts were deleted', async () => {
    const { client, id } = await app.agent('deleted-bot', 'Ada');
    for (const sessionId of ['s1', 's2'])
      await client.sessionMemory.save({ kind: 'fact', content: 'The vault is blue.', sessionId, project: 'shop' });
    const to = await run({ agentId: id });
    await app.database.client.memory.updateMany({ where: { agentId: id, scope: 'project' }, data: { action: '' } });
    const { text } = await admin.get(to);
    expect(text).toMatch(/entry [0-9a-f]{8}-/);
    expect(text).not.toContain('Only the owner of the agent');
  });

  it('show the phase of a running one, and update themselves', async () => {
    const id = await store({ state: 'running', phase: 'gather' });
    for (const path of ['/consolidation', `/consolidation/${id}`]) {
      const { text, headers } = await reader.get(path);
      expect(text).toContain('in phase Gather');
      expect(`${headers.get('refresh')} ${text}`).toMatch(/refresh/i);
    }
  });

  it('show why a run failed, with hostile text revealed', async () => {
    const id = await store({ state: 'failed', phase: 'gather', finishedAt: STARTED, failure: '<b>\u202eno room</b>' });
    const { text } = await reader.get(`/consolidation/${id}`);
    expect(text).toContain('The run failed:');
    expect(text).not.toContain('<b>\u202e');
    expect(text).toContain('202e');
  });

  it('belong to administrators for what changes, and answer 404 for a run that does not exist', async () => {
    expect((await reader.post('/consolidation')).status).toBe(403);
    expect((await reader.get(`/consolidation/${randomUUID()}`)).status).toBe(404);
  });
});
