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
import { RejectProposal } from './reject.js';

const SECRET = 'vq7ZT2xLMX4bVKC5rF9w';

describe('rejecting a proposal', () => {
  let app: TestApplication;
  let rosa: ReviewerActor;

  beforeAll(async () => {
    app = await startTestApplication();
    rosa = await reviewerOf(app, 'Rosa Reviewer');
  });
  afterAll(() => app.close());

  const reject = (by: ReviewerActor, { id }: { id: string }) =>
    app.app.get(RejectProposal).reject(by, id, `not for us: password=${SECRET}`);

  it('rejects the proposal and stores the redacted reason', async () => {
    const { id } = await submitTestProposal(app, 'Reject this');
    expect(await reject(rosa, { id })).toMatchObject({ id, state: 'rejected', decidedAt: expect.any(String) });
    const [decision] = await app.database.client.proposalDecision.findMany({ where: { proposalId: id } });
    expect(decision).toMatchObject({ verdict: 'rejected', principalId: rosa.id });
    expect(decision?.reason).toMatch(/^not for us/);
    expect(decision?.reason).not.toContain(SECRET);
  });

  it('journals it with the reviewer as the actor, or changes nothing', async () => {
    const { id } = await submitTestProposal(app, 'Journal this');
    await whileJournalIsBroken(app, async () => {
      await expect(reject(rosa, { id })).rejects.toThrow();
    });
    expect(await storedProposal(app, id)).toMatchObject({ state: 'pending' });
    expect(await app.database.client.proposalDecision.count({ where: { proposalId: id } })).toBe(0);
    await reject(rosa, { id });
    expect((await journalOf(app, id)).at(-1)).toMatchObject({
      action: 'proposal.rejected',
      kind: 'reviewer',
      by: rosa.id,
      data: { revision: 1, reason: expect.stringMatching(/^not for us/) },
    });
  });

  it('refuses a reviewer with another review scope, and an agent posing as a reviewer', async () => {
    const { id } = await submitTestProposal(app, 'Refuse these');
    await expect(reject(await reviewerOutOfScope(app), { id })).rejects.toMatchObject({
      code: 'proposal.outside_review_scope',
    });
    await expect(reject(await impostorOf(app), { id })).rejects.toThrow();
    expect(await storedProposal(app, id)).toMatchObject({ state: 'pending' });
  });

  it('refuses the second rejection', async () => {
    const { id } = await submitTestProposal(app, 'Reject this once');
    await reject(rosa, { id });
    await expect(reject(rosa, { id })).rejects.toMatchObject({ code: 'proposal.already_decided' });
    expect(await app.database.client.proposalDecision.count({ where: { proposalId: id } })).toBe(1);
  });
});
