import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { submitTestProposal } from '../../../test/support/proposal-input.js';
import { journalOf, reviewerOf, storedProposal } from '../../../test/support/reviewers.js';
import { jobActor } from '../../journal/actor.js';
import { WithdrawProposal } from './withdraw.js';

const ACTOR = jobActor('test');

describe('withdrawing a proposal', () => {
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  const verb = () => app.app.get(WithdrawProposal);
  const withdraw = (id: string) => verb().withdraw(ACTOR, id, 'another one says it as well');

  it('withdraws it undecided, unless a person edited it', async () => {
    const { id } = await submitTestProposal(app, 'Withdraw this');
    expect(await withdraw(id)).toBe(true);
    expect(await storedProposal(app, id)).toMatchObject({ state: 'withdrawn' });

    const { id: edited, artifactSha256, proposedSkill } = await submitTestProposal(app, 'Leave this');
    await app.admin.proposals.edit(edited, {
      artifactSha256,
      proposedSkill: { ...proposedSkill, action: 'Write it out.' },
    });
    expect(await withdraw(edited)).toBe(false);
    expect(await storedProposal(app, edited)).toMatchObject({ state: 'pending' });
  });

  it('journals it with the job as the actor, or changes nothing', async () => {
    const { id } = await submitTestProposal(app, 'Journal this');
    await whileJournalIsBroken(app, async () => {
      await expect(withdraw(id)).rejects.toThrow();
    });
    expect(await storedProposal(app, id)).toMatchObject({ state: 'pending' });
    await withdraw(id);
    expect((await journalOf(app, id)).at(-1)).toMatchObject({
      action: 'proposal.withdrawn',
      kind: 'job',
      by: ACTOR.id,
      data: { reason: 'another one says it as well' },
    });
  });

  it('refuses a person, who rejects with a reason instead', async () => {
    const { id } = await submitTestProposal(app, 'Refuse this');
    const rosa = await reviewerOf(app, 'Rosa Reviewer');
    // @ts-expect-error a reviewer withdraws nothing
    await expect(verb().withdraw(rosa, id, 'no')).rejects.toThrow('not "reviewer"');
    expect(await storedProposal(app, id)).toMatchObject({ state: 'pending' });
  });

  it('does nothing the second time', async () => {
    const { id } = await submitTestProposal(app, 'Withdraw this once');
    expect([await withdraw(id), await withdraw(id)]).toEqual([true, false]);
    expect((await journalOf(app, id)).filter(({ action }) => action === 'proposal.withdrawn')).toHaveLength(1);
  });
});
