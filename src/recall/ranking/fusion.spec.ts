import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fuse, MAX_FUSED } from './fusion.js';

const list = fc.uniqueArray(fc.nat({ max: 60 }).map(String), { maxLength: 40 });

describe('reciprocal rank fusion', () => {
  it('ranks results first that several sources found early', () => {
    expect(fuse([{ ids: ['a', 'b', 'c'] }, { ids: ['c', 'b'] }]).map(({ id }) => id)).toEqual(['c', 'b', 'a']);
  });

  it('is between 0 and 1, ordered, at most twenty results, and independent of the order of the sources', () => {
    fc.assert(
      fc.property(list, list, (a, b) => {
        const fused = fuse([{ ids: a }, { ids: b }]);
        expect(fuse([{ ids: b }, { ids: a }])).toEqual(fused);
        expect(fused).toHaveLength(Math.min(MAX_FUSED, new Set([...a, ...b]).size));
        for (const [at, { score }] of fused.entries()) {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(fused[at - 1]?.score ?? 1);
        }
        if (fused.length > 0) expect(fused[0]?.score).toBe(1);
      }),
    );
  });

  it('keeps the order of a single source', () => {
    fc.assert(
      fc.property(list, (ids) => {
        expect(fuse([{ ids }], 100).map(({ id }) => id)).toEqual(ids);
      }),
    );
  });

  it('keeps the distances among the best results when a source with a tiny weight adds others', () => {
    const ids = Array.from({ length: 30 }, (_, at) => `word ${at}`);
    const vectors = Array.from({ length: 30 }, (_, at) => `vector ${at}`);
    const alone = fuse([{ ids }]);
    const beside = fuse([{ ids }, { ids: vectors, weight: 0.002 }], 60);
    expect(beside.slice(0, MAX_FUSED)).toEqual(alone);
    expect(beside.slice(MAX_FUSED).map(({ score }) => score)).toEqual(Array.from({ length: 40 }, () => 0));
  });

  it('scores the last hit 0, so a threshold after the fusion would drop the best hit of a short list', () => {
    const [only] = fuse([{ ids: ['only'] }]);
    expect(only?.score).toBe(1);
    const both = fuse([{ ids: ['a', 'b'] }, { ids: ['b', 'a', 'first of a third'] }, { ids: ['first of a third'] }]);
    expect(both.at(-1)).toMatchObject({ score: 0 });
  });
});
