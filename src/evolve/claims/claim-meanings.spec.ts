import { describe, expect, it } from '@jest/globals';
import { compareClaims } from '../../../test/support/claims.js';
import { ClaimEmbedding } from './claim-embedding.service.js';
import { ClaimMeanings } from './claim-meanings.js';

const at = (degrees: number) =>
  new Float32Array([Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]);

describe('the similarity of claims by meaning', () => {
  it('is 0 at the least similarity of the model, 1 for the same meaning, and symmetric', () => {
    const vectors = new Map([
      ['pod', at(0)],
      ['container', at(0)],
      ['close', at(45)],
      ['apart', at(60)],
      ['opposite', at(180)],
    ]);
    const meanings = new ClaimMeanings(vectors, 0.5);
    expect(meanings.similarity('pod', 'container')).toBeCloseTo(1);
    expect(meanings.similarity('pod', 'close')).toBeCloseTo((Math.SQRT1_2 - 0.5) / 0.5);
    expect(meanings.similarity('close', 'pod')).toBe(meanings.similarity('pod', 'close'));
    expect(meanings.similarity('pod', 'apart')).toBeCloseTo(0);
    expect(meanings.similarity('pod', 'opposite')).toBe(0);
    expect([...meanings.missing]).toEqual([]);
  });

  it('is 0 for a text without a vector, which it notes; the same text needs none', () => {
    const meanings = new ClaimMeanings(new Map([['known', at(0)]]), 0.4);
    expect(meanings.similarity('known', 'new')).toBe(0);
    expect(meanings.similarity('other', 'other')).toBe(1);
    expect([...meanings.missing]).toEqual(['new']);
  });

  it('excuses no contradiction of words, whatever the model says', () => {
    const semantic = (): number => 1;
    for (const [one, other] of [
      ['Do restart the server', 'Do not restart the server'],
      ['Set the limit to 5 seconds', 'Set the limit to 50 seconds'],
      ['Take the backup before the migration', 'Take the backup after the migration'],
      ['Increase the timeout', 'Decrease the timeout'],
      ['Use python3 for the export', 'Use python2 for the export'],
    ] as const) {
      const [a, b] = [one, other].map((action, n) => ({
        condition: 'The export fails',
        action,
        confidence: 0.9 - n / 10,
      }));
      if (!a || !b) throw new Error('two claims');
      expect([compareClaims(a, b, { semantic }), compareClaims(b, a, { semantic })]).toEqual(['CONFLICT', 'CONFLICT']);
    }
  });
});

describe('a comparison with an embedder', () => {
  const comparing = (pairs: readonly (readonly [string, string])[]) => {
    const seen: (number[] | undefined)[] = [];
    const compare = async (meanings: ClaimMeanings | undefined) => {
      seen.push(meanings && pairs.map(([a, b]) => meanings.similarity(a, b)));
      return seen.at(-1);
    };
    return { seen, compare };
  };

  it('is repeated once the vectors of its texts are known, and asks for each text once', async () => {
    const asked: string[][] = [];
    const embedding = new ClaimEmbedding();
    embedding.use({
      minSimilarity: 0,
      embed: async (texts) => {
        asked.push([...texts]);
        return texts.map((text) => at(text.length));
      },
    });
    const { seen, compare } = comparing([['aa', 'bb']]);
    expect(await embedding.during(compare)).toEqual([expect.closeTo(1)]);
    expect(seen).toHaveLength(2);
    await embedding.during(comparing([['aa', 'cc']]).compare);
    expect(asked).toEqual([['aa', 'bb'], ['cc']]);
  });

  it('goes by words alone without an embedder, or while it is away', async () => {
    const embedding = new ClaimEmbedding();
    expect(await embedding.during(comparing([['aa', 'bb']]).compare)).toBeUndefined();
    embedding.use({
      minSimilarity: 0,
      embed: () => Promise.reject(new Error('away')),
    });
    const { seen, compare } = comparing([['aa', 'bb']]);
    expect(await embedding.during(compare)).toBeUndefined();
    expect(seen).toEqual([[0], undefined]);
  });

  it('passes the faults of the comparison on', async () => {
    const embedding = new ClaimEmbedding();
    embedding.use({ minSimilarity: 0, embed: async (texts) => texts.map(() => at(0)) });
    await expect(embedding.during(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('sends no secret to the embedder', async () => {
    const asked: string[] = [];
    const embedding = new ClaimEmbedding();
    embedding.use({
      minSimilarity: 0,
      embed: async (texts) => {
        asked.push(...texts);
        return texts.map(() => at(0));
      },
    });
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
    await embedding.during(comparing([[`Use ${secret}`, 'Use none']]).compare);
    expect(asked.join()).toContain('Use ');
    expect(asked.join()).not.toContain(secret);
  });
});
