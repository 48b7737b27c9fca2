import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { itemOf, journalOf, liveSkillOf, reviewerElsewhere, reviewerOf } from '../../../test/support/deciding.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { submitted } from '../../../test/support/submission.js';
import type { ReviewerActor } from '../../journal/actor.js';
import type { Approval } from '../proposals/approvals.schema.js';
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
  const conflict = async (title: string): Promise<Approval> => {
    const { entry } = await liveSkillOf(app, rosa, title);
    return submitted(app, `Not ${title}`, { kind: 'conflict', supersedesId: entry.id }, { action: 'Write it short.' });
  };
  const supersede = (by: ReviewerActor, { id, artifactSha256 }: Pick<Approval, 'id' | 'artifactSha256'>) =>
    app.app.get(ResolveContradiction).resolve(by, id, { as: 'supersede', artifactSha256 });

  it('makes it the successor of the live skill, one wording for both, or rejects it', async () => {
    const first = await conflict('Replace this');
    expect(await supersede(rosa, first)).toMatchObject({ id: first.id, kind: 'supersede', state: 'pending' });

    const second = await conflict('Reword this');
    const { artifactSha256, proposal } = second;
    const both = { ...proposal, action: 'Write it short at a prompt, long in a script.' };
    const amended = await app.app
      .get(ResolveContradiction)
      .resolve(rosa, second.id, { as: 'amend', artifactSha256, proposal: both });
    expect(amended).toMatchObject({ kind: 'amend', revision: 2, action: both.action });
    expect((await itemOf(app, second.id)).fingerprints).toHaveLength(2);

    const third = await conflict('Keep this');
    expect(
      await app.app
        .get(ResolveContradiction)
        .resolve(rosa, third.id, { as: 'keep', artifactSha256: third.artifactSha256 }),
    ).toMatchObject({ id: third.id, state: 'rejected' });
  });

  it('journals it as the reviewer’s, or does nothing', async () => {
    const item = await conflict('Journal this');
    await app.settled();
    await whileJournalIsBroken(app, async () => {
      await expect(supersede(rosa, item)).rejects.toThrow();
    });
    expect(await itemOf(app, item.id)).toMatchObject({ kind: 'conflict', revision: 1 });
    await supersede(rosa, item);
    expect((await journalOf(app, item.id)).at(-1)).toMatchObject({
      ...{ action: 'approval.resolved', kind: 'reviewer', by: rosa.id, data: { kind: 'supersede', revision: 2 } },
    });
  });

  it('refuses a reviewer who decides for other agents', async () => {
    const item = await conflict('Refuse this one');
    await expect(supersede(await reviewerElsewhere(app), item)).rejects.toMatchObject({
      code: 'approval.outside_remit',
    });
    expect(await itemOf(app, item.id)).toMatchObject({ kind: 'conflict' });
  });

  it('refuses the second time', async () => {
    const item = await conflict('Resolve this once');
    const { artifactSha256 } = await supersede(rosa, item);
    await expect(supersede(rosa, { id: item.id, artifactSha256 })).rejects.toMatchObject({
      code: 'approval.no_conflict',
    });
    expect(await itemOf(app, item.id)).toMatchObject({ revision: 2 });
  });
});
