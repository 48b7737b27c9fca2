import { afterEach, describe, expect, it } from '@jest/globals';
import { ProposalExpiryJob } from '../../src/approvals/upkeep/proposal-expiry.job.js';
import { DAY_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { onlyPending, proposedByFleet, reportPythonFleet } from '../support/fleet.js';

describe('a proposal over time', () => {
  let app: TestApplication;

  afterEach(() => app.close());

  const stateOf = async (id: string) => (await app.admin.proposals.show(id)).state;
  const orgMemory = () => app.database.client.memory.count({ where: { scope: 'org' } });

  it('changes with new evidence, which is no part of its bytes: the hash that a reviewer read stays', async () => {
    app = await startTestApplication();
    const read = await proposedByFleet(app, ['ada', 'ben', 'cleo']);
    await reportPythonFleet(app, ['dora', 'emil']);
    const { report } = await app.admin.evolver.run(false);
    expect(report?.proposals).toEqual([expect.objectContaining({ outcome: 'refreshed', proposalId: read.id })]);
    const now = await onlyPending(app);
    expect(now).toMatchObject({ id: read.id, revision: 2, evidence: { agents: 5 } });
    expect(now.artifactSha256).toBe(read.artifactSha256);
    await expect(app.admin.proposals.approve(read.id, '0'.repeat(64))).rejects.toMatchObject({
      problem: { status: 409, code: 'proposal.artifact_changed', detail: expect.stringContaining('revision 2') },
    });
    expect(await orgMemory()).toBe(0);
    expect(await stateOf(read.id)).toBe('pending');
    await app.admin.proposals.approve(now.id, now.artifactSha256);
    expect(await app.admin.skills.show(now.skillName)).toMatchObject({ artifactSha256: now.artifactSha256 });
  });

  it('keeps its revision when a cycle finds nothing new', async () => {
    app = await startTestApplication();
    const read = await proposedByFleet(app, ['ada', 'ben', 'cleo']);
    const { report } = await app.admin.evolver.run(false);
    expect(report?.proposals).toEqual([expect.objectContaining({ outcome: 'unchanged', proposalId: read.id })]);
    expect(await onlyPending(app)).toEqual(read);
  });

  it('is proposed again after a rejection only if materially more agents meet the failure', async () => {
    app = await startTestApplication();
    const first = await proposedByFleet(app, ['ada', 'ben', 'cleo']);
    const reason = 'We still support machines that have python only.';
    expect(await app.admin.proposals.reject(first.id, reason)).toMatchObject({ state: 'rejected' });
    await app.settled();
    await reportPythonFleet(app, ['dora', 'emil']);
    const { report } = await app.admin.evolver.run(false);
    expect(report).toMatchObject({ rememberedRejections: 1, emitted: 0 });
    expect((await app.admin.proposals.list()).total).toBe(0);

    const again = await proposedByFleet(app, ['finn']);
    expect(again.id).not.toBe(first.id);
    expect(again.earlierRejections).toEqual([{ reason, decidedAt: expect.any(String) }]);
    expect((await app.admin.proposals.show(first.id)).decisions).toEqual([
      expect.objectContaining({ verdict: 'rejected', reason, artifactSha256: first.artifactSha256 }),
    ]);
    expect(await orgMemory()).toBe(0);
    expect((await app.admin.skills.list()).items).toEqual([]);
    expect((await app.admin.journal.list({ action: 'proposal.rejected' })).items).toEqual([
      expect.objectContaining({ actor: expect.objectContaining({ kind: 'reviewer' }) }),
    ]);
  });

  it('cannot be decided on after its expiry, is expired by the job and not by reading, and can be reopened', async () => {
    app = await startTestApplication({ GUILDBOOK_PROPOSAL_EXPIRY_DAYS: '3' });
    const proposal = await proposedByFleet(app, ['ada', 'ben', 'cleo']);
    const invited = await app.admin.people.add({ name: 'R', email: 'r@example.org', reviewer: true, admin: true });
    const { signInToken = '' } = await app.client().signIn(invited.token);
    expect(Date.parse(proposal.expiresAt) - Date.parse(proposal.createdAt)).toBe(3 * DAY_MS);
    app.clock.advance(3 * DAY_MS);

    const reviewer = app.client((await app.client().signIn(signInToken)).token);
    const expired = { problem: { status: 409, code: 'proposal.expired' } };
    await expect(reviewer.proposals.approve(proposal.id, proposal.artifactSha256)).rejects.toMatchObject(expired);
    await expect(reviewer.proposals.reject(proposal.id, 'too late')).rejects.toMatchObject(expired);
    expect(await orgMemory()).toBe(0);
    expect((await reviewer.proposals.show(proposal.id)).state).toBe('pending');

    await app.app.get(ProposalExpiryJob).sweep();
    const swept = await reviewer.proposals.show(proposal.id);
    expect(swept).toMatchObject({ state: 'expired', decisions: [] });
    expect(swept.history.map(({ action, actor }) => [action, actor.kind])).toContainEqual(['proposal.expired', 'job']);
    await expect(reviewer.proposals.approve(proposal.id, proposal.artifactSha256)).rejects.toMatchObject({
      problem: { status: 409, code: 'proposal.already_decided' },
    });

    await reviewer.evolver.run(false);
    const { items } = await reviewer.proposals.list();
    expect(items).toEqual([expect.objectContaining({ state: 'pending', skillName: proposal.skillName })]);
    expect(items[0]?.id).not.toBe(proposal.id);
  });

  it('is not changed by the job before its expiry', async () => {
    app = await startTestApplication();
    const proposal = await proposedByFleet(app, ['ada', 'ben', 'cleo']);
    await app.app.get(ProposalExpiryJob).sweep();
    expect(await stateOf(proposal.id)).toBe('pending');
  });
});
