import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '../support/database.js';
import { GateRows, otherValues, type ProposalRow } from '../support/gate-rows.js';

/** The columns of a proposal that a decision, a withdrawal or its expiry changes. People vote on all others. */
const MUTABLE_PROPOSAL_COLUMNS = ['state', 'updated_at', 'decided_at', 'expires_at'];
const BY_REVISION = /changes only as a new revision/;

describe('the gate in the database, for whole statements,', () => {
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

  const change = (proposals: readonly ProposalRow[], assignment: string) =>
    rows.sql(`UPDATE "proposal" SET ${assignment} WHERE "id" IN (${proposals.map(({ id }) => `'${id}'`).join(', ')})`);

  it('changes no column that people vote on without a new revision, including future columns', async () => {
    const proposal = await rows.proposal();
    const columns = await otherValues(opened.database, 'proposal');
    const votedOn = [...columns].filter(([name]) => ![...MUTABLE_PROPOSAL_COLUMNS, 'revision'].includes(name));
    expect(votedOn.length).toBeGreaterThan(25);
    for (const [name, value] of votedOn)
      await expect(change([proposal], `"${name}" = ${value}`)).rejects.toThrow(BY_REVISION);
    await expect(change([proposal], '"revision" = 0')).rejects.toThrow(BY_REVISION);
    // The state comes last: a decided proposal is frozen.
    for (const name of [...MUTABLE_PROPOSAL_COLUMNS].reverse())
      expect(await change([proposal], `"${name}" = ${columns.get(name)}`)).toBe(1);
  });

  it.each([
    ['first', (good: ProposalRow, bad: ProposalRow) => [bad, good]],
    ['last', (good: ProposalRow, bad: ProposalRow) => [good, bad]],
  ])('rejects a whole statement if its %s row violates a rule', async (_where, inOrder) => {
    const [reviewer, agent] = [await rows.reviewer(), await rows.principal('agent')];
    const [good, bad] = [await rows.proposal(), await rows.proposal()];
    const votes = inOrder(good, bad).map((proposal) => rows.decision(proposal, proposal === bad ? agent : reviewer));
    await expect(rows.insertAll('proposal_decision', votes)).rejects.toThrow(/only an active person/);
    await expect(change([good], `"state" = 'approved'`)).rejects.toThrow(/has no such decision/);

    await rows.decide(good, reviewer);
    await expect(change(inOrder(good, bad), `"state" = 'approved'`)).rejects.toThrow(/has no such decision/);
    await expect(change(inOrder(good, bad), `"state" = 'rejected'`)).rejects.toThrow(/has no such decision/);
    expect(await change([good], `"state" = 'approved'`)).toBe(1);

    const memories = inOrder(good, bad).map((proposal) => rows.orgMemory(proposal));
    await expect(rows.insertAll('memory', memories)).rejects.toThrow(/needs a person's approval/);
    const publications = inOrder(good, bad).map((proposal) => rows.publication(proposal));
    await expect(rows.insertAll('publication', publications)).rejects.toThrow(/only approved bytes/);
    const left = await opened.database.client.$queryRaw`
      SELECT (SELECT count(*) FROM "memory") AS "memories", (SELECT count(*) FROM "publication") AS "publications",
        (SELECT count(*) FROM "proposal_decision" WHERE "proposal_id" = ${bad.id}::uuid) AS "votes"`;
    expect(left).toEqual([{ memories: 0n, publications: 0n, votes: 0n }]);
  });
});
