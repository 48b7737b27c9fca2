import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { submitTestProposal } from '../../../test/support/proposal-input.js';
import { journalOf, liveSkillOf, reviewerOf, storedProposal } from '../../../test/support/reviewers.js';
import { jobActor, type ReviewerActor } from '../../journal/actor.js';
import { RetireSkill } from '../decisions/retire.js';
import { RebaseProposals } from './rebase.js';

const ACTOR = jobActor('test');

describe('rebasing proposals', () => {
  let app: TestApplication;
  let rosa: ReviewerActor;

  beforeAll(async () => {
    app = await startTestApplication();
    rosa = await reviewerOf(app, 'Rosa Reviewer');
  });
  afterAll(() => app.close());

  const verb = () => app.app.get(RebaseProposals);
  /** A new version of a skill that was retired meanwhile. */
  const outdated = async (title: string, kind: 'supersede' | 'conflict' = 'supersede'): Promise<string> => {
    const { approved, entry } = await liveSkillOf(app, rosa, title);
    const { id } = await submitTestProposal(
      app,
      `Next of ${title}`,
      { kind, supersedesId: entry.id },
      { action: 'Write it out.' },
    );
    await app.app.get(RetireSkill).retire(rosa, approved.id, 'no longer true');
    return id;
  };

  it('renders applicable proposals again, and withdraws the others', async () => {
    const next = await outdated('Replace this');
    const against = await outdated('Contradict this', 'conflict');
    expect(await verb().rebase(ACTOR)).toEqual({ rebased: 1, withdrawn: 1 });
    expect(await storedProposal(app, next)).toMatchObject({
      state: 'pending',
      kind: 'new_skill',
      revision: 2,
      supersedesId: null,
      version: 2,
    });
    expect(await storedProposal(app, against)).toMatchObject({ state: 'withdrawn' });
  });

  it('journals it with the job as the actor, or changes nothing', async () => {
    const id = await outdated('Journal this');
    await app.settled();
    await whileJournalIsBroken(app, async () => {
      await expect(verb().rebase(ACTOR)).rejects.toThrow();
    });
    expect(await storedProposal(app, id)).toMatchObject({ kind: 'supersede', revision: 1 });
    await verb().rebase(ACTOR);
    expect((await journalOf(app, id)).at(-1)).toMatchObject({
      action: 'proposal.rebased',
      kind: 'job',
      by: ACTOR.id,
      data: { kind: 'new_skill' },
    });
  });

  it('refuses a person', async () => {
    const id = await outdated('Refuse this');
    // @ts-expect-error a reviewer rebases nothing
    await expect(verb().rebase(rosa)).rejects.toThrow('not "reviewer"');
    expect(await storedProposal(app, id)).toMatchObject({ revision: 1 });
  });

  it('finds nothing the second time', async () => {
    const id = await outdated('Rebase this once');
    await verb().rebase(ACTOR);
    expect(await verb().rebase(ACTOR)).toEqual({ rebased: 0, withdrawn: 0 });
    expect(await storedProposal(app, id)).toMatchObject({ revision: 2 });
  });
});
