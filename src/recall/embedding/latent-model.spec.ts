import { describe, expect, it } from '@jest/globals';
import { LatentEmbedder } from './latent-embedder.strategy.js';
import { LatentModel, latentName } from './latent-model.js';
import { packModel, UnreadableModel } from './model-bytes.js';

const terms = ['invoic', 'kubernet', 'pod'];
const projection = Float32Array.of(1, 0, 0, 0.9, 0, 0.8);
const model = LatentModel.of(terms, Float32Array.of(1, 2, 2), projection, 2);
const settings = { weight: 1, minSimilarity: 0.3 };

const cosine = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

describe('the latent model', () => {
  it('places texts by the directions of their terms, also texts that came later', () => {
    const [pods, cluster, bill] = ['two pods', 'kubernetes down', 'an invoice'].map((text) => model.embed(text));
    if (!pods || !cluster || !bill) throw new Error('no vector');
    expect(cosine(pods, cluster)).toBeCloseTo(1, 5);
    expect(cosine(pods, bill)).toBeCloseTo(0, 5);
    expect(cosine(pods, pods)).toBeCloseTo(1, 5);
    expect([...model.embed('nothing known')]).toEqual([0, 0]);
  });

  it('is the same after it was written and read', () => {
    const bytes = model.write();
    const read = LatentModel.read(bytes);
    expect(read.terms).toEqual(terms);
    expect(read.embed('pods of kubernetes and an invoice')).toEqual(model.embed('pods of kubernetes and an invoice'));
    expect(read.write()).toEqual(bytes);
  });

  it('is refused if a part does not fit the others', () => {
    const format = { magic: 'GBLT', version: 1 };
    const text = (some: readonly string[]) => new TextEncoder().encode(some.join('\n'));
    const good: ArrayBufferView[] = [
      Uint32Array.of(2, 3),
      text(terms),
      new Float32Array(3),
      new Float32Array(3),
      new Int8Array(6),
    ];
    expect(LatentModel.read(packModel(format, good)).dimensions).toBe(2);
    const wrong: [number, ArrayBufferView][] = [
      [0, Uint32Array.of(2)],
      [0, Uint32Array.of(0, 3)],
      [0, Uint32Array.of(129, 3)],
      [1, text(['a', 'b'])],
      [1, text(['a', 'b', 'a'])],
      [2, new Float32Array(2)],
      [3, Float32Array.of(1, Number.POSITIVE_INFINITY, 1)],
      [4, new Int8Array(5)],
    ];
    for (const [part, value] of wrong)
      expect(() => LatentModel.read(packModel(format, good.with(part, value)))).toThrow(UnreadableModel);
    expect(() => LatentModel.read(packModel(format, good.slice(1)))).toThrow(UnreadableModel);
    expect(() => LatentModel.read(packModel(format, [...good, new Uint8Array()]))).toThrow(UnreadableModel);
  });

  it('serves as an embedder whose name says which model it is', async () => {
    const bytes = model.write();
    const embedder = new LatentEmbedder(bytes, settings);
    expect(embedder).toMatchObject({ ...settings, dimensions: 2, name: latentName(bytes, 2) });
    expect(embedder.name).toMatch(/^latent-terms\/1\/2\+[0-9a-f]{8}$/);
    expect(await embedder.embed(['pods', 'invoice'])).toEqual([model.embed('pods'), model.embed('invoice')]);
    const other = LatentModel.of(terms, Float32Array.of(1, 2, 3), projection, 2).write();
    expect(new LatentEmbedder(other, settings).name).not.toBe(embedder.name);
    expect(() => new LatentEmbedder(bytes.subarray(1), settings)).toThrow(UnreadableModel);
  });
});
