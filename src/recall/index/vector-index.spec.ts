import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toLengthOne } from '../embedding/embedder.js';
import { VectorIndex } from './vector-index.js';

const DIMENSIONS = 6;
const vector = fc
  .array(fc.integer({ min: -3, max: 3 }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
  .map((values) => toLengthOne(Float32Array.from(values)));
const change = fc.record({
  id: fc.constantFrom(...Array.from({ length: 90 }, (_, n) => `m${n}`)),
  group: fc.constantFrom('agent:a', 'agent:b', 'org'),
  vector: fc.option(vector, { freq: 4, nil: undefined }),
});
const cosine = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

describe('the vector index', () => {
  it('returns exactly the nearest vectors of the requested groups, after any additions and removals', () => {
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 200 }),
        vector,
        fc.nat({ max: 12 }),
        fc.constantFrom(-1, 0, 0.5),
        (changes, query, limit, floor) => {
          const index = new VectorIndex(DIMENSIONS);
          const held = new Map<string, { group: string; vector: Float32Array }>();
          for (const { id, group, vector: put } of changes)
            if (put) {
              index.put(id, group, put);
              held.set(id, { group, vector: put });
            } else expect(index.remove(id)).toBe(held.delete(id));
          expect(index.size).toBe(held.size);
          const asked = ['agent:a', 'org', 'org'];
          const expected = [...held]
            .filter(([, { group }]) => asked.includes(group))
            .map(([id, { vector: one }]) => ({ id, similarity: cosine(query, one) }))
            .filter(({ similarity }) => similarity > floor - 1e-6)
            .sort((x, y) => y.similarity - x.similarity);
          const near = index.search(query, asked, limit, floor);
          expect(near.length).toBeLessThanOrEqual(limit);
          for (const { id, similarity } of near) {
            expect(asked).toContain(held.get(id)?.group);
            expect(similarity).toBeCloseTo(cosine(query, held.get(id)?.vector ?? new Float32Array()), 5);
            expect(similarity).toBeGreaterThanOrEqual(floor);
          }
          const atLeast = expected.filter(({ similarity }) => similarity > floor + 1e-6).slice(0, limit);
          for (const [at, { similarity }] of atLeast.entries()) expect(near[at]?.similarity).toBeCloseTo(similarity, 5);
        },
      ),
    );
  });

  it('orders ties by id, and never compares vectors of different lengths', () => {
    const index = new VectorIndex(2);
    const same = Float32Array.of(1, 0);
    for (const id of ['c', 'a', 'b']) index.put(id, 'org', same);
    expect(index.search(same, ['org'], 2, 0).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(index.search(Float32Array.of(1, 0, 0), ['org'], 2, 0)).toEqual([]);
    expect(() => index.put('d', 'org', Float32Array.of(1))).toThrow(RangeError);
    expect(index.groupHolding('d')).toBeUndefined();
  });
});
