import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ClusterInput, clusterOf, similarityOf } from './proposal.repository.js';

const brief = fc.record({
  title: fc.string({ maxLength: 40 }),
  condition: fc.string({ maxLength: 60 }),
  fingerprints: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }),
});
const of = (title: string, condition = `\`${title}\` failed`, fingerprints: string[] = []): ClusterInput => ({
  title,
  condition,
  fingerprints,
});

describe('near-duplicates in the queue', () => {
  it('are found by their words, in any order and case', () => {
    expect(similarityOf(of('Quote the glob pattern'), of('quote GLOB the pattern'))).toBe(1);
    expect(similarityOf(of('Quote the glob pattern'), of('Wait for the port to open'))).toBeLessThan(0.6);
  });

  it('are found by a common pattern, independent of the words', () => {
    expect(similarityOf(of('One thing', 'here', ['p']), of('Another matter', 'there', ['q', 'p']))).toBe(1);
  });

  it('have a symmetric similarity between 0 and 1', () => {
    fc.assert(
      fc.property(brief, brief, (a, b) => {
        expect(similarityOf(a, b)).toBe(similarityOf(b, a));
        expect(similarityOf(a, b)).toBeGreaterThanOrEqual(0);
        expect(similarityOf(a, b)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('join the cluster of the most similar proposal, or none', () => {
    const waiting = [
      { ...of('Quote the pattern of find'), cluster: 'near' },
      { ...of('Quote the glob pattern of find'), cluster: 'nearest' },
      { ...of('Wait for the port'), cluster: 'far' },
    ];
    expect(clusterOf(of('Quote the glob pattern of find'), waiting)).toBe('nearest');
    expect(clusterOf(of('Name the branch'), waiting)).toBeUndefined();
  });
});
