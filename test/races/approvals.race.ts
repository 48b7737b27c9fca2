import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Guildbook } from '../../src/client/guildbook.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { type RaceResult, race, reviewersOf } from '../support/races.js';

const ITEMS = 200;
const CONTENDERS = 20;

jest.setTimeout(3_600_000);

/** `npm run test:races`; test/e2e/approval-races.spec.ts is the same with a few items. */
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
    items: ITEMS,
    attempts: ITEMS * contenders,
    answers: { approved: ITEMS, '409 approval.already_decided': ITEMS * (contenders - 1) },
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
