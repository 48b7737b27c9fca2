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

  const approve = async ({ id, artifactSha256 }: { id: string; artifactSha256: string }) => {
    await app.admin.proposals.approve(id, artifactSha256);
    await app.settled();
  };
  const restored = (id: string) => reopen(rosa, id);
  const refusal = { code: 'proposal.not_reopenable' };

  it('proposes a retired skill again with the same bytes apart from the version, until a person approves it', async () => {
    const old = await submitTestProposal(app, 'Restore this');
    const { artifact, artifactSha256, skillName } = await app.admin.proposals.show(old.id);
    await approve({ id: old.id, artifactSha256 });
    await app.admin.retireSkill(old.id, 'the tool is gone');
    await app.settled();
    const again = await restored(old.id);
    expect(again).toMatchObject({ state: 'pending', kind: 'new_skill', skillName });
    const proposed = await app.admin.proposals.show(again.id);
    expect(proposed).toMatchObject({ reopenedFrom: old.id, supersedes: null });
    const same = (text: string) =>
      text
        .replaceAll(old.id, 'id')
        .replaceAll(again.id, 'id')
        .replace(/version: "?\d"?/, 'version');
    expect(same(proposed.artifact)).toBe(same(artifact));
    await expect(app.admin.skills.show(skillName)).rejects.toMatchObject({ problem: { code: 'skill.not_found' } });
    await expect(restored(old.id)).rejects.toMatchObject({ code: 'proposal.already_pending' });
    await approve(again);
    expect(await app.admin.skills.show(skillName)).toMatchObject({ version: 2, proposalId: again.id });
    await expect(restored(old.id)).rejects.toMatchObject(refusal);
  });

  it('refuses a live skill, and the retirement of one', async () => {
    const live = await submitTestProposal(app, 'Stay live');
    await approve(await app.admin.proposals.show(live.id));
    await expect(restored(live.id)).rejects.toMatchObject(refusal);
    const retirement = await app.admin.retireSkill(live.id, 'the tool is gone');
    await app.settled();
    await expect(restored(retirement.id)).rejects.toMatchObject(refusal);
    expect(await askedAgain(live.id)).toBe(0);
  });

  it('refuses to reopen it again while the first is pending', async () => {
    const id = await rejected('Reopen this once');
    await reopen(rosa, id);
    await expect(reopen(rosa, id)).rejects.toMatchObject({ code: 'proposal.already_pending' });
    expect(await askedAgain(id)).toBe(1);
  });
});
