import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clusteringScore } from './clustering-score.js';

describe('the score of a clustering', () => {
  it('has the published value of a worked example', () => {
    // The example of Santos and Embrechts 2009, table 1 in its compact form.
    const groups = ['a', 'a', 'a', 'b', 'b', 'b'];
    const labels = ['x', 'x', 'y', 'y', 'z', 'z'];
    const { ari, pairPrecision, pairRecall } = clusteringScore(groups, labels);
    expect(ari).toBeCloseTo(0.2424, 3);
    expect(pairPrecision).toBeCloseTo(2 / 6);
    expect(pairRecall).toBeCloseTo(2 / 3);
  });

  it('is 1 for the same clustering with other names, and 0 for a single cluster', () => {
    expect(clusteringScore(['a', 'b', 'a'], ['1', '2', '1']).ari).toBe(1);
    expect(clusteringScore(['a', 'a', 'a', 'a'], ['1', '2', '1', '2']).ari).toBeCloseTo(0);
  });

  it('is symmetric in clustering and labels', () => {
    const names = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('x', 'y')), { minLength: 2 });
    fc.assert(
      fc.property(names, (items) => {
        const [groups, labels] = [items.map(([group]) => group), items.map(([, label]) => label)];
        expect(clusteringScore(groups, labels).ari).toBeCloseTo(clusteringScore(labels, groups).ari);
      }),
    );
  });
});
