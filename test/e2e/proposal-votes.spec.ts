import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { http } from '../support/http.js';
import { submitTestProposal } from '../support/proposal-input.js';

type Person = Awaited<ReturnType<TestApplication['person']>>;

/** A proposal of high risk: it tells agents to change state, and its remedy was tried rarely. */
const RISKY = { steps: ['Delete the old branch.', 'Push the new one.'] };
const risky = (app: TestApplication, title: string) => {
  const share = { worked: 2, n: 2, rate: 1, low: 0.3, high: 1 };
  return submitTestProposal(app, title, {}, RISKY, {
    alternatives: [{ ...share, action: 'long', agents: 2, lift: 0.8 }],
  });
};

describe('a proposal of high risk', () => {
  let app: TestApplication;
  let rosa: Person;
  let sven: Person;
  let tara: Person;

  beforeAll(async () => {
    app = await startTestApplication();
    rosa = await app.person('Rosa', { reviewer: true });
    sven = await app.person('Sven', { reviewer: true });
    tara = await app.person('Tara', { reviewer: true });
  });
  afterAll(() => app.close());

  const approve = (by: Person, proposal: { id: string; artifactSha256: string }) =>
    by.client.proposals.approve(proposal.id, proposal.artifactSha256);
  const actions = async (id: string) => (await app.admin.proposals.show(id)).history.map(({ action }) => action);
  const published = (id: string) => app.database.client.publication.count({ where: { proposalId: id } });
  const votedAlready = { problem: { status: 409, code: 'proposal.already_voted' } };

  it('needs a second person: the first vote is recorded, journalled and confirmed', async () => {
    const proposal = await risky(app, 'Need two people');
    expect(proposal).toMatchObject({ risk: 'high', votes: { given: 0, needed: 2 } });
    const request = http(app, rosa.token).post(`/v1/proposals/${proposal.id}/approve`);
    const { body } = await request.send({ artifactSha256: proposal.artifactSha256 }).expect(202);
    expect(body).toMatchObject({
      state: 'pending',
      votes: { given: 1, needed: 2 },
      message: 'Your vote is recorded: 1 of 2. One more reviewer has to approve the same bytes.',
    });
    expect(await actions(proposal.id)).toEqual(['SKILL_EVOLVER_PROPOSAL_EMITTED', 'proposal.voted']);
    expect(await published(proposal.id)).toBe(0);
    expect(await approve(sven, proposal)).toMatchObject({
      state: 'approved',
      votes: { given: 2, needed: 2 },
      message: null,
    });
    expect(await published(proposal.id)).toBe(1);
  });

  it('does not count one person twice with different tokens', async () => {
    const proposal = await risky(app, 'Need two distinct people');
    await approve(rosa, proposal);
    const { token } = await app.admin.people.invite(rosa.id);
    const again = { ...rosa, client: app.client((await app.client().signIn(token)).token) };
    await expect(approve(again, proposal)).rejects.toMatchObject(votedAlready);
    expect(await app.admin.proposals.show(proposal.id)).toMatchObject({ state: 'pending', votes: { given: 1 } });
    rosa = again;
  });

  it('is rejected by one person, even one who has approved it', async () => {
    const proposal = await risky(app, 'One no is enough');
    await approve(rosa, proposal);
    expect(await rosa.client.proposals.reject(proposal.id, 'I looked again')).toMatchObject({ state: 'rejected' });
    await expect(approve(sven, proposal)).rejects.toMatchObject({ problem: { code: 'proposal.already_decided' } });
  });

  it('is edited into a revision without votes that names its author', async () => {
    const proposal = await risky(app, 'Be edited');
    await approve(rosa, proposal);
    const skill = {
      ...proposal.proposedSkill,
      action: 'Write the whole name, with token ghp_a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8.',
    };
    const edited = await sven.client.proposals.edit(proposal.id, {
      artifactSha256: proposal.artifactSha256,
      proposedSkill: skill,
    });
    expect(edited).toMatchObject({ state: 'pending', revision: 2, votes: { given: 0, needed: 2 } });
    const shown = await app.admin.proposals.show(proposal.id);
    expect(shown.artifact).toContain('Write the whole name');
    expect(shown.artifact).not.toContain('ghp_a1B2');
    expect(shown).toMatchObject({
      editedBy: 'Sven',
      findings: { redactions: [expect.objectContaining({ count: 1 })] },
    });
    expect(shown.history.at(-1)).toMatchObject({
      action: 'proposal.edited',
      actor: { name: 'Sven' },
      data: { insteadOf: proposal.artifactSha256, difference: expect.stringContaining('+') },
    });
    await expect(approve(tara, proposal)).rejects.toMatchObject({ problem: { code: 'proposal.artifact_changed' } });
    await expect(
      rosa.client.proposals.edit(proposal.id, { artifactSha256: proposal.artifactSha256, proposedSkill: skill }),
    ).rejects.toMatchObject({ problem: { status: 409, code: 'proposal.artifact_changed' } });
    await expect(
      rosa.client.proposals.edit(proposal.id, {
        artifactSha256: edited.artifactSha256,
        proposedSkill: shown.proposedSkill,
      }),
    ).rejects.toMatchObject({ problem: { status: 400, code: 'proposal.unchanged' } });
    expect(await approve(sven, edited)).toMatchObject({ state: 'pending', votes: { given: 1, needed: 2 } });
    expect(await approve(rosa, edited)).toMatchObject({ state: 'approved' });
  });

  it('keeps its earlier authors after another edit: none of them can approve it alone', async () => {
    const proposal = await submitTestProposal(app, 'Go through two hands');
    const reword = (by: Person, artifactSha256: string, action: string) =>
      by.client.proposals.edit(proposal.id, { artifactSha256, proposedSkill: { ...proposal.proposedSkill, action } });
    const first = await reword(sven, proposal.artifactSha256, 'Write what Sven wants.');
    const second = await reword(rosa, first.artifactSha256, 'Write what Sven wants, said more kindly.');
    expect(await app.admin.proposals.show(proposal.id)).toMatchObject({ editedBy: 'Rosa', earlierEditors: ['Sven'] });
    expect(await approve(sven, second)).toMatchObject({ state: 'pending', votes: { given: 1, needed: 2 } });
    expect(await approve(rosa, second)).toMatchObject({ state: 'approved' });
  });

  it('does not count the vote of a reviewer who was disabled since', async () => {
    const proposal = await risky(app, 'Lose a vote');
    await approve(tara, proposal);
    await app.admin.principals.disable(tara.id);
    expect(await app.admin.proposals.show(proposal.id)).toMatchObject({ votes: { given: 0, needed: 2 } });
    expect(await approve(rosa, proposal)).toMatchObject({ state: 'pending', votes: { given: 1, needed: 2 } });
    expect(await approve(sven, proposal)).toMatchObject({ state: 'approved' });
    expect(await app.admin.journal.verify()).toMatchObject({ intact: true });
  });

  it('is published once after two simultaneous votes', async () => {
    const proposal = await risky(app, 'Meet at the vote');
    const states = (await Promise.all([approve(rosa, proposal), approve(sven, proposal)])).map(({ state }) => state);
    expect(states.sort()).toEqual(['approved', 'pending']);
    expect(await published(proposal.id)).toBe(1);
  });
});

describe('a proposal learned from the agents of one person', () => {
  let app: TestApplication;
  let rosa: Person;
  let sven: Person;
  beforeAll(async () => {
    app = await startTestApplication();
    rosa = await app.person('Rosa', { reviewer: true });
    sven = await app.person('Sven', { reviewer: true });
  });
  afterAll(() => app.close());

  const by = (...owners: string[]) =>
    owners.map((owner, n) => ({ agent: `agent ${n}`, owner, executions: 1, failures: 2 }));
  const learned = (title: string, ...owners: string[]) =>
    submitTestProposal(app, title, {}, {}, { owners: new Set(owners).size, seenBy: by(...owners) });
  const approve = (who: Person, proposal: { id: string; artifactSha256: string }) =>
    who.client.proposals.approve(proposal.id, proposal.artifactSha256);

  it('cannot be approved by that person alone, but with another reviewer', async () => {
    const proposal = await learned('Learn from Rosa', 'rosa', 'rosa');
    expect(proposal).toMatchObject({ ownedBy: 'Rosa', votes: { given: 0, needed: 1 } });
    expect(await approve(rosa, proposal)).toMatchObject({
      state: 'pending',
      votes: { given: 1, needed: 2 },
      message: expect.stringContaining('One more reviewer has to approve the same bytes.'),
    });
    expect(await approve(sven, proposal)).toMatchObject({ state: 'approved' });
  });

  it('is approved by another reviewer, or by that person if agents of others are in the evidence', async () => {
    expect(await approve(sven, await learned('Learn from Rosa again', 'Rosa'))).toMatchObject({ state: 'approved' });
    const shared = await learned('Learn from both', 'Rosa', 'a team');
    expect(shared.ownedBy).toBeNull();
    expect(await approve(rosa, shared)).toMatchObject({ state: 'approved' });
  });

  it('recognises that person under a name and an address, however they are written', async () => {
    const { principal } = await rosa.client.me();
    const proposal = await learned('Learn from two names', 'ROSA', principal.email ?? '', 'Rosa');
    expect(proposal.ownedBy).toBe('Rosa');
    expect(await approve(rosa, proposal)).toMatchObject({ state: 'pending', votes: { given: 1, needed: 2 } });
  });

  it('finds the owner by e-mail address as well, and needs two approvals if another person edited it', async () => {
    const { principal } = await rosa.client.me();
    const proposal = await learned('Learn from an address', principal.email?.toUpperCase() ?? '');
    expect(proposal.ownedBy).toBe('Rosa');
    const skill = { ...proposal.proposedSkill, action: 'Write it in full, says Sven.' };
    const edited = await sven.client.proposals.edit(proposal.id, {
      artifactSha256: proposal.artifactSha256,
      proposedSkill: skill,
    });
    expect(await approve(sven, edited)).toMatchObject({ state: 'pending', votes: { given: 1, needed: 2 } });
    expect(await approve(rosa, edited)).toMatchObject({ state: 'approved' });
  });

  it('is approved by that person alone if there is no other reviewer', async () => {
    const alone = await startTestApplication();
    const proposal = await submitTestProposal(alone, 'Be alone', {}, {}, { owners: 1, seenBy: by('Administrator') });
    expect(proposal.ownedBy).toBeNull();
    expect(await alone.admin.proposals.approve(proposal.id, proposal.artifactSha256)).toMatchObject({
      state: 'approved',
    });
    await alone.close();
  });
});

describe('a single reviewer', () => {
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  it('learns that another reviewer is needed, and how to invite one', async () => {
    const proposal = await risky(app, 'Be alone');
    const { message: says, state } = await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
    expect([state, says]).toEqual(['pending', expect.stringContaining('one active reviewer here: invite another')]);
  });

  it('cannot approve their own wording, but a colleague can', async () => {
    const proposal = await submitTestProposal(app, 'Word it alone');
    const skill = { ...proposal.proposedSkill, action: 'Write every name in full.' };
    const edited = await app.admin.proposals.edit(proposal.id, {
      artifactSha256: proposal.artifactSha256,
      proposedSkill: skill,
    });
    expect(edited.votes).toEqual({ given: 0, needed: 1 });
    expect(await app.admin.proposals.approve(proposal.id, edited.artifactSha256)).toMatchObject({
      state: 'pending',
      votes: { given: 1, needed: 2 },
    });
    const { client } = await app.person('Colleague', { reviewer: true });
    expect(await client.proposals.approve(proposal.id, edited.artifactSha256)).toMatchObject({ state: 'approved' });
  });
});
