import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { submitTestProposal } from '../../../test/support/proposal-input.js';
import {
  journalOf,
  liveSkillOf,
  reviewerOf,
  reviewerOutOfScope,
  storedProposal,
} from '../../../test/support/reviewers.js';
import type { ReviewerActor } from '../../journal/actor.js';
import type { ProposalDetails } from '../proposals/proposals.schema.js';
import { ApproveProposal } from './approve.js';
import { ResolveContradiction } from './resolve.js';

describe('resolving a contradiction', () => {
  let app: TestApplication;
  let rosa: ReviewerActor;

  beforeAll(async () => {
    app = await startTestApplication();
    rosa = await reviewerOf(app, 'Rosa Reviewer');
  });
  afterAll(() => app.close());

  /** A proposal that contradicts a live skill. */
  const conflict = async (title: string): Promise<ProposalDetails> => {
    const { entry } = await liveSkillOf(app, rosa, title);
    return submitTestProposal(
      app,
      `Not ${title}`,
      { kind: 'conflict', supersedesId: entry.id },
      { action: 'Write it short.' },
    );
  };
  const supersede = (by: ReviewerActor, { id, artifactSha256 }: Pick<ProposalDetails, 'id' | 'artifactSha256'>) =>
    app.app.get(ResolveContradiction).resolve(by, id, { as: 'supersede', artifactSha256 });

  it('replaces the live skill, merges both wordings, or rejects the proposal', async () => {
    const first = await conflict('Replace this');
    expect(await supersede(rosa, first)).toMatchObject({ id: first.id, kind: 'supersede', state: 'pending' });

    const second = await conflict('Reword this');
    const { artifactSha256, proposedSkill } = second;
    const both = { ...proposedSkill, action: 'Write it short at a prompt, long in a script.' };
    const amended = await app.app
      .get(ResolveContradiction)
      .resolve(rosa, second.id, { as: 'amend', artifactSha256, proposedSkill: both });
    expect(amended).toMatchObject({ kind: 'amend', revision: 2, action: both.action });
    expect((await storedProposal(app, second.id)).fingerprints).toHaveLength(2);

    const third = await conflict('Keep this');
    expect(
      await app.app
        .get(ResolveContradiction)
        .resolve(rosa, third.id, { as: 'keep', artifactSha256: third.artifactSha256 }),
    ).toMatchObject({ id: third.id, state: 'rejected' });
  });

  it('renames the skill if its remedy changes, so that its file moves with the approval', async () => {
    const { entry } = await liveSkillOf(app, rosa, 'Use the long form');
    const proposal = await submitTestProposal(
      app,
      'Use the short form',
      { kind: 'conflict', supersedesId: entry.id },
      { action: 'Write it short.' },
    );
    expect(proposal.skillName).toBe(entry.skillName);
    const resolved = await supersede(rosa, proposal);
    expect(resolved).toMatchObject({ kind: 'supersede', skillName: 'use-the-short-form' });
    const olga = await reviewerOf(app, 'Olga Other');
    const { artifactSha256 } = resolved;
    expect(await app.app.get(ApproveProposal).approve(olga, proposal.id, artifactSha256)).toMatchObject({
      state: 'approved',
    });
    const [publication] = await app.database.client.publication.findMany({ where: { proposalId: proposal.id } });
    expect(publication).toMatchObject({
      skillName: 'use-the-short-form',
      renamedFrom: entry.skillName,
      artifactSha256,
    });
    expect(await app.database.client.memory.findFirst({ where: { id: entry.id } })).toMatchObject({
      supersededById: expect.any(String),
    });
  });

  it('journals it with the reviewer as the actor, or changes nothing', async () => {
    const proposal = await conflict('Journal this');
    await app.settled();
    await whileJournalIsBroken(app, async () => {
      await expect(supersede(rosa, proposal)).rejects.toThrow();
    });
    expect(await storedProposal(app, proposal.id)).toMatchObject({ kind: 'conflict', revision: 1 });
    await supersede(rosa, proposal);
    expect((await journalOf(app, proposal.id)).at(-1)).toMatchObject({
      action: 'proposal.resolved',
      kind: 'reviewer',
      by: rosa.id,
      data: { kind: 'supersede', revision: 2 },
    });
  });

  it('refuses a reviewer with another review scope', async () => {
    const proposal = await conflict('Refuse this one');
    await expect(supersede(await reviewerOutOfScope(app), proposal)).rejects.toMatchObject({
      code: 'proposal.outside_review_scope',
    });
    expect(await storedProposal(app, proposal.id)).toMatchObject({ kind: 'conflict' });
  });

  it('refuses the second resolution', async () => {
    const proposal = await conflict('Resolve this once');
    const { artifactSha256 } = await supersede(rosa, proposal);
    await expect(supersede(rosa, { id: proposal.id, artifactSha256 })).rejects.toMatchObject({
      code: 'proposal.no_conflict',
    });
    expect(await storedProposal(app, proposal.id)).toMatchObject({ revision: 2 });
  });
});
