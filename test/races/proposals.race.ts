import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Guildbook } from '../../src/client/guildbook.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { type RaceResult, race, reviewersOf } from '../support/races.js';

const PROPOSALS = 200;
const CONTENDERS = 20;

jest.setTimeout(3_600_000);

/** `npm run test:races`; test/e2e/proposal-races.spec.ts does the same with a few proposals. */
describe('200 proposals', () => {
  let app: TestApplication;
  let reviewers: Guildbook[];

  beforeAll(async () => {
    app = await startTestApplication();
    reviewers = await reviewersOf(app, CONTENDERS);
  });
  afterAll(() => app.close());

  const show = (result: RaceResult) => process.stdout.write(`${JSON.stringify(result)}\n`);
  const exactlyOnce = (contenders: number): RaceResult => ({
    proposals: PROPOSALS,
    attempts: PROPOSALS * contenders,
    answers: { approved: PROPOSALS, '409 proposal.already_decided': PROPOSALS * (contenders - 1) },
    exactlyOnce: PROPOSALS,
    orgMemory: PROPOSALS,
    publications: PROPOSALS,
    commits: PROPOSALS,
    refusalsJournalled: PROPOSALS * (contenders - 1),
    journalIntact: true,
  });

  it('are each published exactly once when 20 reviewers approve them at once', async () => {
    const result = await race(app, PROPOSALS, reviewers, 'Won by one of many');
    show(result);
    expect(result).toEqual(exactlyOnce(CONTENDERS));
  });

  it('are each published exactly once when two reviewers approve them at once', async () => {
    const result = await race(app, PROPOSALS, reviewers.slice(0, 2), 'Won by one of two');
    show(result);
    expect(result).toEqual(exactlyOnce(2));
  });
});

/**
 * If each of two simultaneous voters saw one vote, the proposal would never be published; if both saw two, it would be
 * published twice.
 */
describe('200 proposals that need two people', () => {
  let app: TestApplication;
  let reviewers: Guildbook[];

  beforeAll(async () => {
    app = await startTestApplication({ GUILDBOOK_APPROVAL_QUORUM: '2' });
    reviewers = await reviewersOf(app, 4);
  });
  afterAll(() => app.close());

  it.each([2, 4])('are each published exactly once when %i vote at once', async (voters) => {
    const result = await race(app, PROPOSALS, reviewers.slice(0, voters), `Won by two of ${voters}`, 2);
    process.stdout.write(`${JSON.stringify(result)}\n`);
    const late = PROPOSALS * (voters - 2);
    expect(result).toEqual({
      proposals: PROPOSALS,
      attempts: PROPOSALS * voters,
      exactlyOnce: PROPOSALS,
      orgMemory: PROPOSALS,
      publications: PROPOSALS,
      answers: {
        pending: PROPOSALS,
        approved: PROPOSALS,
        ...(late > 0 ? { '409 proposal.already_decided': late } : {}),
      },
      commits: PROPOSALS,
      refusalsJournalled: late,
      journalIntact: true,
    });
  });
});
