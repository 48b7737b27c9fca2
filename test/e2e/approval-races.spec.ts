import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Guildbook } from '../../src/client/guildbook.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
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
      answers: { approved: ITEMS, '409 approval.already_decided': ITEMS * (CONTENDERS - 1) },
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
      answers: { approved: ITEMS, '409 approval.already_decided': ITEMS * (CONTENDERS - 1) },
      exactlyOnce: ITEMS,
      refusalsJournalled: ITEMS,
    });
  });
});
