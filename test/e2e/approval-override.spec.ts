import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { HOUR_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { submitted } from '../support/submission.js';

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
    for (const { id } of [petra, paul]) await app.admin.people.change(id, { remit: [{ department: 'platform' }] });
  });
  afterAll(() => app.close());

  /** About agents that neither of the two decides for. */
  const foreign = () => {
    count += 1;
    const seenBy = [{ agent: 'seller', owner: null, executions: 1, failures: 1 }];
    return submitted(app, `Nobody of sales is here ${count}`, {}, {}, { seenBy });
  };
  const approved = async (item: { id: string; artifactSha256: string }): Promise<void> => {
    await override(petra, item);
    await override(paul, item);
  };
  const override = (by: Pick<Person, 'client'>, item: { id: string; artifactSha256: string }, reason = 'all away') =>
    by.client.approvals.override(item.id, { artifactSha256: item.artifactSha256, reason });
  const journalOf = async (id: string) =>
    (await app.admin.journal.list({ subject: id, limit: 100 })).items.map(({ action, actor, data }) => ({
      action,
      by: actor.name,
      data,
    }));

  it('that replaces a skill says so in the log, by the event’s name', async () => {
    const first = await foreign();
    await approved(first);
    const live = await app.database.client.memory.findFirstOrThrow({ where: { approvalId: first.id } });
    const seenBy = [{ agent: 'seller', owner: null, executions: 1, failures: 1 }];
    const replacing = { kind: 'supersede' as const, supersedesId: live.id };
    const next = await submitted(app, 'Nobody of sales is here, but better', replacing, {}, { seenBy });
    const logged = jest.spyOn(Logger.prototype, 'log');
    await approved(next);
    expect(logged.mock.calls).toContainEqual([{ event: 'ORG_SKILL_SUPERSEDED', memory: live.id, approval: next.id }]);
    logged.mockRestore();
  });

  it('is given by two people, each with a reason, and is an act of its own in the journal', async () => {
    const item = await foreign();
    const webhook = await app.admin.webhooks.add({ url: 'https://chat.example.org/', events: ['approval.approved'] });
    const first = await override(petra, item, 'sales is on holiday');
    expect(first).toMatchObject({ state: 'pending', says: expect.stringMatching(/^Another reviewer has to override/) });
    expect(await override(paul, item, 'read it, and agree')).toMatchObject({ state: 'approved', says: null });
    await app.settled();
    expect((await app.admin.skills.show(item.skillName)).publication?.state).toBe('published');
    expect((await journalOf(item.id)).filter(({ action }) => action !== 'skill.published')).toMatchObject([
      { action: 'SKILL_EVOLVER_PROPOSAL_EMITTED' },
      { action: 'approval.override_asked', by: 'Petra', data: { overrides: ['remit'], reason: 'sales is on holiday' } },
      {
        action: 'approval.overridden',
        by: 'Paul',
        data: { reason: 'read it, and agree', first: { by: petra.id, reason: 'sales is on holiday' } },
      },
    ]);
    expect((await app.admin.approvals.show(item.id)).decisions).toMatchObject([
      { by: 'Petra', verdict: 'override', reason: 'sales is on holiday' },
      { by: 'Paul', verdict: 'override', reason: 'read it, and agree' },
    ]);
    const told = await app.database.client.webhookDelivery.findMany({ where: { endpointId: webhook.id } });
    expect(told.map(({ body }) => JSON.parse(body))).toMatchObject([{ data: { id: item.id, override: true } }]);
    await app.admin.webhooks.remove(webhook.id);
  });

  it('is not given by one person twice, whatever token they hold, and the attempt is in the journal', async () => {
    const item = await foreign();
    await override(petra, item);
    const { token } = await app.admin.people.invite(petra.id);
    const again = { client: app.client((await app.client().signIn(token)).token) };
    await expect(override(again, item)).rejects.toMatchObject(refused(409, 'approval.override_asked_already'));
    expect(await journalOf(item.id)).toContainEqual(
      expect.objectContaining({
        action: 'approval.refused',
        data: expect.objectContaining({ code: 'approval.override_asked_already' }),
      }),
    );
    expect((await app.admin.approvals.show(item.id)).state).toBe('pending');
    petra = { ...petra, ...again };
  });

  it('lapses after an hour: the other half is then a first one', async () => {
    const invite = (name: string) =>
      app.admin.people.add({
        ...{ name, email: `${name.toLowerCase()}@example.org`, reviewer: true, admin: false },
        remit: [{ department: 'platform' }],
      });
    const invitations = [await invite('Lena'), await invite('Luis')];
    const item = await foreign();
    await override(petra, item);
    app.clock.advance(HOUR_MS);
    const [lena, luis] = await Promise.all(
      invitations.map(async ({ token }) => ({ client: app.client((await app.client().signIn(token)).token) })),
    );
    if (!lena || !luis) throw new Error('somebody did not sign in');
    expect(await override(lena, item)).toMatchObject({ state: 'pending' });
    expect(await override(luis, item)).toMatchObject({ state: 'approved' });
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

  const override = (by: Person, item: { id: string; artifactSha256: string }) =>
    by.client.approvals.override(item.id, { artifactSha256: item.artifactSha256, reason: 'cannot wait' });
  const risky = (title: string) => {
    const share = { worked: 2, n: 2, rate: 1, low: 0.3, high: 1 };
    const alternatives = [{ ...share, action: 'long', agents: 2, lift: 0.8 }];
    return submitted(app, title, {}, { steps: ['Delete the branch.', 'Push it.'] }, { alternatives });
  };

  it('where a vote would do', async () => {
    const item = await submitted(app, 'Nothing is in the way');
    await expect(override(rosa, item)).rejects.toMatchObject(refused(409, 'approval.override_not_needed'));
  });

  it('for other bytes than the item holds, and for a half that was given on an earlier revision', async () => {
    const item = await risky('Edited between the halves');
    expect(item.votes.needed).toBe(4);
    await override(rosa, item);
    const proposal = { ...item.proposal, title: 'Edited between them' };
    await app.admin.approvals.edit(item.id, { artifactSha256: item.artifactSha256, proposal });
    await expect(override(sven, item)).rejects.toMatchObject(refused(409, 'approval.artifact_changed'));
    const edited = await app.admin.approvals.show(item.id);
    expect(await override(sven, edited)).toMatchObject({ state: 'pending' });
    expect(await override(rosa, edited)).toMatchObject({ state: 'approved' });
  });

  it('with nothing for a reason, of an item that was decided, and of whoever decides nothing', async () => {
    const item = await risky('Say why');
    const { artifactSha256 } = item;
    await expect(rosa.client.approvals.override(item.id, { artifactSha256, reason: ' ' })).rejects.toMatchObject(
      refused(400, 'request.invalid'),
    );
    const agent = await app.agent('obedient');
    const half = { artifactSha256, reason: 'told to' };
    await expect(agent.client.approvals.override(item.id, half)).rejects.toMatchObject(
      refused(403, 'access.not_a_person'),
    );
    await rosa.client.approvals.reject(item.id, 'no need');
    await expect(override(sven, item)).rejects.toMatchObject(refused(409, 'approval.already_decided'));
  });

  it('with one half whose person lost the role since', async () => {
    const item = await risky('Gone since');
    const tara = await app.person('Tara', { reviewer: true });
    await override(tara, item);
    await app.admin.people.change(tara.id, { reviewer: false });
    expect(await override(sven, item)).toMatchObject({ state: 'pending' });
  });

  it('by nobody when two give the other half at once: one of them approves, once', async () => {
    const item = await risky('Two at once');
    const [tom, una] = [await app.person('Tom', { reviewer: true }), await app.person('Una', { reviewer: true })];
    await override(rosa, item);
    const answers = await Promise.allSettled([override(tom, item), override(una, item)]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await app.database.client.publication.count({ where: { approvalId: item.id } })).toBe(1);
  });
});
