import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { submitTestProposal } from '../../../test/support/proposal-input.js';
import { journalOf, reviewerOf, reviewerOutOfScope } from '../../../test/support/reviewers.js';
import type { ReviewerActor } from '../../journal/actor.js';
import { RejectProposal } from './reject.js';
import { ReopenProposal } from './reopen.js';

describe('reopening a proposal', () => {
  let app: TestApplication;
  let rosa: ReviewerActor;

  beforeAll(async () => {
    app = await startTestApplication();
    rosa = await reviewerOf(app, 'Rosa Reviewer');
  });
  afterAll(() => app.close());

  const rejected = async (title: string): Promise<string> => {
    const { id } = await submitTestProposal(app, title);
    await app.app.get(RejectProposal).reject(rosa, id, 'not now');
    return id;
  };
  const reopen = (by: ReviewerActor, id: string) => app.app.get(ReopenProposal).reopen(by, id, 'now it is time');
  const askedAgain = (reopenedFromId: string) => app.database.client.proposal.count({ where: { reopenedFromId } });

  it('opens a new proposal with the same content', async () => {
    const id = await rejected('Reopen this');
    const again = await reopen(rosa, id);
    expect(again).toMatchObject({ state: 'pending', revision: 1, title: 'Reopen this' });
    expect(again.id).not.toBe(id);
    expect((await app.admin.proposals.show(again.id)).reopenedFrom).toBe(id);
    expect((await app.admin.proposals.show(id)).state).toBe('rejected');
  });

  it('journals it with the reviewer as the actor, or changes nothing', async () => {
    const id = await rejected('Journal this');
    await whileJournalIsBroken(app, async () => {
      await expect(reopen(rosa, id)).rejects.toThrow();
    });
    expect(await askedAgain(id)).toBe(0);
    const again = await reopen(rosa, id);
    expect(await journalOf(app, again.id)).toMatchObject([
      {
        action: 'proposal.reopened',
        kind: 'reviewer',
        by: rosa.id,
        data: { from: id, was: 'rejected', reason: 'now it is time' },
      },
    ]);
  });

  it('refuses a reviewer with another review scope', async () => {
    const id = await rejected('Refuse this one');
    await expect(reopen(await reviewerOutOfScope(app), id)).rejects.toMatchObject({
      code: 'proposal.outside_review_scope',
    });
    expect(await askedAgain(id)).toBe(0);
  });

  it('refuses to reopen it again while the first is pending', async () => {
    const id = await rejected('Reopen this once');
    await reopen(rosa, id);
    await expect(reopen(rosa, id)).rejects.toMatchObject({ code: 'proposal.already_pending' });
    expect(await askedAgain(id)).toBe(1);
  });
});
