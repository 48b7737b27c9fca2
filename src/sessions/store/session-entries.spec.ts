import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { MINUTE_MS } from '../../platform/base/durations.js';

const CAPACITY = 10;
const refused = (status: number, code: string) => ({ problem: { status, code } });

let app: TestApplication;
type Client = TestApplication['admin'];
let rosa: { id: string; client: Client };
let mallory: Client;
let bot: { id: string; client: Client };

beforeAll(async () => {
  app = await startTestApplication({}, false, { sessionMemoryCapacity: CAPACITY });
  rosa = await app.person('Rosa', {});
  ({ client: mallory } = await app.person('Mallory', {}));
  bot = await app.agent('build-bot', 'rosa@example.org');
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.database.client.memory.deleteMany({ where: { scope: 'project' } });
  await app.database.client.agentSession.deleteMany();
});

const save = (content: string, more: object = {}, client = bot.client) =>
  client.sessionMemory.save({ kind: 'decision', content, sessionId: 'run-1', project: 'shop', ...more });
const journalOf = async (subject: string) => (await app.admin.journal.list({ subject })).items;
const rows = () => app.database.client.memory.findMany({ orderBy: { createdAt: 'asc' } });

describe('an entry of a session memory', () => {
  it('is saved once in a session, redacted, with its writer, and journalled', async () => {
    const secret = ['gh', 'p_', 'q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG5xTb'].join('');
    const entry = await save(`use ${secret}`, { tags: ['CI'] });
    expect(entry).toMatchObject({
      agent: 'build-bot',
      kind: 'decision',
      content: 'use [REDACTED:github-token]',
      tags: ['ci'],
      project: 'shop',
      provenance: { by: 'agent', name: 'build-bot' },
    });
    expect(await save(`use ${secret}`, { tags: ['CI'] })).toEqual(entry);
    expect(JSON.stringify(await rows())).not.toContain(secret.slice(4, 12));
    expect(await journalOf(entry.id)).toMatchObject([
      {
        action: 'session.entry_saved',
        actor: { kind: 'agent', id: bot.id },
        data: { agent: bot.id, kind: 'decision', session: entry.session, contentSha256: expect.any(String) },
      },
    ]);
  });

  it('names the field that is wrong, and the last folder of a path as its project', async () => {
    await expect(save('x', { tags: ['two words'] })).rejects.toMatchObject({
      problem: { status: 400, errors: [{ field: 'tags.0' }] },
    });
    await expect(save('x', { project: '/home/rosa' })).rejects.toMatchObject({
      problem: { code: 'memory.invalid', errors: [{ field: 'project' }] },
    });
    expect(await save('x', { project: '/home/rosa/src/shop' })).toMatchObject({ project: 'shop' });
    const inFuture = new Date(app.clock.now().getTime() + MINUTE_MS).toISOString();
    expect(Date.parse((await save('y', { at: inFuture })).at)).toBeLessThan(Date.parse(inFuture));
  });

  it('is edited by the owner of its agent: it is the person’s then, and the agent cannot replace the summary', async () => {
    const { id, at } = await save('what mattered', { kind: 'session-summary' });
    const edited = await rosa.client.sessionMemory.edit(id, { content: 'what really mattered' });
    expect(edited).toMatchObject({
      id,
      at,
      content: 'what really mattered',
      provenance: { by: 'person', name: 'Rosa' },
    });
    expect((await journalOf(id)).map(({ action, actor }) => [action, actor.kind]).sort()).toEqual([
      ['session.entry_edited', 'owner'],
      ['session.entry_saved', 'agent'],
    ]);
    const same = rosa.client.sessionMemory.edit(id, { content: 'what really mattered' });
    await expect(same).rejects.toMatchObject(refused(409, 'memory.unchanged'));
    await expect(rosa.client.sessionMemory.edit(id, { kind: 'fact' })).rejects.toMatchObject(
      refused(400, 'memory.invalid'),
    );
    const again = save('mine', { kind: 'session-summary' });
    await expect(again).rejects.toMatchObject(refused(409, 'memory.summary_edited'));
  });

  it('is deleted with its text by the owner or an administrator; the tombstone stays, and no push brings it back', async () => {
    const { id } = await save('the port is 4747');
    await rosa.client.sessionMemory.delete(id, 'no longer true');
    expect(await rows()).toMatchObject([
      { id, action: '', tags: [], endReason: 'deleted', supersededAt: expect.any(Date) },
    ]);
    expect(await journalOf(id)).toContainEqual(
      expect.objectContaining({
        action: 'session.entry_deleted',
        data: expect.objectContaining({ reason: 'no longer true' }),
      }),
    );
    await expect(rosa.client.sessionMemory.delete(id, 'x')).rejects.toMatchObject(refused(404, 'memory.unknown_entry'));
    await expect(bot.client.sessionMemory.show(id)).rejects.toMatchObject(refused(404, 'memory.unknown_entry'));
    const pushed = save('the port is 4747', { agent: 'build-bot' }, rosa.client);
    await expect(pushed).rejects.toMatchObject(refused(409, 'memory.entry_ended'));
    const { id: other } = await save('another');
    await app.admin.sessionMemory.delete(other, 'cleanup');
  });

  it('is closed to everyone else', async () => {
    const { id } = await save('secret plan');
    const notOwner = refused(403, 'memory.not_owner');
    await expect(mallory.sessionMemory.edit(id, { content: 'x' })).rejects.toMatchObject(notOwner);
    await expect(mallory.sessionMemory.delete(id, 'x')).rejects.toMatchObject(notOwner);
    await expect(mallory.sessionMemory.recall({ query: 'plan', agent: 'build-bot' })).rejects.toMatchObject(notOwner);
    await expect(save('x', { agent: 'build-bot' }, mallory)).rejects.toMatchObject(notOwner);
    await expect(bot.client.sessionMemory.edit(id, { content: 'x' })).rejects.toMatchObject(
      refused(403, 'access.wrong_kind'),
    );
    await expect(mallory.sessionMemory.list({})).rejects.toMatchObject(refused(400, 'access.agent_missing'));
    expect((await rosa.client.sessionMemory.recall({ query: 'plan', agent: 'build-bot' })).items).toHaveLength(1);
  });
});

describe('an entry that its agent could read where it works', () => {
  it('is kept for recalls, and stays out of the preamble unless it is pinned', async () => {
    const text = 'This project is written in TypeScript';
    const entry = await save(text, { kind: 'fact' });
    expect(entry).toMatchObject({ pinned: false, warnings: [expect.stringContaining('no preamble holds it')] });
    const { text: preamble } = await bot.client.sessionMemory.preamble({ project: 'shop' });
    expect(preamble).toBe('');
    expect(await save(text, { kind: 'fact', pinned: true, sessionId: 'run-2' })).toMatchObject({ pinned: true });
    const persons = await save(text, { kind: 'fact', sessionId: 'run-3', agent: 'build-bot' }, rosa.client);
    expect(persons).toMatchObject({ pinned: true });
  });
});

describe('a full session memory', () => {
  it('makes room in the share of the writer that has the most: summaries push out no decision', async () => {
    await save('the oldest decision');
    for (let n = 1; n < CAPACITY; n += 1) {
      app.clock.advance(MINUTE_MS);
      await save(`summary ${n}`, { kind: 'session-summary', sessionId: `run-${n + 1}` });
    }
    await app.database.client.memory.updateMany({
      where: { kind: 'session-summary' },
      data: { writtenBy: 'rules', proposer: '' },
    });
    app.clock.advance(MINUTE_MS);
    await save('one more');
    const ended = (await rows()).filter(({ supersededAt }) => supersededAt !== null);
    expect(ended).toMatchObject([{ action: 'summary 1', endReason: 'capacity' }]);
  });

  it('ends the entry that was recalled longest ago, and never a pinned one', async () => {
    await save('pinned fact', { kind: 'fact' });
    for (let n = 1; n < CAPACITY; n += 1) {
      app.clock.advance(MINUTE_MS);
      await save(`decision number ${n}`, { at: app.clock.now().toISOString() });
    }
    app.clock.advance(MINUTE_MS);
    await bot.client.sessionMemory.recall({ query: 'number 1', project: 'shop', limit: 1 });
    const { id } = await save('one more');
    const ended = (await rows()).filter(({ supersededAt }) => supersededAt !== null);
    expect(ended).toMatchObject([{ action: 'decision number 2', endReason: 'capacity' }]);
    expect((await journalOf(ended[0]?.id ?? '')).map(({ action }) => action)).toContain('session.entry_evicted');
    expect(await bot.client.sessionMemory.show(id)).toMatchObject({ content: 'one more' });
  });

  it('refuses another entry if all are pinned, and names the field', async () => {
    for (let n = 0; n < CAPACITY; n += 1) await save(`fact ${n}`, { kind: 'fact' });
    await expect(save('one more')).rejects.toMatchObject({
      problem: { status: 409, code: 'memory.full', errors: [{ field: 'pinned' }] },
    });
    expect(await save('elsewhere', { project: 'bank' })).toMatchObject({ project: 'bank' });
  });
});
