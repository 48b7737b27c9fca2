import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { submitted } from '../support/submission.js';

type Person = Awaited<ReturnType<TestApplication['person']>>;
const OUTSIDE = { problem: { status: 403, code: 'approval.outside_remit' } };

describe('a reviewer who decides for a part of the organisation', () => {
  let app: TestApplication;
  let petra: Person;
  let sam: Person;

  beforeAll(async () => {
    app = await startTestApplication();
    const agents = [
      { name: 'builder', department: 'platform', role: 'ci' },
      { name: 'deployer', department: 'platform', role: 'release' },
      { name: 'seller', department: 'sales', role: 'crm' },
      { name: 'drifter' },
    ];
    for (const agent of agents) await app.admin.agents.add(agent);
    petra = await app.person('Petra', { reviewer: true });
    sam = await app.person('Sam', { reviewer: true });
    await app.admin.people.change(petra.id, { remit: [{ department: 'platform' }] });
    await app.admin.people.change(sam.id, { remit: [{ department: 'sales' }, { role: 'ci' }] });
  });
  afterAll(() => app.close());

  const seenBy = (...names: string[]) => ({
    seenBy: names.map((agent) => ({ agent, owner: null, executions: 1, failures: 1 })),
  });
  const itemOf = (title: string, ...names: string[]) => submitted(app, title, {}, {}, seenBy(...names));
  const approve = (by: Person, item: { id: string; artifactSha256: string }) =>
    by.client.approvals.approve(item.id, item.artifactSha256);

  it('decides on what was learned from its agents', async () => {
    const item = await itemOf('Build with the wrapper', 'builder', 'deployer');
    expect(item.audience).toEqual([
      { department: 'platform', role: 'ci' },
      { department: 'platform', role: 'release' },
    ]);
    expect(await approve(petra, item)).toMatchObject({ state: 'approved' });
  });

  it('decides on nothing else, neither way, and the attempt is in the journal', async () => {
    const item = await itemOf('Close the deal first', 'builder', 'seller');
    await expect(approve(petra, item)).rejects.toMatchObject(OUTSIDE);
    await expect(petra.client.approvals.reject(item.id, 'not ours')).rejects.toMatchObject(OUTSIDE);
    const { proposal, artifactSha256 } = item;
    const edit = { artifactSha256, proposal: { ...proposal, title: 'Another title' } };
    await expect(petra.client.approvals.edit(item.id, edit)).rejects.toMatchObject(OUTSIDE);
    const { items } = await app.admin.journal.list({ subject: item.id, action: 'approval.refused' });
    expect(items.map(({ data }) => data)).toMatchObject([
      { code: 'approval.outside_remit', by: { id: petra.id, name: 'Petra' } },
    ]);
    expect(await approve(sam, item)).toMatchObject({ state: 'approved' });
  });

  it('decides on nothing that is everybody’s: of agents without a department, or of nobody’s in particular', async () => {
    for (const item of [
      await itemOf('Drift along', 'drifter'),
      await itemOf('Say hello first'),
      await itemOf('Ghosts', 'ghost'),
    ])
      await expect(approve(petra, item)).rejects.toThrow(/you decide for platform/);
    const many = Array.from({ length: 50 }, (_, n) => `builder ${n}`);
    expect(await itemOf('Everybody met it', ...many)).toMatchObject({ audience: [] });
  });

  it('is shown what waits for them alone, and not what they voted for', async () => {
    const ours = await itemOf('Cache the layers', 'builder');
    const theirs = await itemOf('Call the customer', 'seller');
    const waiting = async (by: Person) =>
      (await by.client.approvals.list({ mine: 'true', limit: 100 })).items.map(({ id }) => id);
    expect(await waiting(petra)).toContain(ours.id);
    expect(await waiting(petra)).not.toContain(theirs.id);
    expect(await waiting(sam)).toEqual(expect.arrayContaining([ours.id, theirs.id]));
    await approve(petra, ours);
    expect(await waiting(sam)).not.toContain(ours.id);
    const reader = await app.person('Reader', {});
    expect(await waiting(reader)).toEqual([]);
    await expect(petra.client.approvals.list({ mine: 'true', state: 'approved' })).rejects.toMatchObject({
      problem: { status: 400, errors: [{ field: 'mine' }] },
    });
  });

  it('takes back, renames and reopens within it only', async () => {
    const item = await itemOf('Sign the contract', 'seller');
    await approve(sam, item);
    await expect(petra.client.revoke(item.id, 'not mine')).rejects.toMatchObject(OUTSIDE);
    await expect(petra.client.skills.rename(item.skillName, 'mine-now')).rejects.toMatchObject(OUTSIDE);
    expect(await sam.client.revoke(item.id, 'no longer true')).toMatchObject({ kind: 'retire', state: 'approved' });
    const rejected = await itemOf('Send the invoice', 'seller');
    await sam.client.approvals.reject(rejected.id, 'too early');
    await expect(petra.client.approvals.reopen(rejected.id, 'try it')).rejects.toMatchObject(OUTSIDE);
    expect(await sam.client.approvals.reopen(rejected.id, 'try it')).toMatchObject({ state: 'pending' });
  });

  it('is told how many others could vote on the very item', async () => {
    const share = { worked: 2, n: 2, rate: 1, low: 0.3, high: 1 };
    const evidence = { ...seenBy('builder'), alternatives: [{ ...share, action: 'long', agents: 2, lift: 0.8 }] };
    const risky = await submitted(app, 'Push it', {}, { steps: ['Delete it.', 'Push it.'] }, evidence);
    expect(await approve(petra, risky)).toMatchObject({ state: 'pending', votes: { given: 1, needed: 2 } });
    await app.admin.people.change(petra.id, { remit: [{ department: 'sales' }] });
    expect(await approve(sam, risky)).toMatchObject({ state: 'pending', votes: { given: 1, needed: 2 } });
    await app.admin.people.change(petra.id, { remit: [{ department: 'platform' }] });
  });

  it('has a remit that administrators set, that is journalled, and that nobody else has', async () => {
    const { items } = await app.admin.journal.list({ subject: sam.id, action: 'access.person_changed' });
    expect(items.at(-1)?.data).toMatchObject({
      remitBefore: null,
      remit: [{ department: 'sales' }, { role: 'ci' }],
    });
    await expect(petra.client.people.change(petra.id, { remit: null })).rejects.toMatchObject({
      problem: { status: 403 },
    });
    for (const remit of [[], [{}], [{ team: 'x' }], [{ department: '' }]] as never[])
      await expect(app.admin.people.change(sam.id, { remit })).rejects.toMatchObject({ problem: { status: 400 } });
    expect((await sam.client.me()).principal.remit).toEqual([{ department: 'sales' }, { role: 'ci' }]);
    const invited = await app.admin.people.add({
      ...{ name: 'Lea', email: 'lea@example.org', reviewer: true, admin: false },
      remit: [{ department: 'platform', role: 'ci' }],
    });
    expect(invited.principal.remit).toEqual([{ department: 'platform', role: 'ci' }]);
  });

  it('says nothing about live skills outside it, and the attempt is in the journal', async () => {
    const item = await itemOf('Sell with the long form', 'seller');
    expect(await approve(sam, item)).toMatchObject({ state: 'approved' });
    const skill = item.skillName;
    await expect(petra.client.skills.rename(skill, 'another-name')).rejects.toMatchObject(OUTSIDE);
    await expect(petra.client.skills.rollout(skill, 5)).rejects.toMatchObject(OUTSIDE);
    const agent = await app.agent('would-be');
    await expect(agent.client.skills.rollout(skill, 5)).rejects.toMatchObject({ problem: { status: 403 } });
    await expect(petra.client.skills.rollout('no-such-skill', 5)).rejects.toMatchObject({ problem: { status: 404 } });
    const { items } = await app.admin.journal.list({ subject: skill, action: 'approval.refused' });
    expect(items.map(({ subject, data }) => [subject.type, data])).toEqual([
      ['skill', { code: 'approval.outside_remit', by: { id: petra.id, kind: 'person', name: 'Petra' } }],
      ['skill', { code: 'access.not_a_person', by: { id: agent.id, kind: 'agent', name: 'would-be' } }],
    ]);
    expect(await sam.client.skills.rollout(skill, 25)).toMatchObject({ percent: 25 });
    expect(await app.admin.skills.rollout(skill, 100)).toMatchObject({ percent: 100 });
  });

  it('binds whoever administers as a reviewer, and not as an administrator', async () => {
    const item = await itemOf('Sell with the short form', 'seller');
    expect(await approve(sam, item)).toMatchObject({ state: 'approved' });
    const both = await app.person('Alex', { reviewer: true, admin: true });
    await app.admin.people.change(both.id, { remit: [{ department: 'platform' }] });
    await expect(both.client.skills.rename(item.skillName, 'x-name')).rejects.toMatchObject(OUTSIDE);
    expect(await both.client.skills.rollout(item.skillName, 25)).toMatchObject({ percent: 25 });
    const { items } = await app.admin.journal.list({ subject: item.skillName, action: 'skill.rollout_set' });
    expect(items).toMatchObject([{ actor: { kind: 'admin', id: both.id } }]);
  });
});
