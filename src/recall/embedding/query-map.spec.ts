import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AdaptedEmbedder, adaptedName } from './adapted-embedder.strategy.js';
import { embedQueries, toLengthOne } from './embedder.js';
import { LocalEmbedder } from './local-embedder.strategy.js';
import { packModel, UnreadableModel } from './model-bytes.js';
import { type MapShape, QueryMap } from './query-map.js';

/** Without −0, which a sum turns into 0. */
const number = fc.float({ min: -1, max: 1, noNaN: true }).map((value) => value + 0);
const vector = fc.array(number, { minLength: 3, maxLength: 3 }).map((values) => Float32Array.from(values));
const shape = fc.constantFrom<MapShape>('full', 'diagonal');
const someMap = fc.tuple(shape, fc.array(number, { minLength: 9, maxLength: 9 })).map(([kind, values]) => {
  return new QueryMap(3, kind, Float32Array.from(values.slice(0, kind === 'full' ? 9 : 3)));
});

describe('a map of queries', () => {
  it('is the identity at the start', () => {
    fc.assert(
      fc.property(shape, vector, (kind, x) => {
        expect(QueryMap.identity(3, kind).apply(x)).toEqual(x);
      }),
    );
  });

  it('is linear', () => {
    fc.assert(
      fc.property(someMap, vector, vector, (map, x, y) => {
        const together = map.apply(x.map((value, at) => 2 * value - (y[at] ?? 0)));
        const [ofX, ofY] = [map.apply(x), map.apply(y)];
        for (const [at, value] of together.entries()) expect(value).toBeCloseTo(2 * (ofX[at] ?? 0) - (ofY[at] ?? 0), 4);
      }),
    );
  });

  it('returns unit vectors, and is the same after it was written and read', () => {
    fc.assert(
      fc.property(someMap, vector, (map, x) => {
        const y = QueryMap.read(map.write()).map(x);
        expect(y).toEqual(toLengthOne(map.apply(x)));
      }),
    );
  });

  it('refuses vectors of another length and bytes of another form', () => {
    const map = QueryMap.identity(3, 'full');
    expect(() => map.map(new Float32Array(4))).toThrow('4 dimensions, the map 3');
    const format = { magic: 'GBQM', version: 1 };
    const wrong = [
      [Uint32Array.of(3, 0), new Float32Array(3)],
      [Uint32Array.of(3, 2), new Float32Array(3)],
      [Uint32Array.of(0, 1), new Float32Array(0)],
      [Uint32Array.of(9_000, 1), new Float32Array(9_000)],
      [Uint32Array.of(3, 1), Float32Array.of(1, 2, Number.NaN)],
      [Uint32Array.of(3)],
    ];
    for (const parts of wrong) expect(() => QueryMap.read(packModel(format, parts))).toThrow(UnreadableModel);
  });

  it('maps the queries of an embedder, and leaves its stored vectors and its name as they are', async () => {
    const base = new LocalEmbedder();
    const [plain = new Float32Array()] = await base.embed(['disk full']);
    const map = QueryMap.identity(plain.length, 'diagonal');
    map.delta.fill(-2);
    const bytes = map.write();
    const adapted = new AdaptedEmbedder(base, bytes, { weight: 0.3, minSimilarity: 0.2 });
    expect(adapted).toMatchObject({ name: base.name, weight: 0.3, minSimilarity: 0.2 });
    expect(await adapted.embed(['disk full'])).toEqual([plain]);
    const [asked = plain] = await embedQueries(adapted, ['disk full']);
    for (const [at, value] of asked.entries()) expect(value).toBeCloseTo(-(plain[at] ?? 0), 5);
    expect(await embedQueries(base, ['disk full'])).toEqual([plain]);
    expect(adaptedName(base.name, bytes)).toMatch(/^hashed-pieces\/1\/512\+a[0-9a-f]{8}$/);
    expect(() => new AdaptedEmbedder(base, bytes.subarray(1), adapted)).toThrow(UnreadableModel);
  });
});
