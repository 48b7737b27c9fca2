import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { http } from '../support/http.js';
import { submitTestProposal } from '../support/proposal-input.js';
import { approvedSkill, bothSides, type TestAgent } from '../support/skills.js';

const Index = z.object({ skills: z.array(z.looseObject({ name: z.string() })) });

async function index(app: TestApplication, token?: string): Promise<string[]> {
  const { body } = await http(app, token).get('/.well-known/agent-skills/index.json');
  return Index.parse(body).skills.map(({ name }) => name);
}

describe('a skill at a partial rollout stage', () => {
  let app: TestApplication;
  let skill: string;
  let receiving: TestAgent;
  let withheld: TestAgent;

  beforeAll(async () => {
    app = await startTestApplication();
    skill = await approvedSkill(app, 'Write the long name');
    const { inside, outside } = await bothSides(app, skill, 25, 1);
    const [first] = inside;
    const [second] = outside;
    if (!first || !second) throw new Error('no agent on one side');
    [receiving, withheld] = [first, second];
  });
  afterAll(() => app.close());

  const listed = async (client: TestAgent['client']) => (await client.skills.list()).items.map(({ name }) => name);
  const file = (token: string) => http(app, token).get(`/.well-known/agent-skills/${skill}/SKILL.md`);

  it('is received by every agent after its approval by default', async () => {
    expect((await app.admin.skills.show(skill)).percent).toBe(100);
    for (const { client, token } of [receiving, withheld]) {
      expect(await listed(client)).toEqual([skill]);
      expect(await index(app, token)).toEqual([skill]);
    }
    expect(await app.admin.skills.effect(skill)).toMatchObject({
      percent: 100,
      compared: [],
      figures: { verdict: 'not-enough-data', difference: null },
      says: expect.stringContaining('there is no comparison'),
    });
  });

  it('is moved to a stage by a reviewer or an administrator, once, with a journal entry', async () => {
    const rita = await app.person('Rita Reviewer', { reviewer: true });
    const stage = await rita.client.skills.rollout(skill, 25);
    expect(stage).toEqual({ name: skill, version: 1, percent: 25, since: expect.any(String) });
    app.clock.advance(1_000);
    const otto = await app.person('Otto Administrator', { admin: true });
    expect(await otto.client.skills.rollout(skill, 25)).toEqual(stage);
    const { items } = await app.admin.journal.list({ action: 'skill.rollout_set' });
    expect(items).toMatchObject([
      { actor: { kind: 'reviewer', id: rita.id }, data: { percent: 25, before: 100, version: 1 } },
    ]);
    expect(await otto.client.skills.rollout(skill, 5)).toMatchObject({ percent: 5 });
    expect(await otto.client.skills.rollout(skill, 25)).toMatchObject({ percent: 25 });
  });

  it('has one open stage, however many people set it at the same time', async () => {
    const sets = await Promise.allSettled(([5, 100, 5, 100] as const).map((p) => app.admin.skills.rollout(skill, p)));
    for (const set of sets)
      if (set.status === 'rejected') expect(set.reason).toMatchObject({ problem: { code: 'skill.rollout_changed' } });
    const rows = await app.database.client.skillRollout.findMany({ where: { skillName: skill } });
    expect(rows.filter(({ until }) => until === null)).toHaveLength(1);
    await app.admin.skills.rollout(skill, 25);
    const { compared } = await app.admin.skills.effect(skill);
    expect(compared.filter(({ until }) => until === null)).toMatchObject([{ percent: 25 }]);
  });

  it('accepts only known stages, and only while it is live', async () => {
    const put = (name: string, body: object) => http(app, app.adminToken).put(`/v1/skills/${name}/rollout`).send(body);
    for (const percent of [0, 50, '25', null])
      expect((await put(skill, { percent })).body).toMatchObject({ errors: [{ field: 'percent' }] });
    expect((await put('no-such-skill', { percent: 5 })).status).toBe(404);
  });

  it('is visible over HTTP to the agents of the stage, and hidden from the others and the public', async () => {
    expect(await listed(receiving.client)).toEqual([skill]);
    expect(await index(app, receiving.token)).toEqual([skill]);
    expect((await file(receiving.token)).headers['cache-control']).toMatch(/^private/);
    expect((await receiving.client.skills.show(skill)).name).toBe(skill);
    expect(await listed(withheld.client)).toEqual([]);
    expect(await index(app, withheld.token)).toEqual([]);
    expect((await file(withheld.token)).status).toBe(404);
    await expect(withheld.client.skills.show(skill)).rejects.toMatchObject({ problem: { code: 'skill.not_found' } });
    expect(await index(app)).toEqual([]);
  });

  it('is visible to people and services at any stage', async () => {
    const { token } = await app.admin.services.add({ name: 'importer', scopes: ['report-for', 'read'] });
    for (const one of [app.adminToken, token]) {
      expect(await index(app, one)).toEqual([skill]);
      expect(await listed(app.client(one))).toEqual([skill]);
    }
    expect((await app.admin.skills.list()).items).toMatchObject([{ name: skill, percent: 25 }]);
  });

  it('is not served to an invalid credential', async () => {
    expect((await file('gbt_this-is-no-token-of-ours')).status).toBe(401);
    const { token } = await app.admin.services.add({ name: 'proposes only', scopes: ['propose'] });
    expect((await file(token)).status).toBe(403);
  });

  it('counts the agents that used it from a clone although the stage leaves them out', async () => {
    const use = { executionId: 'run-1', event: 'applied', at: app.clock.now().toISOString() } as const;
    await withheld.client.skills.use(skill, use);
    await receiving.client.skills.use(skill, use);
    expect((await app.admin.skills.effect(skill)).uses).toMatchObject({ applied: 2, agents: 2, withheldAgents: 1 });
  });

  it('keeps its percentage in its next version', async () => {
    const live = await app.database.client.memory.findFirstOrThrow({ where: { skillName: skill, supersededAt: null } });
    const next = await submitTestProposal(app, skill, { kind: 'supersede', supersedesId: live.id });
    await app.admin.proposals.approve(next.id, next.artifactSha256);
    expect((await app.admin.skills.list()).items).toMatchObject([{ name: skill, version: 2, percent: 25 }]);
  });

  it('is received by every agent at 100 %, and earlier comparisons are kept', async () => {
    await app.admin.skills.rollout(skill, 100);
    await app.settled();
    expect(await listed(withheld.client)).toEqual([skill]);
    expect(await index(app)).toEqual([skill]);
    expect(await app.admin.skills.effect(skill)).toMatchObject({
      percent: 100,
      // Of this version alone: the previous version was another file.
      compared: [{ percent: 25, until: expect.any(String) }],
      says: expect.stringContaining('Every agent receives it now'),
    });
    expect((await app.admin.skills.effects()).items).toMatchObject([{ name: skill, percent: 100 }]);
  });
});

describe('a skill without any stage', () => {
  it('is received by every agent, and can be held back from now on', async () => {
    const app = await startTestApplication();
    const skill = await approvedSkill(app, 'Write the long name');
    const { approvedAt } = await app.admin.skills.show(skill);
    await app.database.client.skillRollout.deleteMany({ where: { skillName: skill } });
    expect(await index(app)).toEqual([skill]);
    const since = (await app.admin.skills.effect(skill)).since;
    expect(Date.parse(since)).toBeLessThanOrEqual(Date.parse(approvedAt));
    expect(await app.admin.skills.rollout(skill, 100)).toMatchObject({ percent: 100, since });
    await Promise.allSettled(([5, 25] as const).map((percent) => app.admin.skills.rollout(skill, percent)));
    const rows = await app.database.client.skillRollout.findMany({ where: { skillName: skill, until: null } });
    expect(rows).toHaveLength(1);
    expect(await index(app)).toEqual([]);
    await app.close();
  });
});

describe('a server whose skills start at 5 %', () => {
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication({ GUILDBOOK_ROLLOUT_PERCENT: '5', GUILDBOOK_PUBLIC_SKILLS: 'false' });
  });
  afterAll(() => app.close());

  it('starts each skill there, and serves it to callers with a credential', async () => {
    const skill = await approvedSkill(app, 'Write the long name');
    expect(await app.admin.skills.effect(skill)).toMatchObject({ percent: 5, compared: [{ percent: 5, until: null }] });
    expect(await index(app, app.adminToken)).toEqual([skill]);
    await http(app).get('/.well-known/agent-skills/index.json').expect(404);
  });
});
