import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { submitTestProposal } from '../../../test/support/proposal-input.js';
import { journalOf, reviewerOf, reviewerOutOfScope, storedProposal } from '../../../test/support/reviewers.js';
import type { ReviewerActor } from '../../journal/actor.js';
import type { ProposalDetails } from '../proposals/proposals.schema.js';
import { EditWording } from './edit.js';

describe('editing the wording of a proposal', () => {
  let app: TestApplication;
  let rosa: ReviewerActor;

  beforeAll(async () => {
    app = await startTestApplication();
    rosa = await reviewerOf(app, 'Rosa Reviewer');
  });
  afterAll(() => app.close());

  const edit = (by: ReviewerActor, { id, proposedSkill, artifactSha256 }: ProposalDetails) =>
    app.app
      .get(EditWording)
      .edit(by, id, { artifactSha256, proposedSkill: { ...proposedSkill, action: 'Write the command out.' } });

  it('makes a revision without votes, with this reviewer as its author', async () => {
    const proposal = await submitTestProposal(app, 'Edit this');
    const edited = await edit(rosa, proposal);
    expect(edited).toMatchObject({ id: proposal.id, state: 'pending', revision: 2, votes: { given: 0 } });
    expect(edited.artifactSha256).not.toBe(proposal.artifactSha256);
    const stored = await storedProposal(app, proposal.id);
    expect(stored).toMatchObject({ editorId: rosa.id, proposedSkill: { action: 'Write the command out.' } });
    expect(stored.artifact).toContain('Write the command out.');
  });

  it('journals it with the reviewer as the actor and the diff, or changes nothing', async () => {
    const proposal = await submitTestProposal(app, 'Journal this');
    await whileJournalIsBroken(app, async () => {
      await expect(edit(rosa, proposal)).rejects.toThrow();
    });
    expect(await storedProposal(app, proposal.id)).toMatchObject({
      revision: 1,
      artifactSha256: proposal.artifactSha256,
    });
    await edit(rosa, proposal);
    expect((await journalOf(app, proposal.id)).at(-1)).toMatchObject({
      ...{ action: 'proposal.edited', kind: 'reviewer', by: rosa.id },
      data: {
        ...{ revision: 2, insteadOf: proposal.artifactSha256 },
        difference: expect.stringContaining('+Write the command out.'),
      },
    });
  });

  it('refuses a reviewer with another review scope', async () => {
    const proposal = await submitTestProposal(app, 'Refuse this one');
    await expect(edit(await reviewerOutOfScope(app), proposal)).rejects.toMatchObject({
      code: 'proposal.outside_review_scope',
    });
    expect(await storedProposal(app, proposal.id)).toMatchObject({ revision: 1, editorId: null });
  });

  it('refuses the second edit, because the bytes have changed', async () => {
    const proposal = await submitTestProposal(app, 'Edit this once');
    const { artifactSha256 } = await edit(rosa, proposal);
    await expect(edit(rosa, proposal)).rejects.toMatchObject({ code: 'proposal.artifact_changed' });
    await expect(edit(rosa, { ...proposal, artifactSha256 })).rejects.toMatchObject({ code: 'proposal.unchanged' });
    expect(await storedProposal(app, proposal.id)).toMatchObject({ revision: 2 });
  });
});
