import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { CountedHistories } from './counted-history.js';
import { histories } from './history.js';

jest.setTimeout(3_600_000);

const numRuns = Number(process.env['TEST_HISTORIES']);
const seed = Number(process.env['TEST_SEED']);
let counted: CountedHistories;
beforeAll(async () => {
  counted = await CountedHistories.start();
});
afterAll(() => counted.close());

/** `npm run test:histories`; test/e2e/histories.spec.ts does the same with a few. */
it('gives the counts and the proposals of the sessions of each history once', async () => {
  let [done, failed, proposals] = [0, 0, 0];
  for (const history of fc.sample(histories, { numRuns, seed })) {
    const once = await counted.once(history);
    const mixed = await counted.mixed(history);
    proposals += once.proposals.length;
    done += 1;
    try {
      expect(mixed).toEqual(once);
    } catch (error) {
      failed += 1;
      console.error(`history ${done}: ${JSON.stringify(history)}`, error);
    }
    if (done % 50 === 0) console.error(`${done} histories, ${failed} failed`);
  }
  process.stdout.write(`${JSON.stringify({ histories: done, failed, proposals, seed })}\n`);
  expect(failed).toBe(0);
  expect(proposals).toBeGreaterThan(0);
});
