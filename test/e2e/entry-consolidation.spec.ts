import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Consolidation } from '../../src/consolidate/consolidation.service.js';
import { MemoryMergesRepository } from '../../src/memory/upkeep/memory-merges.repository.js';
import { startTestApplication, type TestApplication } from '../support/application.js';

type Agent = Awaited<ReturnType<TestApplication['agent']>>;
type Kind = 'fact' | 'decision' | 'preference' | 'session-summary' | 'open-thread';

const SHOP = 'shop';
const FIXTURES = ['Fixtures live in testdata/golden/', 'the fixtures live in testdata/golden/.'];

let app: TestApplication;
let rosa: Awaited<ReturnType<TestApplication['person']>>['client'];

beforeAll(async () => {
  app = await startTestApplication({ GUILDBOOK_CONSOLIDATION_CRON: 'off', GUILDBOOK_UPKEEP_CRON: 'off' });
  ({ client: rosa } = await app.person('Rosa', {}));
});
afterAll(() => app.close());

let saved = 0;
/** Saves an entry in a session of its own. */
const save = (
  { client }: Agent,
  content: string,
  kind: Kind = 'fact',
  more: { project?: string; pinned?: boolean } = {},
) => {
  saved += 1;
  return client.sessionMemory.save({ kind, content, project: SHOP, sessionId: `session ${saved}`, ...more });
};
const rowsOf = (agentId: string) =>
  app.database.client.memory.findMany({ where: { agentId, scope: 'project' }, orderBy: { id: 'asc' } });
const recalled = async ({ client }: Agent, query: string) =>
  (await client.sessionMemory.recall({ query, project: SHOP })).items.map(({ id }) => id).sort();

async function consolidate({ id }: Agent, dryRun = false) {
  const [run] = (await app.admin.consolidation.run({ agentId: id, dryRun })).items;
  if (!run) throw new Error('no run');
  return run;
}

describe('the consolidation of a session memory', () => {
  it('leaves one of the facts that say the same for the next recall, and an undo brings back the others', async () => {
    const bot = await app.agent('build-bot', 'Rosa');
    const peer = await app.agent('review-bot', 'Rosa');
    const entries = [await save(bot, FIXTURES[0] ?? ''), await save(bot, FIXTURES[1] ?? '')];
    const ids = entries.map(({ id }) => id).sort();
    const foreign = await save(peer, FIXTURES[0] ?? '');
    const elsewhere = await save(bot, FIXTURES[0] ?? '', 'fact', { project: 'bank' });
    const before = await rowsOf(bot.id);

    const dry = await consolidate(bot, true);
    expect(await rowsOf(bot.id)).toEqual(before);
    const done = await consolidate(bot);
    expect(done).toMatchObject({ state: 'completed', report: { orient: { lessons: 0 } } });
    expect(done.report?.entries).toMatchObject({
      total: 1,
      items: [
        {
          project: SHOP,
          before: { entries: 2 },
          after: { entries: 1 },
          skipped: 0,
          merged: { total: 1, items: [{ why: 'They say the same.' }] },
          ended: { total: 0 },
          questions: { total: 0 },
        },
      ],
    });
    expect(dry.report?.entries).toEqual(done.report?.entries);
    const [{ into, from } = { into: '', from: [] }] = done.report?.entries.items[0]?.merged.items ?? [];
    expect([into, ...from].sort()).toEqual(ids);
    expect(await recalled(bot, 'where are the fixtures')).toEqual([into, foreign.id].sort());
    expect((await rowsOf(bot.id)).find(({ id }) => id === from[0])).toMatchObject({
      endReason: 'merged',
      supersededById: into,
      endedByRunId: done.id,
    });
    expect(await rowsOf(peer.id)).toMatchObject([{ id: foreign.id, supersededAt: null }]);
    expect((await rowsOf(bot.id)).find(({ id }) => id === elsewhere.id)).toMatchObject({ supersededAt: null });

    const undone = await app.admin.consolidation.undo(done.id);
    expect(undone).toMatchObject({ restored: 0, ended: 0, entries: { restored: 1, skipped: 0 } });
    expect(await recalled(bot, 'where are the fixtures')).toEqual([...ids, foreign.id].sort());
    await expect(app.admin.consolidation.undo(done.id)).rejects.toMatchObject({
      problem: { status: 409, code: 'consolidation.undone' },
    });
    const journal = (await app.admin.journal.list({ order: 'newest', limit: 20 })).items;
    expect(journal.find(({ action }) => action === 'session.entries_consolidated')).toMatchObject({
      subject: { type: 'agent', id: bot.id },
      data: { run: done.id, entries: [{ id: from[0], why: 'merged', by: into }] },
    });
    expect(journal.find(({ action }) => action === 'consolidation.undone')?.data).toMatchObject({
      entries: { restored: 1, skipped: 0 },
    });
    // What a person restored stays apart.
    expect((await consolidate(bot)).report?.entries).toEqual({ total: 0, items: [] });
  });

  it('leaves one of two that say the same for each kind of note, and asks the owner about what contradicts', async () => {
    const bot = await app.agent('kinds-bot', 'Rosa');
    const { client } = bot;
    await client.remember({ lesson: 'Restart the queue after a deploy of the mailer', tags: ['non-inferable'] });
    await client.remember({ lesson: 'After a deploy of the mailer, restart the queue', tags: ['non-inferable'] });
    const semantic = (lesson: string) =>
      client.memoryTool('archival_memory_write', { lesson, category: 'SEMANTIC', tags: ['non-inferable'] });
    await semantic('The mailer of the shop listens on port 2525');
    await semantic('the mailer of the shop listens on port 2525.');
    for (const lesson of ['Ask Rosa before a release', 'ask Rosa before a release.'])
      await client.memoryTool('core_memory_write', { lesson, tags: ['non-inferable'] });
    const happened = { lesson: 'The release was withdrawn', tags: ['non-inferable'] };
    await client.memoryTool('recall_memory_write', happened);
    await client.memoryTool('recall_memory_write', { ...happened, task: 'again' });
    for (const [kind, texts] of [
      ['fact', FIXTURES],
      ['decision', ['Deploy on Tuesdays', 'deploy on Tuesdays.']],
      ['preference', ['Answer in short sentences', 'answer in short sentences.']],
    ] as const)
      for (const text of texts) await save(bot, text, kind);
    await client.remember({ lesson: 'You need the VPN for the staging database', tags: ['non-inferable'] });
    await client.remember({ lesson: 'You never need the VPN for the staging database', tags: ['non-inferable'] });

    const { report } = await consolidate(bot);
    expect(report?.consolidate).toMatchObject({
      merges: { total: 3 },
      contradictions: { total: 1, items: [{ askOwner: true, ended: null }] },
    });
    expect(report?.entries.items).toMatchObject([{ merged: { total: 3 } }]);
    const live = await app.database.client.memory.findMany({ where: { agentId: bot.id, supersededAt: null } });
    const counted = live.map(({ kind, category }) => `${kind} ${category}`).sort();
    expect(counted).toEqual([
      'core SEMANTIC',
      'decision SEMANTIC',
      'fact SEMANTIC',
      'note EPISODIC',
      'note EPISODIC',
      'note PROCEDURAL',
      'note PROCEDURAL',
      'note PROCEDURAL',
      'note SEMANTIC',
      'preference SEMANTIC',
    ]);
    expect(live.find(({ kind }) => kind === 'core')?.tags).toEqual(['core']);
  });

  it('asks about what contradicts, and ends neither', async () => {
    const bot = await app.agent('ask-bot', 'Rosa');
    const ids = [await save(bot, 'Use tabs.', 'preference'), await save(bot, 'Never use tabs', 'preference')].map(
      ({ id }) => id,
    );
    const done = await consolidate(bot);
    const [project] = done.report?.entries.items ?? [];
    expect(project?.questions).toMatchObject({ total: 1, items: [{ why: 'They contradict each other.' }] });
    expect(project?.questions.items[0]?.entries.sort()).toEqual(ids.sort());
    expect(done.undoUntil).toBeNull();
    expect((await rowsOf(bot.id)).every(({ supersededAt }) => supersededAt === null)).toBe(true);
  });

  it('leaves out what a person edits while the run reads it, and says so', async () => {
    const bot = await app.agent('race-bot', 'Rosa');
    await save(bot, 'Deploy on Fridays', 'decision');
    const { id } = await save(bot, 'deploy on Fridays.', 'decision');
    const repository = app.app.get(MemoryMergesRepository);
    const { liveEntries } = repository;
    repository.liveEntries = async (...call) => {
      const read = await liveEntries.apply(repository, call);
      await rosa.sessionMemory.edit(id, { content: 'deploy on Tuesdays' });
      return read;
    };
    const done = await consolidate(bot);
    repository.liveEntries = liveEntries;
    expect(done.report?.entries.items).toMatchObject([{ skipped: 1, merged: { total: 0 }, after: { entries: 2 } }]);
    expect((await rowsOf(bot.id)).filter(({ supersededAt }) => supersededAt === null)).toHaveLength(2);
  });

  it('keeps what a person wrote, and erases the merged texts of what a person deletes', async () => {
    const bot = await app.agent('erase-bot', 'Rosa');
    const persons = await save(bot, 'The vault code is in the safe');
    await rosa.sessionMemory.edit(persons.id, { content: 'The vault code is in the blue safe' });
    await save(bot, 'the vault code is in the blue safe.');
    const done = await consolidate(bot);
    expect(done.report?.entries.items[0]?.merged.items[0]?.into).toBe(persons.id);
    await rosa.sessionMemory.delete(persons.id, 'not for agents');
    expect(await rowsOf(bot.id)).toMatchObject([
      { action: '', endReason: 'deleted' },
      { action: '', endReason: 'deleted' },
    ]);
    expect(await app.admin.consolidation.undo(done.id)).toMatchObject({ entries: { restored: 0, skipped: 0 } });
    expect(await recalled(bot, 'vault')).toEqual([]);
  });

  it('ends the oldest summaries beyond what is loaded; an undo leaves one whose session has another by now', async () => {
    const bot = await app.agent('many-bot', 'Rosa');
    const first = await save(bot, 'the first session', 'session-summary');
    const second = await save(bot, 'the second session', 'session-summary');
    const { memory } = app.database.client;
    const long = new Date('2020-01-01T00:00:00Z');
    await memory.updateMany({ where: { agentId: bot.id }, data: { createdAt: long } });
    const [row] = await memory.findMany({ where: { id: first.id } });
    if (!row) throw new Error('no entry');
    const { figures: _, parts: _parts, cost: _cost, ...found } = row;
    const columns = { ...found, steps: [] };
    await memory.createMany({
      data: Array.from({ length: 200 }, (_one, n) => ({
        ...columns,
        id: crypto.randomUUID(),
        sessionId: `loaded ${n}`,
        action: `decision ${n}`,
        kind: 'decision',
        createdAt: app.clock.now(),
        contentSha256: `${n}`,
      })),
    });
    const five = Array.from({ length: 5 }, (_one, n) => save(bot, `session ${n}`, 'session-summary'));
    await Promise.all(five);
    const done = await consolidate(bot);
    const ended = done.report?.entries.items[0]?.ended;
    expect(ended).toMatchObject({
      total: 7,
      items: expect.arrayContaining([expect.objectContaining({ id: first.id })]),
    });
    await memory.create({ data: { ...columns, id: crypto.randomUUID(), action: 'the session went on' } });
    expect(await app.admin.consolidation.undo(done.id)).toMatchObject({ entries: { restored: 6, skipped: 1 } });
    expect(
      await memory.findMany({ where: { id: { in: [first.id, second.id] } }, orderBy: { action: 'asc' } }),
    ).toMatchObject([
      { id: first.id, endReason: 'pruned' },
      { id: second.id, supersededAt: null },
    ]);
  });

  it('is due for an agent that has only a session memory', async () => {
    const bot = await app.agent('quiet-bot', 'Rosa');
    for (const n of [1, 2, 3, 4, 5]) await save(bot, n < 3 ? 'CI runs at night' : `other ${n}`);
    await app.app.get(Consolidation).runDue();
    expect((await app.admin.consolidation.list({ agent: bot.id })).items).toMatchObject([
      { trigger: 'schedule', sessions: 5, report: { entries: { items: [{ merged: { total: 1 } }] } } },
    ]);
  });

  it('is refused to agents and to people who do not administer', async () => {
    const bot = await app.agent('wrong-bot', 'Rosa');
    for (const caller of [bot.client, rosa])
      await expect(caller.consolidation.run({ agentId: bot.id })).rejects.toMatchObject({ problem: { status: 403 } });
  });
});
