import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CountedHistories } from '../histories/counted-history.js';
import { histories } from '../histories/history.js';

let counted: CountedHistories;
beforeAll(async () => {
  counted = await CountedHistories.start();
});
afterAll(() => counted.close());

describe('a mixture of resumes, forks, copies, worktrees, orders and roads', () => {
  it('gives the counts and the proposals of the same sessions once', async () => {
    let proposals = 0;
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const once = await counted.once(history);
        proposals += once.proposals.length;
        expect(await counted.mixed(history)).toEqual(once);
      }),
      { numRuns: 10, endOnFailure: true },
    );
    expect(proposals).toBeGreaterThan(0);
  });
});
