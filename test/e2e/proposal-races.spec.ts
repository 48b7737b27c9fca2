import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import type { Guildbook } from '../../src/client/guildbook.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { whileJournalIsBroken } from '../support/journal.js';
import { submitTestProposal } from '../support/proposal-input.js';
import { race, reviewersOf } from '../support/races.js';

const PROPOSALS = 6;
const CONTENDERS = 8;

/** `npm run test:races` does the same with 200 proposals and 20 contenders. */
describe('a race of approvals', () => {
  let app: TestApplication;
  let reviewers: Guildbook[];

  beforeAll(async () => {
    app = await startTestApplication();
    reviewers = await reviewersOf(app, CONTENDERS);
  });
  afterAll(() => app.close());

  it('publishes every proposal exactly once, and journals the late requests', async () => {
    expect(await race(app, PROPOSALS, reviewers, 'Won by one of many')).toEqual({
      proposals: PROPOSALS,
      attempts: PROPOSALS * CONTENDERS,
      answers: { approved: PROPOSALS, '409 proposal.already_decided': PROPOSALS * (CONTENDERS - 1) },
      exactlyOnce: PROPOSALS,
      orgMemory: PROPOSALS,
      publications: PROPOSALS,
      commits: PROPOSALS,
      refusalsJournalled: PROPOSALS * (CONTENDERS - 1),
      journalIntact: true,
    });
  });

  it('counts one person once for any number of requests', async () => {
    const [one] = reviewers;
    const same = Array.from({ length: CONTENDERS }, () => one ?? app.admin);
    expect(await race(app, PROPOSALS, same, 'Won by one alone')).toMatchObject({
      answers: { approved: PROPOSALS, '409 proposal.already_decided': PROPOSALS * (CONTENDERS - 1) },
      exactlyOnce: PROPOSALS,
      refusalsJournalled: PROPOSALS,
    });
  });

  it('fails only the approval that the database refuses, of those in one transaction', async () => {
    const items: ProposalDetails[] = [];
    for (let n = 0; n < 5; n += 1) items.push(await submitTestProposal(app, `Decided together ${n}`));
    const bad = items[2];
    await whileRefused(app, bad?.id ?? '', async () => {
      const answers = await Promise.allSettled(
        items.map(({ id, artifactSha256 }) => app.admin.proposals.approve(id, artifactSha256)),
      );
      expect(answers.map(({ status }) => status)).toEqual(
        items.map(({ id }) => (id === bad?.id ? 'rejected' : 'fulfilled')),
      );
    });
    const states = await Promise.all(items.map(async ({ id }) => (await app.admin.proposals.show(id)).state));
    expect(states).toEqual(items.map(({ id }) => (id === bad?.id ? 'pending' : 'approved')));
    const where = { proposalId: { in: items.map(({ id }) => id) } };
    expect(await app.database.client.publication.count({ where })).toBe(items.length - 1);
    expect(await app.database.client.memory.count({ where })).toBe(items.length - 1);
    expect(await app.admin.journal.verify()).toMatchObject({ intact: true });
  });

  it('approves none of a batch while the journal cannot be written', async () => {
    const items: ProposalDetails[] = [];
    for (let n = 0; n < 3; n += 1) items.push(await submitTestProposal(app, `Not written down ${n}`));
    const approveAll = () =>
      Promise.allSettled(items.map(({ id, artifactSha256 }) => app.admin.proposals.approve(id, artifactSha256)));
    await whileJournalIsBroken(app, async () => {
      for (const answer of await approveAll())
        expect(answer).toMatchObject({ reason: { problem: { status: 503, code: 'journal.unavailable' } } });
      expect(
        await app.database.client.proposalDecision.count({ where: { proposalId: { in: items.map(({ id }) => id) } } }),
      ).toBe(0);
    });
    for (const answer of await approveAll()) expect(answer).toMatchObject({ value: { state: 'approved' } });
  });
});

/** Runs the work while the outbox refuses this proposal, to simulate an unexpected database error. */
async function whileRefused({ database }: TestApplication, id: string, work: () => Promise<void>): Promise<void> {
  await database.client.$executeRawUnsafe(
    `ALTER TABLE "publication" ADD CONSTRAINT "fault" CHECK ("proposal_id" <> '${id}') NOT VALID`,
  );
  await work();
  await database.client.$executeRaw`ALTER TABLE "publication" DROP CONSTRAINT "fault"`;
}
