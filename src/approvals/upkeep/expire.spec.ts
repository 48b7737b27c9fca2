import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { itemOf, journalOf, reviewerOf } from '../../../test/support/deciding.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { submissionOf } from '../../../test/support/submission.js';
import { job, type ReviewerActor } from '../../journal/actor.js';
import { DAY_MS } from '../../platform/base/durations.js';
import { SubmitProposal } from '../submissions/submit.js';
import { ExpireProposals } from './expire.js';

const ACTOR = job('test');

describe('expiring proposals', () => {
  let app: TestApplication;
  let rosa: ReviewerActor;

  beforeAll(async () => {
    app = await startTestApplication({ GUILDBOOK_APPROVAL_EXPIRY_DAYS: '3' });
    rosa = await reviewerOf(app, 'Rosa Reviewer');
  });
  afterAll(() => app.close());

  const verb = () => app.app.get(ExpireProposals);
  const submit = async (title: string) => (await app.app.get(SubmitProposal).submit(ACTOR, submissionOf(title))).id;
  const overdue = async (title: string): Promise<string> => {
    const id = await submit(title);
    app.clock.advance(3 * DAY_MS);
    return id;
  };

  it('ends what waited too long, and nothing else', async () => {
    const late = await overdue('Too late');
    const inTime = await submit('In time');
    expect(await verb().expire(ACTOR)).toBe(1);
    expect(await itemOf(app, late)).toMatchObject({ state: 'expired', decidedAt: expect.any(Date) });
    expect(await itemOf(app, inTime)).toMatchObject({ state: 'pending', decidedAt: null });
  });

  it('journals it as the job’s, or does nothing', async () => {
    const id = await overdue('Journal this');
    await whileJournalIsBroken(app, async () => {
      await expect(verb().expire(ACTOR)).rejects.toThrow();
    });
    expect(await itemOf(app, id)).toMatchObject({ state: 'pending' });
    await verb().expire(ACTOR);
    expect((await journalOf(app, id)).at(-1)).toMatchObject({
      ...{ action: 'approval.expired', kind: 'job', by: ACTOR.id, data: { expiresAt: expect.any(String) } },
    });
  });

  it('refuses a person: time decides, and nobody says when', async () => {
    const id = await overdue('Refuse this');
    // @ts-expect-error a reviewer expires nothing
    await expect(verb().expire(rosa)).rejects.toThrow('not as "reviewer"');
    expect(await itemOf(app, id)).toMatchObject({ state: 'pending' });
  });

  it('finds nothing the second time', async () => {
    const id = await overdue('Expire this once');
    await verb().expire(ACTOR);
    expect(await verb().expire(ACTOR)).toBe(0);
    expect((await journalOf(app, id)).filter(({ action }) => action === 'approval.expired')).toHaveLength(1);
  });
});
