import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Guildbook } from '../../src/client/guildbook.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { GateRows } from '../support/gate-rows.js';

let app: TestApplication;
const agents: Record<string, { id: string; client: Guildbook }> = {};

beforeAll(async () => {
  app = await startTestApplication();
  const memberships = {
    ada: { role: 'ci', department: 'platform' },
    ben: { role: 'ci', department: 'sales' },
    cem: { role: 'docs', department: 'platform' },
    alone: {},
  };
  for (const [name, membership] of Object.entries(memberships)) {
    const { principal, token } = await app.admin.agents.add({ name, owner: `team of ${name}`, ...membership });
    agents[name] = { id: principal.id, client: app.client(token) };
  }
});
afterAll(() => app.close());

function named(name: string) {
  const agent = agents[name];
  if (!agent) throw new Error(`no agent ${name}`);
  return agent;
}
const remember = async (lesson: string, by = 'ada') =>
  (await named(by).client.remember({ lesson, tags: ['non-inferable'] })).id;
const recalled = async (name: string, query: string) =>
  (await named(name).client.recall({ query })).memories.map(({ id }) => id);
const because = { reason: 'all of them need it' };
const row = (id: string) => app.database.client.memory.findUniqueOrThrow({ where: { id } });
const refused = (code: string) => ({ problem: { code } });

describe('a lesson that a reviewer shares', () => {
  it('with a role is read by the agents of that role, those that come later too, and by no others', async () => {
    const id = await remember('Walrus builds need two cores');
    expect(await recalled('ben', 'walrus builds')).toEqual([]);
    const shared = await app.admin.lesson.share(id, { scope: 'role', ...because });
    expect(shared).toMatchObject({
      scope: 'role',
      role: 'ci',
      department: null,
      agentId: null,
      propagatedFromId: id,
      provenance: 'unverified',
      controlTags: expect.arrayContaining([`propagated:${named('ada').id}`]),
    });
    expect(await recalled('ben', 'walrus builds')).toEqual([shared.id]);
    expect(await recalled('cem', 'walrus builds')).toEqual([]);
    expect(await recalled('alone', 'walrus builds')).toEqual([]);
    const { token } = await app.admin.agents.add({ name: 'later', role: 'ci' });
    const { memories, messages } = await app.client(token).recall({ query: 'walrus builds' });
    expect(memories.map((one) => one.id)).toEqual([shared.id]);
    expect(messages[1]?.content).toContain('unverified: context only');
    // Its own agent reads it once.
    expect(await recalled('ada', 'walrus builds')).toHaveLength(1);
  });

  it('with a department is read by the agents of that department', async () => {
    const id = await remember('Narwhal dashboards are read at noon');
    const shared = await app.admin.lesson.share(id, { scope: 'department', ...because });
    expect(shared).toMatchObject({ scope: 'department', department: 'platform', role: null });
    expect(await recalled('cem', 'narwhal dashboards')).toEqual([shared.id]);
    expect(await recalled('ben', 'narwhal dashboards')).toEqual([]);
  });

  it('is journalled with the person, the reason and the group, and shared only once', async () => {
    const id = await remember('Puffin caches are warmed first');
    const shared = await app.admin.lesson.share(id, { scope: 'role', ...because });
    const { items } = await app.admin.journal.list({ action: 'memory.lesson_shared', subject: shared.id });
    expect(items).toMatchObject([
      {
        actor: { kind: 'reviewer', id: shared.sharedById },
        data: { source: id, from: named('ada').id, scope: 'role', role: 'ci', ...because },
      },
    ]);
    await expect(app.admin.lesson.share(id, { scope: 'role', ...because })).rejects.toMatchObject(
      refused('memory.already_shared'),
    );
    await expect(app.admin.lesson.share(shared.id, { scope: 'department', ...because })).rejects.toMatchObject(
      refused('memory.unknown_lesson'),
    );
  });

  it('loses the paths and hosts of its agent, and cannot authorise an action before it is verified', async () => {
    const id = await remember('Run /home/ada/tools/fix.sh against db.internal.example.com after each heron deploy');
    const shared = await app.admin.lesson.share(id, { scope: 'role', ...because });
    expect(shared.lesson.activation.action).not.toMatch(/ada|internal/);
    const call = { memories: [shared.id], tool: { name: 'Bash', effect: 'changes' as const } };
    expect((await named('ben').client.gate(call)).decision).toBe('deny');
  });

  it('follows the verdict on its source, and ends with it', async () => {
    const id = await remember('Gannet exports run twice');
    const shared = await app.admin.lesson.share(id, { scope: 'role', ...because });
    await app.admin.lesson.verify(id, { provenance: 'verified', reason: 'seen it' });
    expect((await row(shared.id)).provenance).toBe('verified');
    await app.admin.lesson.retire(id, 'once is enough now');
    expect(await row(shared.id)).toMatchObject({ endReason: 'source_ended', supersededAt: expect.any(Date) });
    expect(await recalled('ben', 'gannet exports')).toEqual([]);
    expect((await app.admin.tombstones.list({ scope: 'role' })).items.map(({ memory }) => memory.id)).toContain(
      shared.id,
    );
  });

  it('is erased with its source, and unshared alone', async () => {
    const [gone, kept] = [await remember('Fulmar tokens of Acme'), await remember('Fulmar tokens last an hour')];
    const shared = await app.admin.lesson.share(gone, { scope: 'role', ...because });
    await app.admin.lesson.delete(gone, 'it names a customer');
    expect((await row(shared.id)).action).toBe('(deleted)');
    const other = await app.admin.lesson.share(kept, { scope: 'role', ...because });
    expect(await app.admin.lesson.unshare(other.id, 'only ada needs it')).toMatchObject({ endReason: 'unshared' });
    expect((await row(kept)).supersededAt).toBeNull();
    expect(await recalled('ben', 'fulmar tokens')).toEqual([]);
    await expect(app.admin.lesson.unshare(other.id, 'again')).rejects.toMatchObject(refused('memory.unknown_lesson'));
    expect((await app.admin.tombstones.show(other.id)).endedBy).toMatchObject({ action: 'memory.lesson_unshared' });
    expect(await app.admin.lesson.share(kept, { scope: 'role', ...because })).toMatchObject({ supersededAt: null });
  });
});

describe('sharing is refused', () => {
  it('to agents, to people who are no reviewers, and to reviewers for another or a smaller group', async () => {
    const id = await remember('Siskin jobs wait for approval');
    const share = (client: Guildbook, scope: 'role' | 'department' = 'role') =>
      client.lesson.share(id, { scope, ...because });
    await expect(share(named('ada').client)).rejects.toMatchObject({ problem: { status: 403 } });
    const reader = await app.person('Ron Reader', {});
    await expect(share(reader.client)).rejects.toMatchObject({ problem: { status: 403 } });
    const rita = await app.person('Rita Review', { reviewer: true });
    for (const reviewScope of [[{ role: 'docs' }], [{ role: 'ci', department: 'platform' }]]) {
      await app.database.client.principal.update({ where: { id: rita.id }, data: { reviewScope } });
      await expect(share(rita.client)).rejects.toMatchObject(refused('memory.outside_review_scope'));
    }
    await app.database.client.principal.update({ where: { id: rita.id }, data: { reviewScope: [{ role: 'ci' }] } });
    await expect(share(rita.client, 'department')).rejects.toMatchObject(refused('memory.outside_review_scope'));
    expect(await share(rita.client)).toMatchObject({ scope: 'role', sharedById: rita.id });
  });

  it('for an agent without a group, a fact, and an unknown lesson', async () => {
    const lonely = await remember('Dunlin checks', 'alone');
    await expect(app.admin.lesson.share(lonely, { scope: 'role', ...because })).rejects.toMatchObject(
      refused('memory.agent_without_group'),
    );
    const fact = { lesson: 'Dunlins fly south', category: 'SEMANTIC', tags: ['non-inferable'] };
    await named('ada').client.memoryTool('archival_memory_write', fact);
    const [stored] = (await app.admin.lessons({ agent: named('ada').id, category: 'SEMANTIC' })).items;
    await expect(app.admin.lesson.share(stored?.id ?? '', { scope: 'role', ...because })).rejects.toMatchObject(
      refused('memory.not_shareable'),
    );
  });

  it('by the database, to every row that no reviewer for the whole group shared', async () => {
    const rows = new GateRows(app.database);
    const source = await remember('Plover builds');
    const reviewer = await rows.reviewer({ name: 'Rea', review_scope: [{ role: 'docs' }] });
    const shared = (more: Record<string, unknown>) =>
      rows.insert(
        'memory',
        rows.memory({ scope: 'role', role: 'ci', propagated_from_id: source, confidence: 0.1, ...more }),
      );
    const NOT_SHARED = /only a reviewer for the whole group|memory_shared_with_one_group/;
    await expect(shared({})).rejects.toThrow(NOT_SHARED);
    await expect(shared({ shared_by_id: named('ada').id })).rejects.toThrow(NOT_SHARED);
    await expect(shared({ shared_by_id: reviewer })).rejects.toThrow(NOT_SHARED);
    const other = await rows.reviewer({ name: 'Rob' });
    await expect(shared({ shared_by_id: other, propagated_from_id: null })).rejects.toThrow(NOT_SHARED);
    await expect(shared({ shared_by_id: other, department: 'platform' })).rejects.toThrow(NOT_SHARED);
    await expect(
      app.database.client.memory.update({ where: { id: source }, data: { scope: 'role', role: 'ci', agentId: null } }),
    ).rejects.toThrow(/never changes in place/);
    const valid = await app.admin.lesson.share(source, { scope: 'role', ...because });
    const change = (data: Record<string, unknown>) =>
      app.database.client.memory.update({ where: { id: valid.id }, data });
    for (const data of [{ action: 'Do something else' }, { role: 'docs' }, { scope: 'agent' }])
      await expect(change(data)).rejects.toThrow(/never changes in place/);
    await app.admin.lesson.unshare(valid.id, 'done with it');
    await expect(change({ supersededAt: null })).rejects.toThrow(/never changes in place/);
  });
});

describe('the list of lessons', () => {
  it('is read page by page, each lesson once, although lessons are added and deleted meanwhile', async () => {
    const { principal, token } = await app.admin.agents.add({ name: 'reader', owner: 'team of reader' });
    const [agent, client] = [principal.id, app.client(token)];
    const ids: string[] = [];
    for (const animal of ['heron', 'stork', 'crane', 'ibis', 'egret'])
      ids.unshift(
        (await client.remember({ lesson: `The ${animal} build needs its own port`, tags: ['non-inferable'] })).id,
      );
    const first = await app.admin.lessons({ agent, limit: 2 });
    expect(first).toMatchObject({ total: 5, next: ids[1] });
    await client.remember({ lesson: 'Deploys of pelicans need a ticket', tags: ['non-inferable'] });
    await app.admin.lesson.delete(ids[1] ?? '', because.reason);
    const second = await app.admin.lessons({ agent, limit: 2, after: first.next ?? '' });
    const last = await app.admin.lessons({ agent, limit: 2, after: second.next ?? '' });
    expect([first, second, last].flatMap(({ items }) => items.map(({ id }) => id))).toEqual(ids);
    expect(last.next).toBeNull();
    expect((await app.admin.lessons({ agent, after: agent })).items).toEqual([]);
  });
});
