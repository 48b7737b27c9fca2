import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from '../support/database.js';
import { AT, emailOf, GateRows, type ProposalRow } from '../support/gate-rows.js';

const CI = { department: 'platform', role: 'ci' };
const later = (minutes: number) => new Date(Date.parse(AT) + minutes * 60_000).toISOString();

describe('the gate in the database, for overrides,', () => {
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

  const elsewhere = () => rows.reviewer({ review_scope: [{ department: 'sales' }] });
  const proposal = () => rows.proposal({ audience: [CI], votes_needed: 4 });
  const override = (of: ProposalRow, by: string, more = {}) =>
    rows.decide(of, by, { verdict: 'override', reason: 'all away', ...more });

  it('accepts two overrides within an hour as an approval and publishes it', async () => {
    const overridden = await proposal();
    const [one, other] = [await elsewhere(), await elsewhere()];
    await override(overridden, one);
    await expect(rows.setState(overridden, 'approved')).rejects.toThrow(/no such decision/);
    await override(overridden, other, { decided_at: later(59) });
    expect(await rows.setState(overridden, 'approved')).toBe(1);
    await rows.insert('memory', rows.orgMemory(overridden));
    const [name, email] = ['Who overrode', emailOf('Who overrode')];
    await rows.sql(`UPDATE "principal" SET "name" = '${name}', "email" = '${email}' WHERE "id" = '${other}'`);
    await rows.insert('publication', rows.publication(overridden, { author_name: name, author_email: email }));
  });

  it.each<[string, (proposal: ProposalRow) => Promise<void>]>([
    [
      'by one person, any number of times',
      async (of) => {
        const one = await elsewhere();
        for (const minutes of [0, 1, 2]) await override(of, one, { decided_at: later(minutes) });
      },
    ],
    [
      'an hour apart',
      async (of) => {
        await override(of, await elsewhere());
        await override(of, await elsewhere(), { decided_at: later(60) });
      },
    ],
    [
      'of which one is a vote',
      async (of) => {
        await override(of, await elsewhere());
        await rows.decide(of, await rows.reviewer());
      },
    ],
    [
      'of which one is of a person who was disabled since',
      async (of) => {
        const gone = await elsewhere();
        await override(of, gone);
        await override(of, await elsewhere());
        await rows.sql(`UPDATE "principal" SET "disabled_at" = '${AT}' WHERE "id" = '${gone}'`);
      },
    ],
    [
      'of which one is on an earlier revision',
      async (of) => {
        await override(of, await elsewhere());
        await rows.sql(`UPDATE "proposal" SET "revision" = 2 WHERE "id" = '${of.id}'`);
        await override(of, await elsewhere(), { revision: 2 });
      },
    ],
  ])('approves nothing by overrides %s', async (_which, give) => {
    const of = await proposal();
    await give(of);
    await expect(rows.setState(of, 'approved')).rejects.toThrow(/has no such decision|has \d of 4 votes/);
  });

  it('accepts no override by an agent or a person without the role, none without a reason, and no rejection by overrides', async () => {
    const of = await proposal();
    for (const by of [await rows.principal('agent'), await rows.principal('person')])
      await expect(override(of, by)).rejects.toThrow(/only an active person with the reviewer role/);
    await expect(override(of, await elsewhere(), { reason: null })).rejects.toThrow(/an override states a reason/);
    await override(of, await elsewhere());
    await override(of, await elsewhere());
    await expect(rows.setState(of, 'rejected')).rejects.toThrow(/has no such decision/);
  });
});
