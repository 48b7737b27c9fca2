import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Guildbook } from '../../src/client/guildbook.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { type RaceResult, race, reviewersOf } from '../support/races.js';

const ITEMS = 200;
const CONTENDERS = 20;

jest.setTimeout(3_600_000);

/** `npm run test:races`; test/e2e/proposal-races.spec.ts is the same with a few items. */
describe('200 items', () => {
  let app: TestApplication;
  let reviewers: Guildbook[];

  beforeAll(async () => {
    app = await startTestApplication();
    reviewers = await reviewersOf(app, CONTENDERS);
  });
  afterAll(() => app.close());

  const show = (result: RaceResult) => process.stdout.write(`${JSON.stringify(result)}\n`);
  const exactlyOnce = (contenders: number): RaceResult => ({
    proposals: ITEMS,
    attempts: ITEMS * contenders,
    answers: { approved: ITEMS, '409 proposal.already_decided': ITEMS * (contenders - 1) },
    exactlyOnce: ITEMS,
    orgMemory: ITEMS,
    publications: ITEMS,
    commits: ITEMS,
    refusalsJournalled: ITEMS * (contenders - 1),
    journalIntact: true,
  });

  it('approved by 20 reviewers at once are each published exactly once', async () => {
    const result = await race(app, ITEMS, reviewers, 'Won by one of many');
    show(result);
    expect(result).toEqual(exactlyOnce(CONTENDERS));
  });

  it('approved by two reviewers at once are each published exactly once', async () => {
    const result = await race(app, ITEMS, reviewers.slice(0, 2), 'Won by one of two');
    show(result);
    expect(result).toEqual(exactlyOnce(2));
  });
});

/** Where each of two simultaneous voters sees one vote, nobody publishes; where both see two, both do (threats §2). */
describe('200 items that take two people', () => {
  let app: TestApplication;
  let reviewers: Guildbook[];

  beforeAll(async () => {
    app = await startTestApplication({ GUILDBOOK_APPROVAL_QUORUM: '2' });
    reviewers = await reviewersOf(app, 4);
  });
  afterAll(() => app.close());

  it.each([2, 4])('are each published exactly once when %i vote at once', async (voters) => {
    const result = await race(app, ITEMS, reviewers.slice(0, voters), `Won by two of ${voters}`, 2);
    process.stdout.write(`${JSON.stringify(result)}\n`);
    const late = ITEMS * (voters - 2);
    expect(result).toEqual({
      ...{ items: ITEMS, attempts: ITEMS * voters, exactlyOnce: ITEMS, orgMemory: ITEMS, publications: ITEMS },
      answers: { pending: ITEMS, approved: ITEMS, ...(late > 0 ? { '409 proposal.already_decided': late } : {}) },
      ...{ commits: ITEMS, refusalsJournalled: late, journalIntact: true },
    });
  });
});
