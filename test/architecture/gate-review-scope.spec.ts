import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { reviewScopeCovers } from '../../src/access/identity/review-scope.js';
import { openTestDatabase, type TestDatabase } from '../support/database.js';
import { GateRows } from '../support/gate-rows.js';

const OUTSIDE = /outside this reviewer's review scope/;
const CI = { department: 'platform', role: 'ci' };

describe('the gate in the database, for review scopes,', () => {
  let opened: TestDatabase;
  let rows: GateRows;

  beforeAll(async () => {
    opened = await openTestDatabase({ fresh: true });
    rows = new GateRows(opened.database);
  });
  afterAll(async () => {
    await opened.database.close();
    await opened.drop();
  });

  it('accepts decisions within a review scope and neither approval nor rejection outside of it', async () => {
    const platform = await rows.reviewer({ review_scope: [{ department: 'platform' }] });
    const sales = await rows.reviewer({ review_scope: [{ department: 'sales' }] });
    const proposal = await rows.proposal({ audience: [CI] });
    for (const verdict of ['approved', 'rejected'])
      await expect(rows.decide(proposal, sales, { verdict })).rejects.toThrow(OUTSIDE);
    await rows.decide(proposal, platform);
    expect(await rows.setState(proposal, 'approved')).toBe(1);
  });

  it('rejects a decision for all agents by a reviewer with a limited scope', async () => {
    const platform = await rows.reviewer({ review_scope: [{ department: 'platform' }] });
    const proposal = await rows.proposal({ audience: [] });
    await expect(rows.decide(proposal, platform)).rejects.toThrow(OUTSIDE);
    await rows.decide(proposal, await rows.reviewer());
  });

  it('counts a vote only while its reviewer is responsible for these agents', async () => {
    const gone = await rows.reviewer({ review_scope: [{ department: 'platform' }] });
    const proposal = await rows.proposal({ audience: [CI], votes_needed: 2 });
    await rows.decide(proposal, gone);
    await rows.decide(proposal, await rows.reviewer());
    await rows.sql(`UPDATE "principal" SET "review_scope" = '[{"department": "sales"}]' WHERE "id" = '${gone}'`);
    await expect(rows.setState(proposal, 'approved')).rejects.toThrow(/has 1 of 2 votes/);
    await rows.decide(proposal, await rows.reviewer({ review_scope: [{ role: 'ci' }] }));
    expect(await rows.setState(proposal, 'approved')).toBe(1);
  });

  it('prevents a change of the audience after votes', async () => {
    const proposal = await rows.proposal({ audience: [CI] });
    const change = rows.sql(`UPDATE "proposal" SET "audience" = '[]' WHERE "id" = '${proposal.id}'`);
    await expect(change).rejects.toThrow(/only as a new revision/);
    await expect(rows.proposal({ audience: {} })).rejects.toThrow(/audience_is_a_list/);
  });

  it('allows a review scope for people only', async () => {
    for (const kind of ['agent', 'service'] as const)
      await expect(rows.principal(kind, { review_scope: [{ role: 'ci' }] })).rejects.toThrow(
        /review_scope_is_a_persons/,
      );
    await expect(rows.reviewer({ review_scope: 'all' })).rejects.toThrow(/review_scope_is_a_persons/);
  });

  it('evaluates every review scope and audience as the application does', async () => {
    const word = fc.constantFrom('platform', 'ci', '');
    const place = fc.record({ department: fc.option(word), role: fc.option(word) });
    const part = fc.record({ department: word, role: word }, { requiredKeys: [] });
    const cases = fc.sample(fc.tuple(fc.option(fc.array(part, { maxLength: 3 })), fc.array(place, { maxLength: 3 })), {
      numRuns: 300,
      seed: 42,
    });
    const [verdicts] = await opened.database.client.$queryRaw<{ all: boolean[] }[]>`
      SELECT array_agg(review_scope_covers(NULLIF(c -> 0, 'null'::jsonb), c -> 1) ORDER BY n) AS "all"
      FROM jsonb_array_elements(${JSON.stringify(cases)}::jsonb) WITH ORDINALITY AS t(c, n)`;
    expect(verdicts?.all).toEqual(cases.map(([reviewScope, audience]) => reviewScopeCovers(reviewScope, audience)));
    expect(new Set(verdicts?.all).size).toBe(2);
  });
});
