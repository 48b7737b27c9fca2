import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { HOUR_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { submitTestProposal } from '../support/proposal-input.js';

type Person = Awaited<ReturnType<TestApplication['person']>>;

const refused = (status: number, code: string) => ({ problem: { status, code } });

describe('an override', () => {
  let app: TestApplication;
  let petra: Person;
  let paul: Person;
  let count = 0;

  beforeAll(async () => {
    app = await startTestApplication();
    for (const agent of [{ name: 'seller', department: 'sales' }]) await app.admin.agents.add(agent);
    petra = await app.person('Petra', { reviewer: true });
    paul = await app.person('Paul', { reviewer: true });
    for (const { id } of [petra, paul])
      await app.admin.people.change(id, { reviewScope: [{ department: 'platform' }] });
  });
  afterAll(() => app.close());

  /** A proposal about agents outside the review scope of both. */
  const foreign = () => {
    count += 1;
    const seenBy = [{ agent: 'seller', owner: null, executions: 1, failures: 1 }];
    return submitTestProposal(app, `All of sales are away ${count}`, {}, {}, { seenBy });
  };
  const approved = async (proposal: { id: string; artifactSha256: string }): Promise<void> => {
    await override(petra, proposal);
    await override(paul, proposal);
  };
  const override = (
    by: Pick<Person, 'client'>,
    proposal: { id: string; artifactSha256: string },
    reason = 'all away',
  ) => by.client.proposals.override(proposal.id, { artifactSha256: proposal.artifactSha256, reason });
  const journalOf = async (id: string) =>
    (await app.admin.journal.list({ subject: id, limit: 100 })).items.map(({ action, actor, data }) => ({
      action,
      by: actor.name,
      data,
    }));

  it('that replaces a skill logs the event', async () => {
    const first = await foreign();
    await approved(first);
    const live = await app.database.client.memory.findFirstOrThrow({ where: { proposalId: first.id } });
    const seenBy = [{ agent: 'seller', owner: null, executions: 1, failures: 1 }];
    const replacing = { kind: 'supersede' as const, supersedesId: live.id };
    const next = await submitTestProposal(app, 'All of sales are away, but better', replacing, {}, { seenBy });
    const logged = jest.spyOn(Logger.prototype, 'log');
    await approved(next);
    expect(logged.mock.calls).toContainEqual([{ event: 'ORG_SKILL_SUPERSEDED', memory: live.id, approval: next.id }]);
    logged.mockRestore();
  });

  it('takes two reviewers, each with a reason, and has its own journal action', async () => {
    const proposal = await foreign();
    const webhook = await app.admin.webhooks.add({ url: 'https://chat.example.org/', events: ['proposal.approved'] });
    const first = await override(petra, proposal, 'sales is on holiday');
    expect(first).toMatchObject({
      state: 'pending',
      message: expect.stringMatching(/^Another reviewer has to override/),
    });
    expect(await override(paul, proposal, 'read it, and agree')).toMatchObject({ state: 'approved', message: null });
    await app.settled();
    expect((await app.admin.skills.show(proposal.skillName)).publication?.state).toBe('published');
    expect((await journalOf(proposal.id)).filter(({ action }) => action !== 'skill.published')).toMatchObject([
      { action: 'SKILL_EVOLVER_PROPOSAL_EMITTED' },
      {
        action: 'proposal.override_requested',
        by: 'Petra',
        data: { overrides: ['review_scope'], reason: 'sales is on holiday' },
      },
      {
        action: 'proposal.overridden',
        by: 'Paul',
        data: { reason: 'read it, and agree', first: { by: petra.id, reason: 'sales is on holiday' } },
      },
    ]);
    expect((await app.admin.proposals.show(proposal.id)).decisions).toMatchObject([
      { by: 'Petra', verdict: 'override', reason: 'sales is on holiday' },
      { by: 'Paul', verdict: 'override', reason: 'read it, and agree' },
    ]);
    const deliveries = await app.database.client.webhookDelivery.findMany({ where: { endpointId: webhook.id } });
    expect(deliveries.map(({ body }) => JSON.parse(body))).toMatchObject([
      { data: { id: proposal.id, override: true } },
    ]);
    await app.admin.webhooks.remove(webhook.id);
  });

  it('cannot be given twice by one person with different tokens, and the attempt is journalled', async () => {
    const proposal = await foreign();
    await override(petra, proposal);
    const { token } = await app.admin.people.invite(petra.id);
    const again = { client: app.client((await app.client().signIn(token)).token) };
    await expect(override(again, proposal)).rejects.toMatchObject(refused(409, 'proposal.override_already_given'));
    expect(await journalOf(proposal.id)).toContainEqual(
      expect.objectContaining({
        action: 'proposal.refused',
        data: expect.objectContaining({ code: 'proposal.override_already_given' }),
      }),
    );
    expect((await app.admin.proposals.show(proposal.id)).state).toBe('pending');
    petra = { ...petra, ...again };
  });

  it('expires after an hour: the next approval is then a first one', async () => {
    const invite = (name: string) =>
      app.admin.people.add({
        name,
        email: `${name.toLowerCase()}@example.org`,
        reviewer: true,
        admin: false,
        reviewScope: [{ department: 'platform' }],
      });
    const invitations = [await invite('Lena'), await invite('Luis')];
    const proposal = await foreign();
    await override(petra, proposal);
    app.clock.advance(HOUR_MS);
    const [lena, luis] = await Promise.all(
      invitations.map(async ({ token }) => ({ client: app.client((await app.client().signIn(token)).token) })),
    );
    if (!lena || !luis) throw new Error('a person did not sign in');
    expect(await override(lena, proposal)).toMatchObject({ state: 'pending' });
    expect(await override(luis, proposal)).toMatchObject({ state: 'approved' });
  });
});

describe('an override is refused', () => {
  let app: TestApplication;
  let rosa: Person;
  let sven: Person;

  beforeAll(async () => {
    app = await startTestApplication({ GUILDBOOK_APPROVAL_QUORUM_HIGH_RISK: '4' });
    rosa = await app.person('Rosa', { reviewer: true });
    sven = await app.person('Sven', { reviewer: true });
  });
  afterAll(() => app.close());

  const override = (by: Person, proposal: { id: string; artifactSha256: string }) =>
    by.client.proposals.override(proposal.id, { artifactSha256: proposal.artifactSha256, reason: 'cannot wait' });
  const risky = (title: string) => {
    const share = { worked: 2, n: 2, rate: 1, low: 0.3, high: 1 };
    const alternatives = [{ ...share, action: 'long', agents: 2, lift: 0.8 }];
    return submitTestProposal(app, title, {}, { steps: ['Delete the branch.', 'Push it.'] }, { alternatives });
  };

  it('if an ordinary vote suffices', async () => {
    const proposal = await submitTestProposal(app, 'Nothing is in the way');
    await expect(override(rosa, proposal)).rejects.toMatchObject(refused(409, 'proposal.override_not_needed'));
  });

  it('for other bytes than the current ones, and for an approval of an earlier revision', async () => {
    const proposal = await risky('Edited between the halves');
    expect(proposal.votes.needed).toBe(4);
    await override(rosa, proposal);
    const skill = { ...proposal.proposedSkill, title: 'Edited between them' };
    await app.admin.proposals.edit(proposal.id, { artifactSha256: proposal.artifactSha256, proposedSkill: skill });
    await expect(override(sven, proposal)).rejects.toMatchObject(refused(409, 'proposal.artifact_changed'));
    const edited = await app.admin.proposals.show(proposal.id);
    expect(await override(sven, edited)).toMatchObject({ state: 'pending' });
    expect(await override(rosa, edited)).toMatchObject({ state: 'approved' });
  });

  it('without a reason, for a decided proposal, and by a caller who is no reviewer', async () => {
    const proposal = await risky('Say why');
    const { artifactSha256 } = proposal;
    await expect(rosa.client.proposals.override(proposal.id, { artifactSha256, reason: ' ' })).rejects.toMatchObject(
      refused(400, 'request.invalid'),
    );
    const agent = await app.agent('obedient');
    const request = { artifactSha256, reason: 'as asked' };
    await expect(agent.client.proposals.override(proposal.id, request)).rejects.toMatchObject(
      refused(403, 'access.not_a_person'),
    );
    await rosa.client.proposals.reject(proposal.id, 'no need');
    await expect(override(sven, proposal)).rejects.toMatchObject(refused(409, 'proposal.already_decided'));
  });

  it('if the first person has lost the role since', async () => {
    const proposal = await risky('Gone since');
    const tara = await app.person('Tara', { reviewer: true });
    await override(tara, proposal);
    await app.admin.people.change(tara.id, { reviewer: false });
    expect(await override(sven, proposal)).toMatchObject({ state: 'pending' });
  });

  it('for one of two simultaneous second approvals, and the other one approves once', async () => {
    const proposal = await risky('Two at once');
    const [tom, una] = [await app.person('Tom', { reviewer: true }), await app.person('Una', { reviewer: true })];
    await override(rosa, proposal);
    const answers = await Promise.allSettled([override(tom, proposal), override(una, proposal)]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await app.database.client.publication.count({ where: { proposalId: proposal.id } })).toBe(1);
  });
});
