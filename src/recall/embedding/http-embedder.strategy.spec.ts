import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type EmbeddingsApi, startEmbeddingsApi } from '../../../test/support/embeddings-api.js';
import { EmbedderUnavailable } from './embedder.js';
import { HttpEmbedder, type HttpEmbedderSettings } from './http-embedder.strategy.js';

const KEY = ['key', 'of', 'the', 'embedder'].join('-');
const SECRET = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');

let api: EmbeddingsApi;
let pauses: number[];
beforeAll(async () => {
  api = await startEmbeddingsApi();
});
beforeEach(() => {
  api.calls.length = 0;
  pauses = [];
});
afterAll(() => api.close());

function embedder(change: Partial<HttpEmbedderSettings> = {}): HttpEmbedder {
  const settings = { url: api.url, model: 'm-1', apiKey: KEY, timeoutMs: 5_000, minSimilarity: 0.4, weight: 1 };
  return new HttpEmbedder({ ...settings, ...change }, async (milliseconds) => {
    pauses.push(milliseconds);
  });
}
const problemOf = (embedding: Promise<unknown>): Promise<unknown> => embedding.catch((error: unknown) => error);

describe('the embedder over HTTP', () => {
  it('calls /v1/embeddings with key and model, and returns unit vectors in the order of the texts', async () => {
    const [car, bird, plain] = await embedder({ url: `${api.url}/` }).embed(['a car', 'the heron', 'nothing']);
    expect(api.calls).toMatchObject([
      { path: '/v1/embeddings', model: 'm-1', input: ['a car', 'the heron', 'nothing'] },
    ]);
    expect(api.calls[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(car?.[0]).toBeCloseTo(0.995, 3);
    expect(bird?.[2]).toBeCloseTo(0.995, 3);
    expect(plain?.[3]).toBe(1);
    await embedder({ apiKey: undefined }).embed(['a car']);
    expect(api.calls[1]?.headers.authorization).toBeUndefined();
  });

  it('sends 64 texts in a request, each redacted and clipped', async () => {
    const texts = Array.from({ length: 130 }, (_, n) => `text ${n}`);
    texts[0] = `token ${SECRET}`;
    texts[1] = 'x'.repeat(50_000);
    expect(await embedder().embed(texts)).toHaveLength(130);
    expect(api.calls.map(({ input }) => input.length)).toEqual([64, 64, 2]);
    expect(api.calls[0]?.input[0]).not.toContain(SECRET);
    expect(api.calls[0]?.input[1]?.length).toBeLessThanOrEqual(8_000);
    expect(await embedder().embed([])).toEqual([]);
  });

  it('retries transient failures up to three times, and honours Retry-After within its limit', async () => {
    api.refuse({ status: 429, headers: { 'retry-after': '1' } }, { status: 503, headers: { 'retry-after': '900' } });
    expect(await embedder().embed(['a car'])).toHaveLength(1);
    expect(pauses).toEqual([1_000, 2_000]);
    api.refuse({ status: 500 }, { status: 500 }, { status: 500 });
    expect(await problemOf(embedder().embed(['a car']))).toEqual(
      new EmbedderUnavailable('the embedder responded with status 500'),
    );
    expect(api.calls).toHaveLength(6);
  });

  it('does not retry permanent failures, follows no redirect, and reveals neither a response nor the key', async () => {
    api.refuse({ status: 401, body: `wrong key ${KEY}` });
    expect(await problemOf(embedder().embed(['a']))).toEqual(
      new EmbedderUnavailable('the embedder responded with status 401'),
    );
    expect(api.calls).toHaveLength(1);
    const away = { status: 307, headers: { location: 'http://127.0.0.1:9/' } };
    api.refuse(away, away, away);
    const problem = await problemOf(embedder().embed(['a']));
    expect(problem).toEqual(new EmbedderUnavailable('the embedder is unreachable (no connection)'));
  });

  it('respects its time limit', async () => {
    // A request may be given up before it arrives, so that its silence would be left for another test.
    const silent = await startEmbeddingsApi();
    silent.refuse('silence', 'silence', 'silence');
    expect(await problemOf(embedder({ url: silent.url, timeoutMs: 50 }).embed(['a']))).toEqual(
      new EmbedderUnavailable('the embedder is unreachable (timeout)'),
    );
    await silent.close();
  });

  it('refuses a response without one numeric vector of the same length for each text', async () => {
    const bodies = [
      'no JSON',
      '{"data":[]}',
      '{"data":[{"index":1,"embedding":[1]}]}',
      '{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}',
      '{"data":[{"index":0,"embedding":["1"]}]}',
      '{"data":[{"index":0,"embedding":[1e300]}]}',
      `{"data":[{"index":0,"embedding":[${'1,'.repeat(9_000)}1]}]}`,
    ];
    for (const body of bodies) {
      api.refuse({ status: 200, body });
      expect(await problemOf(embedder().embed(['a']))).toBeInstanceOf(EmbedderUnavailable);
    }
    expect(api.calls).toHaveLength(bodies.length);
    api.embed = (text) => (text === 'a' ? [1] : [1, 2]);
    expect(await problemOf(embedder().embed(['a', 'b']))).toBeInstanceOf(EmbedderUnavailable);
  });
});
