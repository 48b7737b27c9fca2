import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { impostorOf, itemOf, journalOf, reviewerElsewhere, reviewerOf } from '../../../test/support/deciding.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { submitted } from '../../../test/support/submission.js';
import type { ReviewerActor } from '../../journal/actor.js';
import { OverrideRules } from './override.js';

describe('overriding the remit', () => {
  let app: TestApplication;
  let petra: ReviewerActor;
  let paul: ReviewerActor;

  beforeAll(async () => {
    app = await startTestApplication();
    petra = await reviewerElsewhere(app);
    paul = await reviewerOf(app, 'Paul Platform', [{ department: 'platform' }]);
  });
  afterAll(() => app.close());

  const override = (by: ReviewerActor, { id, artifactSha256 }: { id: string; artifactSha256: string }) =>
    app.app.get(OverrideRules).override(by, id, { artifactSha256, reason: 'all away' });

  it('approves by two halves of two people', async () => {
    const item = await submitted(app, 'Override this');
    expect(await override(petra, item)).toMatchObject({ state: 'pending', says: expect.stringContaining('Another') });
    expect(await override(paul, item)).toMatchObject({ state: 'approved', says: null });
    expect(await app.database.client.memory.count({ where: { approvalId: item.id } })).toBe(1);
    expect(await app.database.client.publication.count({ where: { approvalId: item.id } })).toBe(1);
  });

  it('journals each half as its reviewer’s, or does nothing', async () => {
    const item = await submitted(app, 'Journal this');
    await app.settled();
    await whileJournalIsBroken(app, async () => {
      await expect(override(petra, item)).rejects.toThrow();
    });
    expect(await app.database.client.approvalDecision.count({ where: { itemId: item.id } })).toBe(0);
    await override(petra, item);
    await override(paul, item);
    expect((await journalOf(app, item.id)).slice(-2)).toMatchObject([
      { action: 'approval.override_asked', by: petra.id, data: { overrides: ['remit'], reason: 'all away' } },
      { action: 'approval.overridden', by: paul.id, data: { first: { by: petra.id, reason: 'all away' } } },
    ]);
  });

  it('refuses a reviewer whose vote would do, and an agent in the clothes of a reviewer', async () => {
    const item = await submitted(app, 'Refuse these');
    await expect(override(await reviewerOf(app, 'Rosa Reviewer'), item)).rejects.toMatchObject({
      code: 'approval.override_not_needed',
    });
    await override(petra, item);
    await expect(override(await impostorOf(app), item)).rejects.toThrow();
    expect(await itemOf(app, item.id)).toMatchObject({ state: 'pending' });
  });

  it('refuses the second half of the same person, and a third', async () => {
    const item = await submitted(app, 'Override this once');
    await override(petra, item);
    await expect(override(petra, item)).rejects.toMatchObject({ code: 'approval.override_asked_already' });
    await override(paul, item);
    await expect(override(petra, item)).rejects.toMatchObject({ code: 'approval.already_decided' });
  });
});
