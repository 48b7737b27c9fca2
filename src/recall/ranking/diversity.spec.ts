import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bigramsOf, type Diversifiable, diversify, jaccard, type Similarity } from './diversity.js';

/** The loop as in the paper: compares every candidate with everything taken, in every round. */
function textbook<T extends Diversifiable>(
  items: readonly T[],
  limit: number,
  lambda: number,
  alike: (a: string, b: string) => number,
): T[] {
  const left = [...items];
  const taken: T[] = [];
  while (left.length > 0 && taken.length < limit) {
    const values = left.map(
      ({ score, text = '' }) =>
        lambda * score -
        (1 - lambda) * taken.reduce((most, { text: other = '' }) => Math.max(most, alike(other, text)), 0),
    );
    const [best] = left.splice(values.indexOf(Math.max(...values)), 1);
    if (best) taken.push(best);
  }
  return taken;
}
const byBigrams = (a: string, b: string) => jaccard(bigramsOf(a), bigramsOf(b));

const items = fc.array(
  fc.record({
    text: fc
      .array(fc.constantFrom('use', 'python3', 'not', 'python', 'the', 'Job', '部署'), { maxLength: 8 })
      .map((w) => w.join(' ')),
    score: fc.integer({ min: 0, max: 20 }).map((n) => n / 20),
  }),
  { maxLength: 30 },
);
const lambda = fc.constantFrom(0, 0.3, 0.7, 1);

describe('diversity', () => {
  it('takes the same items as the textbook loop, in the same order', () => {
    fc.assert(
      fc.property(items, fc.nat({ max: 35 }), lambda, (pool, limit, l) => {
        expect(diversify(pool, limit, l)).toEqual(textbook(pool, limit, l, byBigrams));
      }),
      { numRuns: 300 },
    );
  });

  it('accepts another similarity, and compares each pair once', () => {
    fc.assert(
      fc.property(items, lambda, (pool, l) => {
        let compared = 0;
        const sameLength: Similarity = (a, b) => {
          compared += 1;
          return pool[a]?.text.length === pool[b]?.text.length ? 1 : 0;
        };
        const taken = diversify(pool, pool.length, l, sameLength);
        expect(compared).toBeLessThanOrEqual((pool.length * (pool.length - 1)) / 2);
        expect(taken).toEqual(textbook(pool, pool.length, l, (a, b) => (a.length === b.length ? 1 : 0)));
      }),
    );
  });

  it('ranks a second wording of the same lesson after another lesson', () => {
    const pool = [
      { text: 'use python3 not python for the export', score: 0.9 },
      { text: 'use python3 not python for the nightly export', score: 0.88 },
      { text: 'retry the upload with a longer timeout', score: 0.8 },
    ];
    expect(diversify(pool, 2)).toEqual([pool[0], pool[2]]);
  });
});
