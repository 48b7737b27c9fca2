import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { impostorOf, journalOf, liveSkillOf, reviewerOf, reviewerOutOfScope } from '../../../test/support/reviewers.js';
import type { ReviewerActor } from '../../journal/actor.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { RetireSkill } from './retire.js';

describe('retiring a skill', () => {
  let app: TestApplication;
  let rosa: ReviewerActor;

  beforeAll(async () => {
    app = await startTestApplication();
    rosa = await reviewerOf(app, 'Rosa Reviewer');
  });
  afterAll(() => app.close());

  const revoke = (by: ReviewerActor, id: string) => app.app.get(RetireSkill).retire(by, id, 'no longer true');
  const isLive = async (name: string) => (await app.app.get(OrgEntries).liveSkill(name)) !== undefined;

  it('retires the skill with a proposal that names the retired bytes', async () => {
    const { approved } = await liveSkillOf(app, rosa, 'Revoke this');
    const retired = await revoke(rosa, approved.id);
    expect(retired).toMatchObject({ kind: 'retire', state: 'approved', artifactSha256: approved.artifactSha256 });
    expect(await isLive(approved.skillName)).toBe(false);
    expect(await app.database.client.publication.findFirst({ where: { proposalId: retired.id } })).toMatchObject({
      kind: 'retire',
      skillName: approved.skillName,
    });
  });

  it('journals it with the reviewer as the actor, or changes nothing', async () => {
    const { approved, entry } = await liveSkillOf(app, rosa, 'Journal this');
    await app.settled();
    await whileJournalIsBroken(app, async () => {
      await expect(revoke(rosa, approved.id)).rejects.toThrow();
    });
    expect(await isLive(approved.skillName)).toBe(true);
    const retired = await revoke(rosa, approved.id);
    expect(await journalOf(app, retired.id)).toMatchObject([
      {
        action: 'proposal.approved',
        kind: 'reviewer',
        by: rosa.id,
        data: { kind: 'retire', reason: 'no longer true' },
      },
    ]);
    expect((await journalOf(app, entry.id)).at(-1)).toMatchObject({ action: 'ORG_SKILL_RETIRED', by: rosa.id });
  });

  it('refuses a reviewer with another review scope, and an agent posing as a reviewer', async () => {
    const { approved } = await liveSkillOf(app, rosa, 'Refuse these');
    await expect(revoke(await reviewerOutOfScope(app), approved.id)).rejects.toMatchObject({
      code: 'proposal.outside_review_scope',
    });
    await expect(revoke(await impostorOf(app), approved.id)).rejects.toThrow();
    expect(await isLive(approved.skillName)).toBe(true);
  });

  it('refuses the second retirement', async () => {
    const { approved } = await liveSkillOf(app, rosa, 'Revoke this once');
    await revoke(rosa, approved.id);
    await expect(revoke(rosa, approved.id)).rejects.toMatchObject({ code: 'proposal.not_live' });
    const retirements = await app.database.client.proposal.count({
      where: { kind: 'retire', skillName: approved.skillName },
    });
    expect(retirements).toBe(1);
  });
});
