import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { journalOf, liveSkillOf, reviewerOf, storedProposal } from '../../../test/support/reviewers.js';
import { jobActor, type ReviewerActor } from '../../journal/actor.js';
import { RetireSkill } from '../decisions/retire.js';
import { RequestRetirement } from './request-retirement.js';
import { WithdrawStaleRequests } from './withdraw-requests.js';

const ACTOR = jobActor('test');

describe('withdrawing requests for retired skills', () => {
  let app: TestApplication;
  let rosa: ReviewerActor;

  beforeAll(async () => {
    app = await startTestApplication();
    rosa = await reviewerOf(app, 'Rosa Reviewer');
  });
  afterAll(() => app.close());

  const verb = () => app.app.get(WithdrawStaleRequests);
  const request = async (title: string) => {
    const { entry, approved } = await liveSkillOf(app, rosa, title);
    await app.app.get(RequestRetirement).request(ACTOR, entry, {
      reason: 'dependency-changed',
      says: 'Learned on one-model, used on another.',
      was: ['one-model'],
      is: [{ model: 'another', executions: 9, agents: 3 }],
      executions: 10,
      onOthers: 9,
    });
    const { id } = await app.database.client.proposal.findFirstOrThrow({
      where: { supersedesId: entry.id, kind: 'retire', state: 'pending' },
    });
    return { id, approved };
  };
  /** A request for a skill that a person retired before deciding on it. */
  const stale = async (title: string): Promise<string> => {
    const { id, approved } = await request(title);
    await app.app.get(RetireSkill).retire(rosa, approved.id, 'no longer true');
    return id;
  };

  it('withdraws those, but no request for a live skill', async () => {
    const gone = await stale('Gone by now');
    const { id: asked } = await request('Live still');
    expect(await verb().withdrawStale(ACTOR)).toBe(1);
    expect(await storedProposal(app, gone)).toMatchObject({ state: 'withdrawn' });
    expect(await storedProposal(app, asked)).toMatchObject({ state: 'pending' });
  });

  it('journals it with the job as the actor, or changes nothing', async () => {
    const id = await stale('Journal this');
    await app.settled();
    await whileJournalIsBroken(app, async () => {
      await expect(verb().withdrawStale(ACTOR)).rejects.toThrow();
    });
    expect(await storedProposal(app, id)).toMatchObject({ state: 'pending' });
    await verb().withdrawStale(ACTOR);
    expect((await journalOf(app, id)).at(-1)).toMatchObject({
      action: 'proposal.withdrawn',
      kind: 'job',
      by: ACTOR.id,
      data: { why: 'the skill was replaced or retired' },
    });
  });

  it('refuses a person', async () => {
    const id = await stale('Refuse this');
    // @ts-expect-error a reviewer withdraws no request
    await expect(verb().withdrawStale(rosa)).rejects.toThrow('not "reviewer"');
    expect(await storedProposal(app, id)).toMatchObject({ state: 'pending' });
  });

  it('finds nothing the second time', async () => {
    const id = await stale('Withdraw this once');
    await verb().withdrawStale(ACTOR);
    expect(await verb().withdrawStale(ACTOR)).toBe(0);
    expect((await journalOf(app, id)).filter(({ action }) => action === 'proposal.withdrawn')).toHaveLength(1);
  });
});
