import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { impostorOf, itemOf, journalOf, reviewerElsewhere, reviewerOf } from '../../../test/support/deciding.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { submitted } from '../../../test/support/submission.js';
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
  const written = async (approvalId: string) => [
    await app.database.client.memory.count({ where: { approvalId } }),
    await app.database.client.publication.count({ where: { approvalId } }),
  ];

  it('writes exactly the bytes that the reviewer read into org memory and the outbox', async () => {
    const { id, artifact, artifactSha256 } = await submitted(app, 'Approve this');
    const voted = await approve(rosa, { id, artifactSha256 });
    expect(voted).toMatchObject({ id, state: 'approved', artifactSha256, votes: { given: 1, needed: 1 }, says: null });
    expect(await app.database.client.memory.findFirst({ where: { approvalId: id } })).toMatchObject({
      ...{ scope: 'org', contentSha256: artifactSha256, supersededAt: null },
    });
    expect(await app.database.client.publication.findFirst({ where: { approvalId: id } })).toMatchObject({
      ...{ kind: 'publish', artifact, artifactSha256, authorName: 'Rosa Reviewer' },
    });
    await app.settled();
    expect((await app.admin.skills.show(voted.skillName)).publication?.state).toBe('published');
  });

  it('journals it as the reviewer’s, or does nothing', async () => {
    const item = await submitted(app, 'Journal this');
    await app.settled();
    await whileJournalIsBroken(app, async () => {
      await expect(approve(rosa, item)).rejects.toThrow();
    });
    expect(await itemOf(app, item.id)).toMatchObject({ state: 'pending' });
    expect(await written(item.id)).toEqual([0, 0]);
    await approve(rosa, item);
    expect((await journalOf(app, item.id)).at(-1)).toMatchObject({
      ...{ action: 'approval.approved', kind: 'reviewer', by: rosa.id },
      data: { artifactSha256: item.artifactSha256, revision: 1, votes: 1 },
    });
  });

  it('refuses a reviewer who decides for other agents, and an agent in the clothes of a reviewer', async () => {
    const item = await submitted(app, 'Refuse these');
    await expect(approve(await reviewerElsewhere(app), item)).rejects.toMatchObject({ code: 'approval.outside_remit' });
    await expect(approve(await impostorOf(app), item)).rejects.toThrow();
    expect(await itemOf(app, item.id)).toMatchObject({ state: 'pending' });
    expect(await written(item.id)).toEqual([0, 0]);
  });

  it('refuses the second time, also of two at once', async () => {
    const ruth = await reviewerOf(app, 'Ruth Reviewer');
    const item = await submitted(app, 'Approve this once');
    const outcomes = await Promise.allSettled([approve(rosa, item), approve(ruth, item)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(approve(rosa, item)).rejects.toMatchObject({ code: 'approval.already_decided' });
    expect(await written(item.id)).toEqual([1, 1]);
  });
});
