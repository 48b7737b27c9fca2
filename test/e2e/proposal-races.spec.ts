import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import type { Guildbook } from '../../src/client/guildbook.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { whileJournalIsBroken } from '../support/journal.js';
import { submitTestProposal } from '../support/proposal-input.js';
import { race, reviewersOf } from '../support/races.js';

const ITEMS = 6;
const CONTENDERS = 8;

/** `npm run test:races` does the same with 200 items and 20 contenders. */
describe('a race of approvals', () => {
  let app: TestApplication;
  let reviewers: Guildbook[];

  beforeAll(async () => {
    app = await startTestApplication();
    reviewers = await reviewersOf(app, CONTENDERS);
  });
  afterAll(() => app.close());

  it('publishes every item exactly once, and remembers whoever was too late', async () => {
    expect(await race(app, ITEMS, reviewers, 'Won by one of many')).toEqual({
      items: ITEMS,
      attempts: ITEMS * CONTENDERS,
      answers: { approved: ITEMS, '409 proposal.already_decided': ITEMS * (CONTENDERS - 1) },
      exactlyOnce: ITEMS,
      orgMemory: ITEMS,
      publications: ITEMS,
      commits: ITEMS,
      refusalsJournalled: ITEMS * (CONTENDERS - 1),
      journalIntact: true,
    });
  });

  it('counts one person once, with however many requests', async () => {
    const [one] = reviewers;
    const same = Array.from({ length: CONTENDERS }, () => one ?? app.admin);
    expect(await race(app, ITEMS, same, 'Won by one alone')).toMatchObject({
      answers: { approved: ITEMS, '409 proposal.already_decided': ITEMS * (CONTENDERS - 1) },
      exactlyOnce: ITEMS,
      refusalsJournalled: ITEMS,
    });
  });

  it('lets one that the database refuses fail alone, of those that are decided together', async () => {
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

  it('takes none of those that are decided together while the journal cannot be written', async () => {
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

/** Does the work while the outbox takes nothing of this item: as a fault of the database that nobody foresaw. */
async function whileRefused({ database }: TestApplication, id: string, work: () => Promise<void>): Promise<void> {
  await database.client.$executeRawUnsafe(
    `ALTER TABLE "publication" ADD CONSTRAINT "fault" CHECK ("proposal_id" <> '${id}') NOT VALID`,
  );
  await work();
  await database.client.$executeRaw`ALTER TABLE "publication" DROP CONSTRAINT "fault"`;
}
