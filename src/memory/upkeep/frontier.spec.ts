import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dominates, type FrontierPoint, frontiers } from './pruning.strategy.js';

const anyPoints: fc.Arbitrary<FrontierPoint[]> = fc.uniqueArray(
  fc.record({ id: fc.uuid(), relevance: fc.nat(6), recency: fc.nat(6) }),
  { selector: ({ id }) => id, maxLength: 40 },
);

/** The definition: peels off one frontier after the other. */
function peeled(points: readonly FrontierPoint[]): string[][] {
  const rounds: string[][] = [];
  for (let left = [...points]; left.length > 0; ) {
    const front = left.filter((point) => !left.some((other) => dominates(other, point)));
    rounds.push(front.map(({ id }) => id).sort());
    left = left.filter((point) => !front.includes(point));
  }
  return rounds;
}

describe('the frontiers of relevance and recency', () => {
  it('equal those that the definition peels off one by one', () => {
    fc.assert(
      fc.property(anyPoints, (points) => {
        expect(frontiers(points).map((front) => front.map(({ id }) => id).sort())).toEqual(peeled(points));
      }),
      { numRuns: 500 },
    );
  });

  it('hold equal points together', () => {
    const points = ['a', 'b', 'c'].map((id) => ({ id, relevance: 2, recency: 3 }));
    expect(frontiers(points)).toHaveLength(1);
  });
});
