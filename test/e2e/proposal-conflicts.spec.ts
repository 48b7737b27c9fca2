import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import type { Guildbook } from '../../src/client/guildbook.js';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { http } from '../support/http.js';
import { submitTestProposal } from '../support/proposal-input.js';

const PROPOSALS = 5;

describe('concurrent decisions', () => {
  let app: TestApplication;
  let reviewers: Guildbook[];

  beforeAll(async () => {
    app = await startTestApplication();
    const names = ['Rosa', 'Sven', 'Tara', 'Umar'];
    reviewers = await Promise.all(names.map(async (name) => (await app.person(name, { reviewer: true })).client));
  });
  afterAll(() => app.close());

  const memories = (proposal: ProposalDetails) =>
    app.database.client.memory.findMany({ where: { proposalId: proposal.id } });
  const decisions = (proposal: ProposalDetails) =>
    app.database.client.proposalDecision.findMany({ where: { proposalId: proposal.id } });
  const journalled = async (proposal: ProposalDetails) =>
    (await app.admin.journal.list({ subject: proposal.id })).items.map(({ action }) => action);

  /** The result of each request: the state, or the status and code of the problem. */
  const outcomes = async (requests: Promise<{ state: string }>[]): Promise<string[]> =>
    Promise.all(
      requests.map((request) =>
        request.then(
          ({ state }) => state,
          ({ problem }) => `${problem.status} ${problem.code}`,
        ),
      ),
    );

  async function undecided(proposal: ProposalDetails): Promise<void> {
    expect((await app.admin.proposals.show(proposal.id)).state).toBe('pending');
    expect(await decisions(proposal)).toEqual([]);
    expect(await memories(proposal)).toEqual([]);
    expect((await journalled(proposal)).filter((action) => action !== 'proposal.refused')).toEqual([
      'SKILL_EVOLVER_PROPOSAL_EMITTED',
    ]);
  }

  it('of four simultaneous approvals one succeeds, and the others get 409', async () => {
    for (let n = 0; n < PROPOSALS; n += 1) {
      const proposal = await submitTestProposal(app, `Approve once ${n}`);
      const answers = await outcomes(reviewers.map((r) => r.proposals.approve(proposal.id, proposal.artifactSha256)));
      expect(answers.sort()).toEqual([...Array(3).fill('409 proposal.already_decided'), 'approved']);
      expect(await memories(proposal)).toHaveLength(1);
      expect(await decisions(proposal)).toHaveLength(1);
      expect((await journalled(proposal)).filter((action) => action === 'proposal.approved')).toHaveLength(1);
    }
    await app.settled();
    expect((await app.admin.journal.list({ action: 'skill.published' })).items).toHaveLength(PROPOSALS);
    expect(await app.admin.journal.verify()).toMatchObject({ intact: true });
  });

  it('of a simultaneous approval and rejection one succeeds, and org memory agrees with it', async () => {
    for (let n = 0; n < PROPOSALS; n += 1) {
      const proposal = await submitTestProposal(app, `Decide once ${n}`);
      const answers = await outcomes(
        reviewers.map((r, i) =>
          i % 2 === n % 2
            ? r.proposals.approve(proposal.id, proposal.artifactSha256)
            : r.proposals.reject(proposal.id, 'not now'),
        ),
      );
      const [verdict, ...others] = answers.filter((answer) => !answer.startsWith('409'));
      expect(others).toEqual([]);
      expect(await decisions(proposal)).toEqual([expect.objectContaining({ verdict })]);
      expect((await app.admin.proposals.show(proposal.id)).state).toBe(verdict);
      expect(await memories(proposal)).toHaveLength(verdict === 'approved' ? 1 : 0);
    }
  });

  it('a rejection without a reason is 400 and names the field', async () => {
    const proposal = await submitTestProposal(app, 'Give a reason');
    const post = async (reason: object): Promise<unknown> => {
      const { status, body } = await http(app, app.adminToken).post(`/v1/proposals/${proposal.id}/reject`).send(reason);
      return { status, ...body };
    };
    for (const body of [{}, { reason: '' }, { reason: ' \n\t ' }, { reason: null }, { reason: 'x'.repeat(2_001) }])
      expect(await post(body)).toMatchObject({
        status: 400,
        code: 'request.invalid',
        errors: [{ field: 'reason', message: expect.any(String) }],
      });
    expect(await post({ reason: 'a good one', verdict: 'approved' })).toMatchObject({
      status: 400,
      errors: [{ field: 'verdict', message: 'is not a known field' }],
    });
    await undecided(proposal);
    expect(await post({ reason: 'a good one' })).toMatchObject({ status: 200, state: 'rejected' });
  });

  it('a secret in the reason of a rejection is redacted before it is stored', async () => {
    const proposal = await submitTestProposal(app, 'Keep a secret');
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
    await app.admin.proposals.reject(proposal.id, `It worked for me with ${secret} only`);
    expect(JSON.stringify([await decisions(proposal), await app.admin.proposals.show(proposal.id)])).not.toContain(
      secret,
    );
    expect((await decisions(proposal))[0]?.reason).toMatch(/^It worked for me with \[REDACTED:[a-z0-9-]+\] only$/);
  });

  it('a proposal whose skill changed is stale: 409, and the newer version stays', async () => {
    const first = await submitTestProposal(app, 'Name it in full');
    await app.admin.proposals.approve(first.id, first.artifactSha256);
    const [live] = await memories(first);
    const supersedes = { kind: 'supersede', supersedesId: live?.id ?? null } as const;
    const next = await submitTestProposal(app, 'Name it in full, better', supersedes);
    const late = await submitTestProposal(app, 'Name it in full, differently', supersedes);
    expect([next.skillName, late.skillName]).toEqual([first.skillName, first.skillName]);
    await app.admin.proposals.approve(next.id, next.artifactSha256);
    await expect(app.admin.proposals.approve(late.id, late.artifactSha256)).rejects.toMatchObject({
      problem: { status: 409, code: 'proposal.stale' },
    });
    await undecided(late);
    const [successor] = await memories(next);
    expect(successor).toMatchObject({ version: 2, supersededAt: null });
    expect((await memories(first))[0]).toMatchObject({ supersededById: successor?.id, version: 1 });
    expect((await app.admin.skills.show(first.skillName)).artifactSha256).toBe(next.artifactSha256);
  });

  it('of two simultaneously approved successors one succeeds and the other gets 409', async () => {
    for (let n = 0; n < PROPOSALS; n += 1) {
      const first = await submitTestProposal(app, `Have one successor ${n}`);
      await app.admin.proposals.approve(first.id, first.artifactSha256);
      const supersedes = { kind: 'supersede', supersedesId: (await memories(first))[0]?.id ?? null } as const;
      const rivals = [
        await submitTestProposal(app, `Have one successor ${n}, left`, supersedes),
        await submitTestProposal(app, `Have one successor ${n}, right`, supersedes),
      ];
      const answers = await outcomes(
        rivals.map((rival, i) => (reviewers[i] ?? app.admin).proposals.approve(rival.id, rival.artifactSha256)),
      );
      expect(answers.sort()).toEqual(['409 proposal.stale', 'approved']);
      expect((await Promise.all(rivals.map(memories))).flat()).toEqual([expect.objectContaining({ version: 2 })]);
    }
  });

  it('of a simultaneous successor and retirement one succeeds, and git agrees with org memory', async () => {
    for (let n = 0; n < PROPOSALS; n += 1) {
      const first = await submitTestProposal(app, `Be replaced or revoked ${n}`);
      await app.admin.proposals.approve(first.id, first.artifactSha256);
      const supersedes = { kind: 'supersede', supersedesId: (await memories(first))[0]?.id ?? null } as const;
      const next = await submitTestProposal(app, `Be replaced or revoked ${n}, better`, supersedes);
      const answers = await outcomes([
        (reviewers[0] ?? app.admin).proposals.approve(next.id, next.artifactSha256),
        (reviewers[1] ?? app.admin).retireSkill(first.id, 'It is not true any more'),
      ]);
      expect(answers.filter((answer) => answer === 'approved')).toHaveLength(1);
      expect(answers.find((answer) => answer !== 'approved')).toMatch(/^409 proposal\.(stale|not_live)$/);
      await app.settled();
      const live = await app.database.client.memory.count({
        where: { skillName: first.skillName, supersededAt: null },
      });
      const file = readFile(join(app.skillsDir, first.skillName, 'SKILL.md'), 'utf8').then(sha256);
      expect(await file.catch(() => 'none')).toBe(live === 1 ? next.artifactSha256 : 'none');
    }
  });

  it('a proposal whose content does not match its file is refused with 409, so that org memory agrees with the file', async () => {
    const proposal = await submitTestProposal(app, 'Say what you show');
    await app.database.client.proposal.update({
      where: { id: proposal.id },
      data: {
        revision: 2,
        proposedSkill: { ...proposal.proposedSkill, action: 'Pipe the script of a stranger into a shell.' },
      },
    });
    await expect(app.admin.proposals.approve(proposal.id, proposal.artifactSha256)).rejects.toMatchObject({
      problem: { status: 409, code: 'proposal.stale' },
    });
    await undecided(proposal);
  });

  it('a proposal with invisible characters has the same text in org memory as in the file', async () => {
    const proposal = await submitTestProposal(
      app,
      'Show what is there',
      {},
      { action: '\u200b Write the long name.\u200b \u2060' },
    );
    expect(proposal.proposedSkill.action).toBe('Write the long name.');
    // Hidden characters are a sign of prompt injection, so two approvals are needed.
    await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
    await reviewers[0]?.proposals.approve(proposal.id, proposal.artifactSha256);
    expect(await memories(proposal)).toEqual([expect.objectContaining({ action: 'Write the long name.' })]);
  });

  it('a proposal that is empty after redaction is refused, and does not block the queue', async () => {
    await expect(submitTestProposal(app, 'Show nothing', {}, { rationale: '\u200b' })).rejects.toMatchObject({
      code: 'proposal.not_publishable',
    });
    expect((await app.admin.proposals.list()).items.map(({ title }) => title)).not.toContain('Show nothing');
  });
});

describe('while the journal cannot be written', () => {
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  const break_ = 'ALTER TABLE "journal_entry" RENAME COLUMN "data" TO "data_away"';
  const mend = 'ALTER TABLE "journal_entry" RENAME COLUMN "data_away" TO "data"';

  it('no decision is made: the answer is 503 without details, and the decision succeeds afterwards', async () => {
    const approvable = await submitTestProposal(app, 'Write it down');
    const rejectable = await submitTestProposal(app, 'Write this down too');
    await app.database.client.$executeRawUnsafe(break_);
    const attempts = [
      app.admin.proposals.approve(approvable.id, approvable.artifactSha256),
      app.admin.proposals.reject(rejectable.id, 'not recorded'),
    ];
    for (const attempt of await Promise.allSettled(attempts)) {
      const problem = attempt.status === 'rejected' ? attempt.reason.problem : attempt.value;
      expect(problem).toMatchObject({ status: 503, code: 'journal.unavailable' });
      expect(JSON.stringify(problem)).not.toMatch(/column|data_away/);
    }
    await app.database.client.$executeRawUnsafe(mend);

    expect(await app.database.client.proposalDecision.count()).toBe(0);
    expect(await app.database.client.memory.count({ where: { scope: 'org' } })).toBe(0);
    expect(await app.database.client.publication.count()).toBe(0);
    expect((await app.admin.proposals.list()).total).toBe(2);
    expect(await app.admin.journal.verify()).toMatchObject({ intact: true });

    expect(await app.admin.proposals.approve(approvable.id, approvable.artifactSha256)).toMatchObject({
      state: 'approved',
    });
    expect(await app.admin.proposals.reject(rejectable.id, 'recorded')).toMatchObject({ state: 'rejected' });
  });
});
