import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sha256 } from '../../platform/base/canonical-json.js';
import { HASHED_DIMENSIONS, hashedEmbedding } from './hashed-embedding.js';
import { LocalEmbedder } from './local-embedder.strategy.js';

const likeness = (a: string, b: string): number => {
  const other = hashedEmbedding(b);
  return hashedEmbedding(a).reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
};

describe('the local embedder', () => {
  it('returns a unit vector for each text, and a zero vector for a text without words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const vector = hashedEmbedding(text);
        expect(vector).toHaveLength(HASHED_DIMENSIONS);
        const squares = vector.reduce((sum, value) => sum + value * value, 0);
        expect(Math.abs(squares - (squares === 0 ? 0 : 1))).toBeLessThan(1e-5);
      }),
    );
  });

  it('places typos and inflections near a word, and other words not', () => {
    const { minSimilarity } = new LocalEmbedder();
    expect(likeness('kubernetes deployment', 'kubernets deplyoment')).toBeGreaterThan(minSimilarity);
    expect(likeness('Datenbankverbindung', 'Verbindung zur Datenbank')).toBeGreaterThan(minSimilarity);
    expect(likeness('kubernetes deployment', 'invoice of a customer')).toBeLessThan(minSimilarity);
    expect(likeness('部署失败', '部署')).toBeGreaterThan(minSimilarity);
  });

  it('returns the same vector on every machine; a different vector needs another name, so that memories are embedded again', async () => {
    const [vector = new Float32Array()] = await new LocalEmbedder().embed(['Run python3, not python']);
    const rounded = [...vector].map((value) => Math.round(value * 1_000));
    expect([new LocalEmbedder().name, sha256(JSON.stringify(rounded))]).toEqual([
      'hashed-pieces/1/512',
      'fb1c3f4a86080ad376e2fa0f1bf0af0a4f31bca28d710e4cdbd5c66e1b9a9322',
    ]);
  });
});
