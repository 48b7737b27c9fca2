import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { GateRows } from '../../../test/support/gate-rows.js';
import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import { WORD_RULES_VERSION } from '../proposals/proposal-words.js';
import { ProposalQuery } from '../proposals/proposals.schema.js';
import { QueuePageRepository } from './queue-page.repository.js';

const PROPOSALS = 100_000;
// Writing so many rows is slow on a busy machine.
jest.setTimeout(300_000);

let opened: TestDatabase;
beforeAll(async () => {
  opened = await openTestDatabase();
  const { client } = opened.database;
  const template = new GateRows(opened.database).proposalRow();
  await client.$transaction(
    async (tx) => {
      // Without the gate's triggers, which are slow and not under test here.
      await tx.$executeRaw`SET LOCAL session_replication_role = replica`;
      await tx.$executeRaw`
        INSERT INTO "proposal" SELECT i.* FROM generate_series(1, ${PROPOSALS}::int) n,
          jsonb_populate_record(NULL::"proposal", ${JSON.stringify(template)}::jsonb || jsonb_build_object(
            'id', gen_random_uuid(), 'fingerprint', n, 'skill_name', 'skill-' || n, 'impact', n % 997)) i`;
      await tx.$executeRaw`
        INSERT INTO "proposal_words" ("proposal_id", "rules", "words")
        SELECT "id", ${WORD_RULES_VERSION}, array_to_tsvector(ARRAY['skill', "skill_name",
          'of' || "impact", CASE WHEN "fingerprint" = '77777' THEN 'sevens' ELSE 'other' END]) FROM "proposal"`;
    },
    { timeout: 300_000 },
  );
  await client.$executeRaw`ANALYZE "proposal"`;
  await client.$executeRaw`ANALYZE "proposal_words"`;
});
afterAll(async () => {
  await opened.database.close();
  await opened.drop();
});

const pages = new QueuePageRepository();

/** A transaction that returns the query plan instead of the rows. */
async function plansOf(q: string): Promise<string[]> {
  const plans: string[] = [];
  const explaining = {
    $queryRaw: async (text: TemplateStringsArray, ...values: unknown[]) => {
      const lines = await opened.database.client.$queryRaw<Record<string, string>[]>(
        Prisma.sql`EXPLAIN ${Prisma.sql(text, ...values)}`,
      );
      plans.push(lines.map((line) => Object.values(line).join('')).join('\n'));
      return [];
    },
  };
  // The repository uses only this method of a transaction.
  const tx = explaining as unknown as Tx;
  await pages.page(tx, ProposalQuery.parse({ q }));
  await pages.page(tx, ProposalQuery.parse({ q, after: '0.unchecked.5.00000000-0000-4000-8000-000000000000' }));
  return plans;
}

it.each(['sevens', 'seven other', '"seven other"', 'sev-ens'])(
  'a search for %s among 100,000 proposals uses the index, and does not read them all',
  async (q) => {
    const plans = await plansOf(q);
    expect(plans).toHaveLength(3);
    for (const plan of plans) {
      expect(plan).toContain('proposal_words_words_idx');
      expect(plan).not.toContain('Seq Scan');
    }
  },
);

it('a word of every proposal is found as well, highest impact first', async () => {
  const page = await pages.page(opened.database.client, ProposalQuery.parse({ q: 'skil', limit: 2 }));
  expect(page).toMatchObject({ total: 1_000, ids: { length: 2 }, next: expect.stringMatching(/^0\.unchecked\.996\./) });
});

it('one of them is found by prefixes of its words', async () => {
  const { total, ids } = await pages.page(opened.database.client, ProposalQuery.parse({ q: 'of11 seven' }));
  const proposal = await opened.database.client.proposal.findFirst({ where: { fingerprint: '77777' } });
  expect([total, ids]).toEqual([1, [proposal?.id]]);
});
