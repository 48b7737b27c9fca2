import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { submitTestProposal } from '../../../test/support/proposal-input.js';
import { journalOf, reviewerOf, reviewerOutOfScope, storedProposal } from '../../../test/support/reviewers.js';
import type { ReviewerActor } from '../../journal/actor.js';
import type { ProposalDetails } from '../proposals/proposals.schema.js';
import { ProposalReader } from '../queue/proposal-reader.service.js';
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
      action: 'proposal.edited',
      kind: 'reviewer',
      by: rosa.id,
      data: {
        revision: 2,
        insteadOf: proposal.artifactSha256,
        difference: expect.stringContaining('+Write the command out.'),
      },
    });
  });

  it('marks the texts as written by the reviewer, keeps their code, and shows the change', async () => {
    const proposal = await submitTestProposal(app, 'Write code');
    const step = 'Run:\n```sh\nnpm ci && npm test > <log file> 2>&1\n```';
    const { artifactSha256, proposedSkill } = proposal;
    await app.app.get(EditWording).edit(rosa, proposal.id, {
      artifactSha256,
      proposedSkill: { ...proposedSkill, cause: 'The lock file is old.', steps: [...proposedSkill.steps, step] },
    });
    const shown = await app.app.get(ProposalReader).show(proposal.id);
    const number = proposedSkill.steps.length + 1;
    expect(shown.authors).toEqual([
      { part: 'cause', number: 0, by: 'Rosa Reviewer' },
      { part: 'steps', number, by: 'Rosa Reviewer' },
    ]);
    expect(shown.artifact).toContain(`   npm ci && npm test > <log file> 2>&1\n`);
    expect(shown.artifact).toContain(`Step ${number} and the cause were written by a reviewer.`);
    expect(shown.revisions).toEqual([
      {
        revision: 2,
        by: 'Rosa Reviewer',
        at: expect.any(String),
        difference: expect.stringContaining('+The lock file is old.'),
      },
    ]);
  });

  it('refuses a text that the file cannot hold as it was written, with its field', async () => {
    const proposal = await submitTestProposal(app, 'Keep this as it is');
    const { artifactSha256, proposedSkill } = proposal;
    const steps = [...proposedSkill.steps, '```sh\nnpm i @scope/x\n```'];
    await expect(
      app.app.get(EditWording).edit(rosa, proposal.id, { artifactSha256, proposedSkill: { ...proposedSkill, steps } }),
    ).rejects.toMatchObject({
      code: 'proposal.text_not_kept',
      message: expect.stringMatching(new RegExp(`steps ${steps.length} .*attaches a file`)),
    });
    expect(await storedProposal(app, proposal.id)).toMatchObject({ revision: 1 });
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
