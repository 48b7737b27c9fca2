import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { memoryEntry } from '../../../test/support/memory-entries.js';
import { LocalEmbedder } from '../embedding/local-embedder.strategy.js';
import { fuse } from './fusion.js';
import { DEFAULT_PROFILE, RankingProfile } from './ranking-profile.schema.js';
import { type FoundMemory, rankFound } from './source-ranking.js';

const NOW = new Date('2026-03-01T00:00:00Z');
const OLD = '2026-01-01T00:00:00.000Z';
const EQUAL = { words: 1, vectors: 1 };
const found = (id: string, words?: [number, number], vectors?: [number, number], createdAt = OLD): FoundMemory => ({
  entry: memoryEntry({ id, createdAt, scope: 'agent', agentId: 'other-agent' }),
  sourceRanks: {
    ...(words ? { words: { rank: words[0], relevance: words[1] } } : {}),
    ...(vectors ? { vectors: { rank: vectors[0], relevance: vectors[1] } } : {}),
  },
});
const ids = (ranked: readonly { id: string }[]) => ranked.map(({ id }) => id);

describe('memories that words and vectors found', () => {
  it('are ranked by the only source with results', () => {
    expect(ids(rankFound([found('b', [2, 0.5]), found('a', [1, 0.9])], 'me', NOW, EQUAL))).toEqual(['a', 'b']);
    expect(ids(rankFound([found('a', undefined, [1, 0.9])], 'me', NOW, EQUAL))).toEqual(['a']);
    expect(rankFound([], 'me', NOW, EQUAL)).toEqual([]);
  });

  it("rank what the agent learned itself higher, and a copy of another agent's lesson as that lesson ranks", () => {
    const second = (propagatedFromId: string | null, agentId = 'me') => {
      const entry = memoryEntry({ id: 'second', createdAt: OLD, scope: 'agent', agentId, propagatedFromId });
      const ranked = rankFound([found('first', [1, 0.9]), { ...found('second', [2, 0.9]), entry }], 'me', NOW, EQUAL);
      return ranked.find(({ id }) => id === 'second')?.rank.combined ?? 0;
    };
    expect(second(null)).toBeGreaterThan(second('x'));
    expect(second('x')).toBe(second(null, 'other-agent'));
  });

  it('keep their relevance, because the fusion gives the last of each list nothing', () => {
    const all = [found('a', [1, 0.9]), found('b', undefined, [1, 0.8]), found('c', undefined, [2, 0.1])];
    const ranked = rankFound(all, 'me', NOW, { words: 1, vectors: 0.9 });
    expect(ranked.map(({ id, rank }) => [id, rank.relevance])).toEqual([
      ['a', 0.9],
      ['b', 0.8],
      ['c', 0.1],
    ]);
    expect(fuse([{ ids: ['a'] }, { ids: ['b'], weight: 0.9 }]).at(-1)?.score).toBe(0);
  });

  it('have the best relevance that a source gives them, which neither age nor the fusion changes', () => {
    const [first] = rankFound([found('a', [1, 0.6], [1, 0.8])], 'me', NOW, EQUAL);
    expect(first?.rank.relevance).toBe(0.8);
    const [fresh] = rankFound([found('new', [1, 0.49], undefined, NOW.toISOString())], 'me', NOW, EQUAL);
    expect(fresh?.rank.relevance).toBe(0.49);
  });

  it('are fused with the k and over the results of the profile', () => {
    const all = Array.from({ length: 6 }, (_, n) => found(`m${n}`, [n + 1, 0.9], [6 - n, 0.9]));
    const standings = (fields: object) =>
      rankFound(
        all,
        'me',
        NOW,
        { words: 1, vectors: 0.5 },
        RankingProfile.parse({ version: 1, relevanceWeight: 1, recencyWeight: 0, ...fields }),
      ).map(({ id, rank: { combined } }) => [id, combined]);
    const lists = [
      { ids: all.map(({ entry }) => entry.id) },
      { ids: all.map(({ entry }) => entry.id).reverse(), weight: 0.5 },
    ];
    for (const [k, maxResults] of [
      [1, 20],
      [60, 20],
      [1, 2],
    ] as const)
      expect(Object.fromEntries(standings({ fusion: { k }, maxResults }))).toEqual(
        Object.fromEntries(fuse(lists, 6, k, maxResults).map(({ id, score }) => [id, score])),
      );
    expect(standings({ fusion: { k: 1 } })).not.toEqual(standings({}));
    expect(standings({ maxResults: 2 }).filter(([, standing]) => standing === 0)).toHaveLength(5);
  });

  it('keep the order of the keyword search with the local embedder, which only adds results after them', () => {
    const order = fc.shuffledSubarray(Array.from({ length: 60 }, (_, n) => `m${n}`));
    fc.assert(
      fc.property(order, order, (words, vectors) => {
        const fused = fuse([{ ids: words }, { ids: vectors, weight: new LocalEmbedder().weight }], 200);
        expect(ids(fused)).toEqual([...words, ...vectors.filter((id) => !words.includes(id))]);
      }),
    );
  });

  it('age, except for approved skills; if these aged as well, an old procedure would be lost', () => {
    const skill: FoundMemory = {
      entry: memoryEntry({ id: 'skill', scope: 'org', agentId: null, createdAt: OLD }),
      sourceRanks: { words: { rank: 2, relevance: 0.6 } },
    };
    const [first, second] = rankFound([skill, found('episode', [1, 0.6])], 'me', NOW, EQUAL, {
      ...DEFAULT_PROFILE,
      relevanceWeight: 0.1,
      recencyWeight: 0.9,
    });
    expect([first?.id, second?.id]).toEqual(['skill', 'episode']);
    expect([first?.rank.recency, second?.rank.recency]).toEqual([1, expect.closeTo(0, 3)]);
  });
});
