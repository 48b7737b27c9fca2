import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { submitTestProposal } from '../../../test/support/proposal-input.js';
import {
  impostorOf,
  journalOf,
  reviewerOf,
  reviewerOutOfScope,
  storedProposal,
} from '../../../test/support/reviewers.js';
import type { ReviewerActor } from '../../journal/actor.js';
import { ApproveProposal } from './approve.js';

describe('approving a proposal', () => {
  let app: TestApplication;
  let rosa: ReviewerActor;

  beforeAll(async () => {
    app = await startTestApplication();
    rosa = await reviewerOf(app, 'Rosa Reviewer');
  });
  afterAll(() => app.close());

  const approve = (by: ReviewerActor, { id, artifactSha256 }: { id: string; artifactSha256: string }) =>
    app.app.get(ApproveProposal).approve(by, id, artifactSha256);
  const written = async (proposalId: string) => [
    await app.database.client.memory.count({ where: { proposalId } }),
    await app.database.client.publication.count({ where: { proposalId } }),
  ];

  it('writes exactly the bytes that the reviewer read into org memory and the outbox', async () => {
    const { id, artifact, artifactSha256 } = await submitTestProposal(app, 'Approve this');
    const voted = await approve(rosa, { id, artifactSha256 });
    expect(voted).toMatchObject({
      id,
      state: 'approved',
      artifactSha256,
      votes: { given: 1, needed: 1 },
      message: null,
    });
    expect(await app.database.client.memory.findFirst({ where: { proposalId: id } })).toMatchObject({
      scope: 'org',
      contentSha256: artifactSha256,
      supersededAt: null,
    });
    expect(await app.database.client.publication.findFirst({ where: { proposalId: id } })).toMatchObject({
      kind: 'publish',
      artifact,
      artifactSha256,
      authorName: 'Rosa Reviewer',
    });
    await app.settled();
    expect((await app.admin.skills.show(voted.skillName)).publication?.state).toBe('published');
  });

  it('journals it with the reviewer as the actor, or changes nothing', async () => {
    const proposal = await submitTestProposal(app, 'Journal this');
    await app.settled();
    await whileJournalIsBroken(app, async () => {
      await expect(approve(rosa, proposal)).rejects.toThrow();
    });
    expect(await storedProposal(app, proposal.id)).toMatchObject({ state: 'pending' });
    expect(await written(proposal.id)).toEqual([0, 0]);
    await approve(rosa, proposal);
    expect((await journalOf(app, proposal.id)).at(-1)).toMatchObject({
      action: 'proposal.approved',
      kind: 'reviewer',
      by: rosa.id,
      data: { artifactSha256: proposal.artifactSha256, revision: 1, votes: 1 },
    });
  });

  it('refuses a reviewer with another review scope, and an agent posing as a reviewer', async () => {
    const proposal = await submitTestProposal(app, 'Refuse these');
    await expect(approve(await reviewerOutOfScope(app), proposal)).rejects.toMatchObject({
      code: 'proposal.outside_review_scope',
    });
    await expect(approve(await impostorOf(app), proposal)).rejects.toThrow();
    expect(await storedProposal(app, proposal.id)).toMatchObject({ state: 'pending' });
    expect(await written(proposal.id)).toEqual([0, 0]);
  });

  it('refuses the second approval, also of two simultaneous ones', async () => {
    const ruth = await reviewerOf(app, 'Ruth Reviewer');
    const proposal = await submitTestProposal(app, 'Approve this once');
    const outcomes = await Promise.allSettled([approve(rosa, proposal), approve(ruth, proposal)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(approve(rosa, proposal)).rejects.toMatchObject({ code: 'proposal.already_decided' });
    expect(await written(proposal.id)).toEqual([1, 1]);
  });
});
