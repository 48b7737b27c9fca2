import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { submitTestProposal, testProposalInput } from '../../../test/support/proposal-input.js';
import { journalOf, reviewerOf, storedProposal } from '../../../test/support/reviewers.js';
import { jobActor } from '../../journal/actor.js';
import type { NewProposal } from '../proposals/new-proposal.js';
import { RefreshProposal } from './refresh.js';

const ACTOR = jobActor('test');

describe('refreshing a proposal', () => {
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  const verb = () => app.app.get(RefreshProposal);
  /** The same pattern, seen by more agents. */
  const more = (title: string): NewProposal => {
    const submission = testProposalInput(title);
    return { ...submission, evidence: { ...submission.evidence, agents: 9, executions: 12 } };
  };

  it('makes a revision with the new evidence', async () => {
    const { id, artifactSha256 } = await submitTestProposal(app, 'Refresh this');
    expect(await verb().refresh(ACTOR, id, more('Refresh this'))).toEqual({
      id,
      outcome: 'refreshed',
      isConflict: false,
    });
    const proposal = await storedProposal(app, id);
    expect(proposal).toMatchObject({ state: 'pending', revision: 2, evidence: { agents: 9, executions: 12 } });
    // The file holds no figures.
    expect(proposal.artifactSha256).toBe(artifactSha256);
  });

  it('makes no revision of what lowered it since: that is said as at its submission', async () => {
    const before = [{ reason: 'wrong' as const, resembles: 'remedy' as const, rejections: 1 }];
    const { id } = await submitTestProposal(app, 'Lower this', {}, {}, { lowered: before });
    const { evidence, ...submission } = testProposalInput('Lower this');
    const again = (lowered: typeof before): NewProposal => ({ ...submission, evidence: { ...evidence, lowered } });
    const later = before.map((one) => ({ ...one, rejections: 2 }));
    expect(await verb().refresh(ACTOR, id, again(later))).toMatchObject({ outcome: 'unchanged' });
    expect(await verb().refresh(ACTOR, id, more('Lower this'))).toMatchObject({ outcome: 'refreshed' });
    expect(await storedProposal(app, id)).toMatchObject({ revision: 2, evidence: { lowered: before } });
  });

  it('journals it with the job as the actor, or changes nothing', async () => {
    const { id } = await submitTestProposal(app, 'Journal this');
    await whileJournalIsBroken(app, async () => {
      await expect(verb().refresh(ACTOR, id, more('Journal this'))).rejects.toThrow();
    });
    expect(await storedProposal(app, id)).toMatchObject({ revision: 1 });
    await verb().refresh(ACTOR, id, more('Journal this'));
    expect((await journalOf(app, id)).at(-1)).toMatchObject({
      action: 'proposal.refreshed',
      kind: 'job',
      by: ACTOR.id,
      data: { evidence: { agents: 9 } },
    });
  });

  it('refuses a person: evidence comes from background work', async () => {
    const { id } = await submitTestProposal(app, 'Refuse this');
    const rosa = await reviewerOf(app, 'Rosa Reviewer');
    // @ts-expect-error a reviewer refreshes nothing
    await expect(verb().refresh(rosa, id, more('Refuse this'))).rejects.toThrow('not "reviewer"');
    expect(await storedProposal(app, id)).toMatchObject({ revision: 1 });
  });

  it('changes nothing the second time, and refuses a decided proposal', async () => {
    const { id } = await submitTestProposal(app, 'Refresh this once');
    await verb().refresh(ACTOR, id, more('Refresh this once'));
    expect(await verb().refresh(ACTOR, id, more('Refresh this once'))).toMatchObject({ outcome: 'unchanged' });
    expect(await storedProposal(app, id)).toMatchObject({ revision: 2 });
    await app.admin.proposals.reject(id, 'not for us');
    await expect(verb().refresh(ACTOR, id, more('Refresh this once'))).rejects.toMatchObject({
      code: 'proposal.changed',
    });
  });
});
