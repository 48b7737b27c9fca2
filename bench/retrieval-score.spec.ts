import { describe, expect, it } from '@jest/globals';
import { mean, scoreOf } from './retrieval-score.js';

describe('the quality of a ranking', () => {
  const relevant = new Map([
    ['a', 2],
    ['b', 1],
  ]);

  it('is 1 for the best order, and lower for any other', () => {
    expect(scoreOf(['a', 'b', 'x'], relevant)).toEqual({ ndcg10: 1, recall10: 1 });
    const swapped = (1 + 3 / Math.log2(3)) / (3 + 1 / Math.log2(3));
    expect(scoreOf(['b', 'a'], relevant).ndcg10).toBeCloseTo(swapped, 12);
    expect(scoreOf(['x', 'y'], relevant)).toEqual({ ndcg10: 0, recall10: 0 });
  });

  it('depends on the first ten results', () => {
    const late = [...Array.from({ length: 10 }, (_, n) => `x${n}`), 'a'];
    expect(scoreOf(late, relevant)).toEqual({ ndcg10: 0, recall10: 0 });
  });

  it('is averaged over queries', () => {
    expect(mean([scoreOf(['a', 'b'], relevant), scoreOf([], relevant)])).toEqual({ ndcg10: 0.5, recall10: 0.5 });
  });
});
