import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { submitTestProposal } from '../../../test/support/proposal-input.js';
import { journalOf, liveSkillOf, reviewerOf, storedProposal } from '../../../test/support/reviewers.js';
import { jobActor, type ReviewerActor } from '../../journal/actor.js';
import { RebaseProposals } from '../upkeep/rebase.js';
import { ProposeMerge } from './propose-merge.js';

const ACTOR = jobActor('test');

describe('proposing to merge two skills', () => {
  let app: TestApplication;
  let rosa: ReviewerActor;
  let number = 0;

  beforeAll(async () => {
    app = await startTestApplication();
    rosa = await reviewerOf(app, 'Rosa Reviewer');
  });
  afterAll(() => app.close());

  type Live = Awaited<ReturnType<typeof liveSkillOf>>;
  const pair = async (): Promise<[Live, Live]> => {
    number += 1;
    return [await liveSkillOf(app, rosa, `Keep ${number}`), await liveSkillOf(app, rosa, `Retire ${number}`)];
  };
  const propose = (keep: Live, retire: Live) =>
    app.app.get(ProposeMerge).propose(ACTOR, { keep: keep.entry, retire: retire.entry, says: 'They say the same.' });
  const requests = ({ entry }: Live) =>
    app.database.client.proposal.findMany({ where: { supersedesId: entry.id, kind: 'retire' } });
  const submitted = async (keep: Live, retire: Live): Promise<string> => {
    const result = await propose(keep, retire);
    if (result.outcome !== 'submitted') throw new Error(result.outcome);
    return result.proposalId;
  };

  it('requests the retirement of one, bound to its bytes, and names the version that stays; both stay live', async () => {
    const [keep, retire] = await pair();
    const id = await submitted(keep, retire);
    const { skillName, version, artifactSha256 } = keep.approved;
    expect(await storedProposal(app, id)).toMatchObject({
      kind: 'retire',
      state: 'pending',
      votesNeeded: 1,
      artifactSha256: retire.approved.artifactSha256,
      request: {
        reason: 'merge',
        says: 'They say the same.',
        keep: { memoryId: keep.entry.id, proposalId: keep.approved.id, skillName, version, artifactSha256 },
      },
    });
    for (const { approved } of [keep, retire])
      expect((await app.admin.skills.show(approved.skillName)).version).toBe(1);
  });

  it('journals it with the job as the actor, or changes nothing', async () => {
    const [keep, retire] = await pair();
    await app.settled();
    await whileJournalIsBroken(app, async () => {
      await propose(keep, retire).catch(() => undefined);
    });
    expect(await requests(retire)).toEqual([]);
    const id = await submitted(keep, retire);
    expect(await journalOf(app, id)).toMatchObject([
      {
        action: 'proposal.merge_proposed',
        kind: 'job',
        by: ACTOR.id,
        data: { skillName: retire.approved.skillName, keep: keep.approved.skillName },
      },
    ]);
  });

  it('refuses a person, who retires the skill instead', async () => {
    const [keep, retire] = await pair();
    const merge = { keep: keep.entry, retire: retire.entry, says: 'They say the same.' };
    // @ts-expect-error a reviewer proposes no merge
    await expect(app.app.get(ProposeMerge).propose(rosa, merge)).rejects.toThrow('not "reviewer"');
    expect(await requests(retire)).toEqual([]);
  });

  it('proposes a pair once, in either direction, and never again after a person kept both', async () => {
    const [keep, retire] = await pair();
    const id = await submitted(keep, retire);
    expect([await propose(keep, retire), await propose(retire, keep)]).toEqual([
      { outcome: 'pending' },
      { outcome: 'pending' },
    ]);
    await app.admin.proposals.reject(id, 'one is about the nightly build');
    expect([await propose(keep, retire), await propose(retire, keep)]).toEqual([
      { outcome: 'rejected' },
      { outcome: 'rejected' },
    ]);
  });

  it('waits while another proposal would change one of the two', async () => {
    const [keep, retire] = await pair();
    await submitTestProposal(app, `Other ${number}`, { kind: 'supersede', supersedesId: keep.entry.id });
    expect(await propose(keep, retire)).toEqual({ outcome: 'pending' });
  });

  it('cannot be approved once the skill that it keeps is no longer live, and is withdrawn', async () => {
    const [keep, retire] = await pair();
    const id = await submitted(keep, retire);
    await app.admin.retireSkill(keep.approved.id, 'no longer true');
    await expect(app.admin.proposals.approve(id, retire.approved.artifactSha256)).rejects.toMatchObject({
      problem: { status: 409, code: 'proposal.stale' },
    });
    await app.app.get(RebaseProposals).rebase(ACTOR);
    expect((await storedProposal(app, id)).state).toBe('withdrawn');
    expect((await app.admin.skills.show(retire.approved.skillName)).version).toBe(1);
    expect(await propose(keep, retire)).toEqual({ outcome: 'changed' });
  });
});
