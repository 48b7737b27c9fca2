import { describe, expect, it } from '@jest/globals';
import type { Sources } from './hybrid-search.js';
import { chooseSettings, finish } from './training.js';

/** The words find `words`, the vectors find `vectors`, all at one similarity. */
const asked = (words: readonly string[], vectors: readonly string[], similarity = 0.28): Sources => ({
  split: {
    query: { text: 'q', vector: new Float32Array(1), relevant: ['right'] },
    relevant: ['right'],
    skipped: new Set(),
  },
  words,
  vectors: vectors.map((id) => ({ id, similarity })),
});
const byWords = asked(['right', 'a', 'b'], ['c', 'd', 'e']);
const byVectors = asked(['a', 'b', 'c'], ['right', 'd', 'e']);
const served = { weight: 0.002, minSimilarity: 0.15 };
const unharmed = { before: [byWords], served, after: [asked(['right', 'a'], ['right', 'b'])] };
const harmed = { before: [byWords], served, after: [asked(['right', 'a'], ['b', 'a'])] };

const chosen = (stop: readonly Sources[], probe = unharmed) => finish(chooseSettings(stop, probe));

describe('the choice of a weight', () => {
  it('takes the smallest weight that is as good as the best', () => {
    expect(chosen([byVectors]).weight).toBe(3);
    expect(chosen([byWords]).weight).toBe(0.002);
  });

  it('leaves out weights with which the newest documents lose', () => {
    expect(chosen([byVectors], harmed).weight).toBe(0.002);
  });

  it('sets the highest threshold that costs the stop queries nothing', () => {
    expect(chosen([byVectors]).minSimilarity).toBe(0.25);
    const far = asked(['a', 'b', 'c'], ['right', 'd', 'e'], 0.12);
    expect(chosen([far]).minSimilarity).toBe(0.1);
  });
});
