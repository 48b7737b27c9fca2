import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { memoryEntry } from '../../../test/support/memory-entries.js';
import { LocalEmbedder } from '../embedding/local-embedder.strategy.js';
import { fuse } from './fusion.js';
import { RANKING, rank } from './ranking.js';
import { RankingProfile } from './ranking-profile.schema.js';
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

  it("rank a copy of another agent's lesson as that lesson ranks, below the same lesson of the agent itself", () => {
    const own = (id: string, propagatedFromId: string | null): FoundMemory => ({
      ...found(id, [1, 0.9]),
      entry: memoryEntry({ id, createdAt: OLD, scope: 'agent', agentId: 'me', propagatedFromId }),
    });
    const [learned, copy, original] = rankFound(
      [own('copy', 'x'), found('original', [1, 0.9]), own('learned', null)],
      'me',
      NOW,
      EQUAL,
    );
    expect([learned?.id, copy?.id, original?.id]).toEqual(['learned', 'copy', 'original']);
    expect(copy?.rank).toEqual(original?.rank);
  });

  it('must reach the threshold of a source before the fusion; after it, the threshold would drop the first hit of a list', () => {
    // Each source has one good hit, and the vectors also one below the threshold.
    const all = [found('a', [1, 0.9]), found('b', undefined, [1, 0.9]), found('c', undefined, [2, 0.1])];
    const ours = rankFound(all, 'me', NOW, { words: 1, vectors: 0.9 });
    expect(ids(ours)).toEqual(['a', 'b']);
    // The reference system fuses everything, normalises, and then applies the threshold of 0.3.
    const fused = fuse([{ ids: ['a'] }, { ids: ['b', 'c'], weight: 0.9 }]);
    const theirs = rank(
      fused
        .filter(({ id }) => id !== 'c')
        .map(({ id, score }) => ({ id, relevance: score, personal: false, writtenAt: new Date(OLD) })),
      NOW,
    );
    expect(ids(theirs)).toContain('a');
    const onlyGood = fuse([{ ids: ['a'] }, { ids: ['b'], weight: 0.9 }]).map(({ id, score }) => ({
      id,
      relevance: score,
      personal: false,
      writtenAt: new Date(OLD),
    }));
    expect(ids(rank(onlyGood, NOW))).toEqual(['a']);
  });

  it('include exactly the memories above the threshold of a source', () => {
    const place = fc.option(fc.integer({ min: 0, max: 10 }), { nil: undefined });
    fc.assert(
      fc.property(fc.array(fc.tuple(place, place), { maxLength: 12 }), (scores) => {
        const list = (which: 0 | 1) =>
          scores
            .flatMap((pair, n) => (pair[which] === undefined ? [] : [{ n, score: pair[which] / 10 }]))
            .sort((x, y) => y.score - x.score || x.n - y.n);
        const placeIn = (which: 0 | 1, n: number): [number, number] | undefined => {
          const at = list(which).findIndex((one) => one.n === n);
          return at < 0 ? undefined : [at + 1, list(which)[at]?.score ?? 0];
        };
        const all = scores
          .map((_, n) => found(`m${n}`, placeIn(0, n), placeIn(1, n)))
          .filter(({ sourceRanks: places }) => places.words || places.vectors);
        const good = all
          .filter(({ sourceRanks: places }) =>
            [places.words, places.vectors].some(
              (at) => at !== undefined && RANKING.relevanceWeight * at.relevance >= RANKING.minRelevance,
            ),
          )
          .map(({ entry }) => entry.id);
        expect(ids(rankFound(all, 'me', NOW, EQUAL)).sort()).toEqual(good.sort());
      }),
    );
  });

  it('are fused with the k and over the results of the profile', () => {
    const all = Array.from({ length: 6 }, (_, n) => found(`m${n}`, [n + 1, 0.9], [6 - n, 0.9]));
    const relevances = (fields: object) =>
      rankFound(all, 'me', NOW, { words: 1, vectors: 0.5 }, RankingProfile.parse({ version: 1, ...fields })).map(
        ({ id, relevance }) => [id, relevance],
      );
    const lists = [
      { ids: all.map(({ entry }) => entry.id) },
      { ids: all.map(({ entry }) => entry.id).reverse(), weight: 0.5 },
    ];
    for (const [k, maxResults] of [
      [1, 20],
      [60, 20],
      [1, 2],
    ] as const)
      expect(Object.fromEntries(relevances({ fusion: { k }, maxResults }))).toEqual(
        Object.fromEntries(fuse(lists, 6, k, maxResults).map(({ id, score }) => [id, score])),
      );
    expect(relevances({ fusion: { k: 1 } })).not.toEqual(relevances({}));
    expect(relevances({ maxResults: 2 }).filter(([, relevance]) => relevance === 0)).toHaveLength(5);
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
      sourceRanks: { words: { rank: 1, relevance: 0.5 }, vectors: { rank: 1, relevance: 0.35 } },
    };
    const episode = found('episode', [2, 0.4], [2, 0.34]);
    expect(ids(rankFound([skill, episode], 'me', NOW, EQUAL))).toEqual(['skill']);
    const aged: FoundMemory = {
      ...skill,
      entry: { ...skill.entry, scope: 'role' },
      sourceRanks: { words: { rank: 1, relevance: 0.4 } },
    };
    expect(rankFound([aged], 'me', NOW, EQUAL)).toEqual([]);
  });
});
