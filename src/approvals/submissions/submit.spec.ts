import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { testProposalInput } from '../../../test/support/proposal-input.js';
import { journalOf, reviewerOf, storedProposal } from '../../../test/support/reviewers.js';
import { jobActor } from '../../journal/actor.js';
import { SubmitProposal } from './submit.js';

const ACTOR = jobActor('test');

describe('submitting a proposal', () => {
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  const verb = () => app.app.get(SubmitProposal);
  const items = (title: string) => app.database.client.proposal.count({ where: { title } });

  it('adds one pending proposal to the queue, with the file that its approval publishes', async () => {
    const { id, outcome, isConflict } = await verb().submit(ACTOR, testProposalInput('Submit this'));
    expect({ outcome, isConflict }).toEqual({ outcome: 'submitted', isConflict: false });
    const proposal = await storedProposal(app, id);
    expect(proposal).toMatchObject({
      state: 'pending',
      revision: 1,
      skillName: 'submit-this',
      version: 1,
      editorId: null,
    });
    expect(proposal.artifact).toContain('name: "submit-this"');
    expect(await app.database.client.memory.count({ where: { scope: 'org' } })).toBe(0);
  });

  it('journals it with the job as the actor, or changes nothing', async () => {
    const submission = testProposalInput('Journal this');
    await whileJournalIsBroken(app, async () => {
      await expect(verb().submit(ACTOR, submission)).rejects.toThrow();
    });
    expect(await items('Journal this')).toBe(0);
    const { id } = await verb().submit(ACTOR, submission);
    expect(await journalOf(app, id)).toMatchObject([
      { action: 'SKILL_EVOLVER_PROPOSAL_EMITTED', kind: 'job', by: ACTOR.id, data: { kind: 'new_skill' } },
    ]);
  });

  it('refuses a person: proposals come from background work', async () => {
    const rosa = await reviewerOf(app, 'Rosa Reviewer');
    // @ts-expect-error a reviewer submits nothing
    await expect(verb().submit(rosa, testProposalInput('Refuse this'))).rejects.toThrow('not "reviewer"');
    expect(await items('Refuse this')).toBe(0);
  });

  it('refuses the second submission while the first is pending', async () => {
    const submission = testProposalInput('Submit this once');
    await verb().submit(ACTOR, submission);
    await expect(verb().submit(ACTOR, submission)).rejects.toMatchObject({ code: 'proposal.already_pending' });
    expect(await items('Submit this once')).toBe(1);
  });
});
