import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import {
  journalOf,
  liveSkillOf,
  reviewerOf,
  reviewerOutOfScope,
  storedProposal,
} from '../../../test/support/reviewers.js';
import type { ReviewerActor } from '../../journal/actor.js';
import { ApproveProposal } from './approve.js';
import { RenameSkill } from './rename.js';

describe('renaming a skill', () => {
  let app: TestApplication;
  let rosa: ReviewerActor;

  beforeAll(async () => {
    app = await startTestApplication({ GUILDBOOK_APPROVAL_QUORUM_HIGH_RISK: '1' });
    rosa = await reviewerOf(app, 'Rosa Reviewer');
  });
  afterAll(() => app.close());

  const rename = (by: ReviewerActor, name: string, to: string) => app.app.get(RenameSkill).rename(by, name, to);
  const asked = (name: string) =>
    app.database.client.proposal.count({ where: { fingerprint: `rename:${name}`, state: 'pending' } });

  it('opens a proposal with the file under its new name, and does not rename yet', async () => {
    const { approved } = await liveSkillOf(app, rosa, 'Rename this');
    const proposal = await rename(rosa, approved.skillName, 'its-new-name');
    expect(proposal).toMatchObject({ kind: 'amend', state: 'pending', skillName: 'its-new-name' });
    const stored = await storedProposal(app, proposal.id);
    expect(stored).toMatchObject({ version: 2, editorId: rosa.id, proposedSkill: approved.proposedSkill });
    expect(stored.artifact).toContain('name: "its-new-name"');
    expect((await app.admin.skills.show(approved.skillName)).version).toBe(1);
  });

  it('journals it with the reviewer as the actor, or changes nothing', async () => {
    const { approved } = await liveSkillOf(app, rosa, 'Journal this');
    await app.settled();
    await whileJournalIsBroken(app, async () => {
      await expect(rename(rosa, approved.skillName, 'journalled-name')).rejects.toThrow();
    });
    expect(await asked(approved.skillName)).toBe(0);
    const { id } = await rename(rosa, approved.skillName, 'journalled-name');
    expect(await journalOf(app, id)).toMatchObject([
      { action: 'proposal.rename_requested', kind: 'reviewer', by: rosa.id, data: { skillName: 'journalled-name' } },
    ]);
  });

  it('refuses a reviewer with another review scope', async () => {
    const { approved } = await liveSkillOf(app, rosa, 'Refuse this one');
    await expect(rename(await reviewerOutOfScope(app), approved.skillName, 'refused-name')).rejects.toMatchObject({
      code: 'proposal.outside_review_scope',
    });
    expect(await asked(approved.skillName)).toBe(0);
  });

  it('opens no second proposal, and refuses the name once it is approved', async () => {
    const { approved } = await liveSkillOf(app, rosa, 'Rename this once');
    const first = await rename(rosa, approved.skillName, 'named-once');
    const second = await rename(rosa, approved.skillName, 'named-once');
    expect(second).toMatchObject({ id: first.id, revision: 2 });
    expect(await asked(approved.skillName)).toBe(1);
    const ruth = await reviewerOf(app, 'Ruth Reviewer');
    await app.app.get(ApproveProposal).approve(ruth, second.id, second.artifactSha256);
    await expect(rename(rosa, approved.skillName, 'named-once')).rejects.toMatchObject({ code: 'skill.not_found' });
    await expect(rename(rosa, 'named-once', 'named-once')).rejects.toMatchObject({ code: 'skill.name_taken' });
  });
});
