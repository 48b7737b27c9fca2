import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { journalOf, liveSkillOf, reviewerOf, storedProposal } from '../../../test/support/reviewers.js';
import { jobActor, type ReviewerActor } from '../../journal/actor.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import type { ProposalContent } from '../proposals/proposal.js';
import { retirementProposal } from '../proposals/retirement.js';
import { editFingerprint, SubmitExternalEdit } from './submit-external-edit.js';

const ACTOR = jobActor('test');

describe('submitting an external edit', () => {
  let app: TestApplication;
  let rosa: ReviewerActor;

  beforeAll(async () => {
    app = await startTestApplication();
    rosa = await reviewerOf(app, 'Rosa Reviewer');
  });
  afterAll(() => app.close());

  const verb = () => app.app.get(SubmitExternalEdit);
  /** The retirement of a skill whose file was deleted on the main branch. */
  const removal = async (title: string): Promise<ProposalContent> => {
    const { approved, entry } = await liveSkillOf(app, rosa, title);
    const edit = { ...redactDeep({ from: 'main' as const, text: null, notes: [] }).value, sha256: null };
    return { ...retirementProposal(approved, entry.id), edit };
  };
  const items = ({ skillName }: ProposalContent) =>
    app.database.client.proposal.count({ where: { fingerprint: editFingerprint(skillName) } });

  it('opens one pending proposal, which follows the file', async () => {
    const content = await removal('Take this away');
    const id = randomUUID();
    await verb().submit(ACTOR, id, content, false);
    expect(await storedProposal(app, id)).toMatchObject({
      kind: 'retire',
      state: 'pending',
      revision: 1,
      edit: content.edit,
    });
    await verb().submit(ACTOR, id, { ...content, impact: 7 }, true);
    expect(await storedProposal(app, id)).toMatchObject({ state: 'pending', revision: 2, impact: 7 });
  });

  it('journals it with the job as the actor, or changes nothing', async () => {
    const content = await removal('Journal this');
    await app.settled();
    const id = randomUUID();
    await whileJournalIsBroken(app, async () => {
      await expect(verb().submit(ACTOR, id, content, false)).rejects.toThrow();
    });
    expect(await items(content)).toBe(0);
    await verb().submit(ACTOR, id, content, false);
    expect(await journalOf(app, id)).toMatchObject([
      { action: 'proposal.edit_submitted', kind: 'job', by: ACTOR.id, data: { kind: 'retire' } },
    ]);
  });

  it('refuses a person, who edits the proposal instead', async () => {
    const content = await removal('Refuse this');
    // @ts-expect-error a reviewer submits no external edit
    await expect(verb().submit(rosa, randomUUID(), content, false)).rejects.toThrow('not "reviewer"');
    expect(await items(content)).toBe(0);
  });

  it('refuses a second proposal for the same file, and does not change a decided one', async () => {
    const content = await removal('Take this away once');
    const id = randomUUID();
    await verb().submit(ACTOR, id, content, false);
    await expect(verb().submit(ACTOR, randomUUID(), content, false)).rejects.toMatchObject({
      code: 'proposal.already_pending',
    });
    expect(await items(content)).toBe(1);
    await app.admin.proposals.reject(id, 'it stays');
    await verb().submit(ACTOR, id, content, true);
    expect(await storedProposal(app, id)).toMatchObject({ state: 'rejected', revision: 1 });
  });
});
