import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { submitTestProposal } from '../../../test/support/proposal-input.js';
import {
  impostorOf,
  journalOf,
  reviewerOf,
  reviewerOutOfScope,
  storedProposal,
} from '../../../test/support/reviewers.js';
import type { ReviewerActor } from '../../journal/actor.js';
import { OverrideRules } from './override.js';

describe('overriding the review scope', () => {
  let app: TestApplication;
  let petra: ReviewerActor;
  let paul: ReviewerActor;

  beforeAll(async () => {
    app = await startTestApplication();
    petra = await reviewerOutOfScope(app);
    paul = await reviewerOf(app, 'Paul Platform', [{ department: 'platform' }]);
  });
  afterAll(() => app.close());

  const override = (by: ReviewerActor, { id, artifactSha256 }: { id: string; artifactSha256: string }) =>
    app.app.get(OverrideRules).override(by, id, { artifactSha256, reason: 'all away' });

  it('approves by two halves of two people', async () => {
    const proposal = await submitTestProposal(app, 'Override this');
    expect(await override(petra, proposal)).toMatchObject({
      state: 'pending',
      message: expect.stringContaining('Another'),
    });
    expect(await override(paul, proposal)).toMatchObject({ state: 'approved', message: null });
    expect(await app.database.client.memory.count({ where: { proposalId: proposal.id } })).toBe(1);
    expect(await app.database.client.publication.count({ where: { proposalId: proposal.id } })).toBe(1);
  });

  it('journals each half as its reviewer’s, or does nothing', async () => {
    const proposal = await submitTestProposal(app, 'Journal this');
    await app.settled();
    await whileJournalIsBroken(app, async () => {
      await expect(override(petra, proposal)).rejects.toThrow();
    });
    expect(await app.database.client.proposalDecision.count({ where: { proposalId: proposal.id } })).toBe(0);
    await override(petra, proposal);
    await override(paul, proposal);
    expect((await journalOf(app, proposal.id)).slice(-2)).toMatchObject([
      {
        action: 'proposal.override_requested',
        by: petra.id,
        data: { overrides: ['review_scope'], reason: 'all away' },
      },
      { action: 'proposal.overridden', by: paul.id, data: { first: { by: petra.id, reason: 'all away' } } },
    ]);
  });

  it('refuses a reviewer whose vote would do, and an agent in the clothes of a reviewer', async () => {
    const proposal = await submitTestProposal(app, 'Refuse these');
    await expect(override(await reviewerOf(app, 'Rosa Reviewer'), proposal)).rejects.toMatchObject({
      code: 'proposal.override_not_needed',
    });
    await override(petra, proposal);
    await expect(override(await impostorOf(app), proposal)).rejects.toThrow();
    expect(await storedProposal(app, proposal.id)).toMatchObject({ state: 'pending' });
  });

  it('refuses the second half of the same person, and a third', async () => {
    const proposal = await submitTestProposal(app, 'Override this once');
    await override(petra, proposal);
    await expect(override(petra, proposal)).rejects.toMatchObject({ code: 'proposal.override_already_given' });
    await override(paul, proposal);
    await expect(override(petra, proposal)).rejects.toMatchObject({ code: 'proposal.already_decided' });
  });
});
