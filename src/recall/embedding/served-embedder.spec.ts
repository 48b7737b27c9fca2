import { describe, expect, it } from '@jest/globals';
import type { Embedder } from './embedder.js';
import { LocalEmbedder } from './local-embedder.strategy.js';
import { ServedEmbedder } from './served-embedder.js';

const other: Embedder = {
  name: 'other/1',
  knowsMeaning: true,
  minSimilarity: 0.3,
  weight: 0.7,
  embed: async (texts) => texts.map(() => Float32Array.of(1, 0)),
};

describe('the served embedder', () => {
  it('serves the configured embedder until it is switched, and again after it is switched back', () => {
    const served = new ServedEmbedder(new LocalEmbedder());
    const settings = () => [served.name, served.weight, served.minSimilarity, served.knowsMeaning];
    const before = settings();
    expect(served.current).toMatchObject({ checkpointId: null, displayName: served.name });
    served.switchTo({ embedder: other, displayName: 'other/1+a1', checkpointId: 'c' });
    expect(settings()).toEqual(['other/1', 0.7, 0.3, true]);
    served.switchTo(served.configured);
    expect(settings()).toEqual(before);
  });

  it('leaves what a request has read as it is', async () => {
    const served = new ServedEmbedder(other);
    const { embedder } = served.current;
    served.switchTo({ embedder: new LocalEmbedder(), displayName: 'x', checkpointId: null });
    expect(embedder.name).toBe('other/1');
    served.switchTo(served.configured);
    expect(await served.embed(['a'])).toEqual([Float32Array.of(1, 0)]);
  });
});
