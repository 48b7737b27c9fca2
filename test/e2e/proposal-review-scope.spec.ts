import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { submitTestProposal } from '../support/proposal-input.js';

type Person = Awaited<ReturnType<TestApplication['person']>>;
const OUTSIDE = { problem: { status: 403, code: 'proposal.outside_review_scope' } };

describe('a reviewer with a review scope', () => {
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
    await app.admin.people.change(petra.id, { reviewScope: [{ department: 'platform' }] });
    await app.admin.people.change(sam.id, { reviewScope: [{ department: 'sales' }, { role: 'ci' }] });
  });
  afterAll(() => app.close());

  const seenBy = (...names: string[]) => ({
    seenBy: names.map((agent) => ({ agent, owner: null, executions: 1, failures: 1 })),
  });
  const itemOf = (title: string, ...names: string[]) => submitTestProposal(app, title, {}, {}, seenBy(...names));
  const approve = (by: Person, proposal: { id: string; artifactSha256: string }) =>
    by.client.proposals.approve(proposal.id, proposal.artifactSha256);

  it('decides on proposals learned from the agents in it', async () => {
    const proposal = await itemOf('Build with the wrapper', 'builder', 'deployer');
    expect(proposal.audience).toEqual([
      { department: 'platform', role: 'ci' },
      { department: 'platform', role: 'release' },
    ]);
    expect(await approve(petra, proposal)).toMatchObject({ state: 'approved' });
  });

  it('can neither approve nor reject other proposals, and the attempt is journalled', async () => {
    const proposal = await itemOf('Close the deal first', 'builder', 'seller');
    await expect(approve(petra, proposal)).rejects.toMatchObject(OUTSIDE);
    await expect(petra.client.proposals.reject(proposal.id, 'not ours')).rejects.toMatchObject(OUTSIDE);
    const { proposedSkill, artifactSha256 } = proposal;
    const edit = { artifactSha256, proposedSkill: { ...proposedSkill, title: 'Another title' } };
    await expect(petra.client.proposals.edit(proposal.id, edit)).rejects.toMatchObject(OUTSIDE);
    const { items } = await app.admin.journal.list({ subject: proposal.id, action: 'proposal.refused' });
    expect(items.map(({ data }) => data)).toMatchObject([
      { code: 'proposal.outside_review_scope', by: { id: petra.id, name: 'Petra' } },
    ]);
    expect(await approve(sam, proposal)).toMatchObject({ state: 'approved' });
  });

  it('cannot decide on proposals for the whole organisation, such as those of agents without a department', async () => {
    for (const proposal of [
      await itemOf('Drift along', 'drifter'),
      await itemOf('Say hello first'),
      await itemOf('Ghosts', 'ghost'),
    ])
      await expect(approve(petra, proposal)).rejects.toThrow(/your review scope is platform/);
    const many = Array.from({ length: 50 }, (_, n) => `builder ${n}`);
    expect(await itemOf('Everybody met it', ...many)).toMatchObject({ audience: [] });
  });

  it('sees only proposals within it, without those already voted for', async () => {
    const ours = await itemOf('Cache the layers', 'builder');
    const theirs = await itemOf('Call the customer', 'seller');
    const waiting = async (by: Person) =>
      (await by.client.proposals.list({ mine: 'true', limit: 100 })).items.map(({ id }) => id);
    expect(await waiting(petra)).toContain(ours.id);
    expect(await waiting(petra)).not.toContain(theirs.id);
    expect(await waiting(sam)).toEqual(expect.arrayContaining([ours.id, theirs.id]));
    await approve(petra, ours);
    expect(await waiting(sam)).not.toContain(ours.id);
    const reader = await app.person('Reader', {});
    expect(await waiting(reader)).toEqual([]);
    await expect(petra.client.proposals.list({ mine: 'true', state: 'approved' })).rejects.toMatchObject({
      problem: { status: 400, errors: [{ field: 'mine' }] },
    });
  });

  it('retires, renames and reopens only within it', async () => {
    const proposal = await itemOf('Sign the contract', 'seller');
    await approve(sam, proposal);
    await expect(petra.client.retireSkill(proposal.id, 'not mine')).rejects.toMatchObject(OUTSIDE);
    await expect(petra.client.skills.rename(proposal.skillName, 'mine-now')).rejects.toMatchObject(OUTSIDE);
    expect(await sam.client.retireSkill(proposal.id, 'no longer true')).toMatchObject({
      kind: 'retire',
      state: 'approved',
    });
    const rejected = await itemOf('Send the invoice', 'seller');
    await sam.client.proposals.reject(rejected.id, 'too early');
    await expect(petra.client.proposals.reopen(rejected.id, 'try it')).rejects.toMatchObject(OUTSIDE);
    expect(await sam.client.proposals.reopen(rejected.id, 'try it')).toMatchObject({ state: 'pending' });
  });

  it('learns how many other reviewers can vote on a proposal', async () => {
    const share = { worked: 2, n: 2, rate: 1, low: 0.3, high: 1 };
    const evidence = { ...seenBy('builder'), alternatives: [{ ...share, action: 'long', agents: 2, lift: 0.8 }] };
    const risky = await submitTestProposal(app, 'Push it', {}, { steps: ['Delete it.', 'Push it.'] }, evidence);
    expect(await approve(petra, risky)).toMatchObject({ state: 'pending', votes: { given: 1, needed: 2 } });
    await app.admin.people.change(petra.id, { reviewScope: [{ department: 'sales' }] });
    expect(await approve(sam, risky)).toMatchObject({ state: 'pending', votes: { given: 1, needed: 2 } });
    await app.admin.people.change(petra.id, { reviewScope: [{ department: 'platform' }] });
  });

  it('has it set by administrators only, with a journal entry', async () => {
    const { items } = await app.admin.journal.list({ subject: sam.id, action: 'access.person_changed' });
    expect(items.at(-1)?.data).toMatchObject({
      reviewScopeBefore: null,
      reviewScope: [{ department: 'sales' }, { role: 'ci' }],
    });
    await expect(petra.client.people.change(petra.id, { reviewScope: null })).rejects.toMatchObject({
      problem: { status: 403 },
    });
    for (const reviewScope of [[], [{}], [{ team: 'x' }], [{ department: '' }]] as never[])
      await expect(app.admin.people.change(sam.id, { reviewScope: reviewScope })).rejects.toMatchObject({
        problem: { status: 400 },
      });
    expect((await sam.client.me()).principal.reviewScope).toEqual([{ department: 'sales' }, { role: 'ci' }]);
    const invited = await app.admin.people.add({
      name: 'Lea',
      email: 'lea@example.org',
      reviewer: true,
      admin: false,
      reviewScope: [{ department: 'platform', role: 'ci' }],
    });
    expect(invited.principal.reviewScope).toEqual([{ department: 'platform', role: 'ci' }]);
  });

  it('cannot decide on live skills outside it, and the attempt is journalled', async () => {
    const proposal = await itemOf('Sell with the long form', 'seller');
    expect(await approve(sam, proposal)).toMatchObject({ state: 'approved' });
    const skill = proposal.skillName;
    await expect(petra.client.skills.rename(skill, 'another-name')).rejects.toMatchObject(OUTSIDE);
    await expect(petra.client.skills.rollout(skill, 5)).rejects.toMatchObject(OUTSIDE);
    const agent = await app.agent('would-be');
    await expect(agent.client.skills.rollout(skill, 5)).rejects.toMatchObject({ problem: { status: 403 } });
    await expect(petra.client.skills.rollout('no-such-skill', 5)).rejects.toMatchObject({ problem: { status: 404 } });
    const { items } = await app.admin.journal.list({ subject: skill, action: 'proposal.refused' });
    expect(items.map(({ subject, data }) => [subject.type, data])).toEqual([
      ['skill', { code: 'proposal.outside_review_scope', by: { id: petra.id, kind: 'person', name: 'Petra' } }],
      ['skill', { code: 'access.not_a_person', by: { id: agent.id, kind: 'agent', name: 'would-be' } }],
    ]);
    expect(await sam.client.skills.rollout(skill, 25)).toMatchObject({ percent: 25 });
    expect(await app.admin.skills.rollout(skill, 100)).toMatchObject({ percent: 100 });
  });

  it('is bound by it when reviewing, but not when administering', async () => {
    const proposal = await itemOf('Sell with the short form', 'seller');
    expect(await approve(sam, proposal)).toMatchObject({ state: 'approved' });
    const both = await app.person('Alex', { reviewer: true, admin: true });
    await app.admin.people.change(both.id, { reviewScope: [{ department: 'platform' }] });
    await expect(both.client.skills.rename(proposal.skillName, 'x-name')).rejects.toMatchObject(OUTSIDE);
    expect(await both.client.skills.rollout(proposal.skillName, 25)).toMatchObject({ percent: 25 });
    const { items } = await app.admin.journal.list({ subject: proposal.skillName, action: 'skill.rollout_set' });
    expect(items).toMatchObject([{ actor: { kind: 'admin', id: both.id } }]);
  });
});
