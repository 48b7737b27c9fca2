import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { testProposalInput } from '../../../test/support/proposal-input.js';
import { journalOf, reviewerOf, storedProposal } from '../../../test/support/reviewers.js';
import { jobActor, type ReviewerActor } from '../../journal/actor.js';
import { DAY_MS } from '../../platform/base/durations.js';
import { SubmitProposal } from '../submissions/submit.js';
import { ExpireProposals } from './expire.js';

const ACTOR = jobActor('test');

describe('expiring proposals', () => {
  let app: TestApplication;
  let rosa: ReviewerActor;

  beforeAll(async () => {
    app = await startTestApplication({ GUILDBOOK_PROPOSAL_EXPIRY_DAYS: '3' });
    rosa = await reviewerOf(app, 'Rosa Reviewer');
  });
  afterAll(() => app.close());

  const verb = () => app.app.get(ExpireProposals);
  const submit = async (title: string) =>
    (await app.app.get(SubmitProposal).submit(ACTOR, testProposalInput(title))).id;
  const overdue = async (title: string): Promise<string> => {
    const id = await submit(title);
    app.clock.advance(3 * DAY_MS);
    return id;
  };

  it('expires overdue proposals only', async () => {
    const late = await overdue('Too late');
    const inTime = await submit('In time');
    expect(await verb().expire(ACTOR)).toBe(1);
    expect(await storedProposal(app, late)).toMatchObject({ state: 'expired', decidedAt: expect.any(Date) });
    expect(await storedProposal(app, inTime)).toMatchObject({ state: 'pending', decidedAt: null });
  });

  it('journals it with the job as the actor, or changes nothing', async () => {
    const id = await overdue('Journal this');
    await whileJournalIsBroken(app, async () => {
      await expect(verb().expire(ACTOR)).rejects.toThrow();
    });
    expect(await storedProposal(app, id)).toMatchObject({ state: 'pending' });
    await verb().expire(ACTOR);
    expect((await journalOf(app, id)).at(-1)).toMatchObject({
      action: 'proposal.expired',
      kind: 'job',
      by: ACTOR.id,
      data: { expiresAt: expect.any(String) },
    });
  });

  it('refuses a person: only the clock expires proposals', async () => {
    const id = await overdue('Refuse this');
    // @ts-expect-error a reviewer expires nothing
    await expect(verb().expire(rosa)).rejects.toThrow('not "reviewer"');
    expect(await storedProposal(app, id)).toMatchObject({ state: 'pending' });
  });

  it('finds nothing the second time', async () => {
    const id = await overdue('Expire this once');
    await verb().expire(ACTOR);
    expect(await verb().expire(ACTOR)).toBe(0);
    expect((await journalOf(app, id)).filter(({ action }) => action === 'proposal.expired')).toHaveLength(1);
  });
});
