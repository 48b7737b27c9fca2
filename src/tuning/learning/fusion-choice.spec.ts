import { describe, expect, it } from '@jest/globals';
import { chooseSettings, chooseWeight, weightsFor } from './fusion-choice.js';
import type { Sources } from './hybrid-search.js';
import { finish } from './staged-training.js';

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

describe('the choice of a weight', () => {
  it('takes the smallest weight that is as good as the best', () => {
    const weights = weightsFor('latent-terms/1/128');
    expect(finish(chooseWeight([byVectors], weights, 0.05))).toBe(3);
    expect(finish(chooseWeight([byWords], weights, 0.05))).toBe(0.002);
  });

  it('never lets hashed vectors count more than words', () => {
    expect(Math.max(...weightsFor('hashed-pieces/1/512'))).toBe(1);
    expect(Math.max(...weightsFor('http/model'))).toBe(500);
  });

  it('leaves out weights with which documents without pairs lose', () => {
    const weights = weightsFor('latent-terms/1/128');
    expect(finish(chooseSettings(weights, [byVectors], unharmed)).weight).toBe(3);
    expect(finish(chooseSettings(weights, [byVectors], harmed)).weight).toBe(0.002);
  });

  it('sets the highest threshold that costs the stop queries nothing', () => {
    const weights = weightsFor('latent-terms/1/128');
    expect(finish(chooseSettings(weights, [byVectors], unharmed)).minSimilarity).toBe(0.25);
    const far = asked(['a', 'b', 'c'], ['right', 'd', 'e'], 0.12);
    expect(finish(chooseSettings(weights, [far], unharmed)).minSimilarity).toBe(0.1);
  });
});
