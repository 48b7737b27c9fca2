import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { journalOf, liveSkillOf, reviewerOf, reviewerOutOfScope } from '../../../test/support/reviewers.js';
import type { AdminActor, ReviewerActor } from '../../journal/actor.js';
import type { RolloutPercent } from '../../skills/delivery/audience.js';
import { SetSkillRollout } from './set-rollout.js';

describe('setting the rollout of a skill', () => {
  let app: TestApplication;
  let rosa: ReviewerActor;

  beforeAll(async () => {
    app = await startTestApplication();
    rosa = await reviewerOf(app, 'Rosa Reviewer');
  });
  afterAll(() => app.close());

  const set = (by: ReviewerActor | AdminActor, name: string, percent: RolloutPercent) =>
    app.app.get(SetSkillRollout).set(by, name, percent);
  const live = async (title: string) => (await liveSkillOf(app, rosa, title)).approved.skillName;
  const stages = (skillName: string) => app.database.client.skillRollout.count({ where: { skillName } });

  it('sets the stage of the live version, for a reviewer and for an administrator', async () => {
    const name = await live('Stage this');
    expect(await set(rosa, name, 25)).toMatchObject({ name, version: 1, percent: 25 });
    app.clock.advance(1_000);
    const { id } = await app.person('Otto Administrator', { admin: true });
    expect(await set({ kind: 'admin', id, name: 'Otto Administrator' }, name, 5)).toMatchObject({ percent: 5 });
    expect((await app.admin.skills.show(name)).percent).toBe(5);
  });

  it('journals it with the reviewer as the actor, or changes nothing', async () => {
    const name = await live('Journal this');
    await app.settled();
    await whileJournalIsBroken(app, async () => {
      await expect(set(rosa, name, 25)).rejects.toThrow();
    });
    expect(await stages(name)).toBe(0);
    await set(rosa, name, 25);
    expect((await journalOf(app, name)).at(-1)).toMatchObject({
      action: 'skill.rollout_set',
      kind: 'reviewer',
      by: rosa.id,
      data: { percent: 25, before: 100 },
    });
  });

  it('refuses a reviewer with another review scope', async () => {
    const name = await live('Refuse this one');
    await expect(set(await reviewerOutOfScope(app), name, 25)).rejects.toMatchObject({
      code: 'proposal.outside_review_scope',
    });
    expect(await stages(name)).toBe(0);
  });

  it('writes nothing for a version that is already on the stage', async () => {
    const name = await live('Stage this once');
    const first = await set(rosa, name, 25);
    app.clock.advance(1_000);
    expect(await set(rosa, name, 25)).toEqual(first);
    expect(await stages(name)).toBe(1);
    expect((await journalOf(app, name)).filter(({ action }) => action === 'skill.rollout_set')).toHaveLength(1);
  });
});
