import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { itemOf, journalOf, reviewerElsewhere, reviewerOf } from '../../../test/support/deciding.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { submitted } from '../../../test/support/submission.js';
import type { ReviewerActor } from '../../journal/actor.js';
import type { Approval } from '../proposals/approvals.schema.js';
import { EditWording } from './edit.js';

describe('editing the wording of a proposal', () => {
  let app: TestApplication;
  let rosa: ReviewerActor;

  beforeAll(async () => {
    app = await startTestApplication();
    rosa = await reviewerOf(app, 'Rosa Reviewer');
  });
  afterAll(() => app.close());

  const edit = (by: ReviewerActor, { id, proposal, artifactSha256 }: Approval) =>
    app.app
      .get(EditWording)
      .edit(by, id, { artifactSha256, proposal: { ...proposal, action: 'Write the command out.' } });

  it('makes a revision without votes, of which this reviewer is the writer', async () => {
    const item = await submitted(app, 'Edit this');
    const edited = await edit(rosa, item);
    expect(edited).toMatchObject({ id: item.id, state: 'pending', revision: 2, votes: { given: 0 } });
    expect(edited.artifactSha256).not.toBe(item.artifactSha256);
    const stored = await itemOf(app, item.id);
    expect(stored).toMatchObject({ editorId: rosa.id, proposal: { action: 'Write the command out.' } });
    expect(stored.artifact).toContain('Write the command out.');
  });

  it('journals it as the reviewer’s, with the difference, or does nothing', async () => {
    const item = await submitted(app, 'Journal this');
    await whileJournalIsBroken(app, async () => {
      await expect(edit(rosa, item)).rejects.toThrow();
    });
    expect(await itemOf(app, item.id)).toMatchObject({ revision: 1, artifactSha256: item.artifactSha256 });
    await edit(rosa, item);
    expect((await journalOf(app, item.id)).at(-1)).toMatchObject({
      ...{ action: 'approval.edited', kind: 'reviewer', by: rosa.id },
      data: {
        ...{ revision: 2, insteadOf: item.artifactSha256 },
        difference: expect.stringContaining('+Write the command out.'),
      },
    });
  });

  it('refuses a reviewer who decides for other agents', async () => {
    const item = await submitted(app, 'Refuse this one');
    await expect(edit(await reviewerElsewhere(app), item)).rejects.toMatchObject({ code: 'approval.outside_remit' });
    expect(await itemOf(app, item.id)).toMatchObject({ revision: 1, editorId: null });
  });

  it('refuses the second time: the bytes are others, and then nothing changes', async () => {
    const item = await submitted(app, 'Edit this once');
    const { artifactSha256 } = await edit(rosa, item);
    await expect(edit(rosa, item)).rejects.toMatchObject({ code: 'approval.artifact_changed' });
    await expect(edit(rosa, { ...item, artifactSha256 })).rejects.toMatchObject({ code: 'approval.unchanged' });
    expect(await itemOf(app, item.id)).toMatchObject({ revision: 2 });
  });
});
