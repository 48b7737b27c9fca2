import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Candidate, RANKING, rank, rankingScoreOf, relevanceOfScore } from './ranking.js';

const NOW = new Date('2026-11-21T12:00:00Z');
const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000);
const candidate = (change: Partial<Candidate> = {}): Candidate => ({
  id: 'a',
  relevance: 0.5,
  personal: false,
  writtenAt: NOW,
  ...change,
});

describe('the score of a memory', () => {
  it('is seven parts relevance and three parts recency', () => {
    expect(rankingScoreOf(candidate(), NOW)).toEqual({
      relevance: 0.5,
      recency: 1,
      combined: expect.closeTo(0.65, 12),
    });
    expect(rankingScoreOf(candidate({ writtenAt: hoursAgo(100) }), NOW).combined).toBeCloseTo(
      0.35 + 0.3 * Math.exp(-1),
      12,
    );
  });

  it('prefers memories of the agent itself, and never exceeds 1', () => {
    expect(rankingScoreOf(candidate({ personal: true }), NOW).relevance).toBeCloseTo(0.6, 12);
    expect(rankingScoreOf(candidate({ personal: true, relevance: 0.95 }), NOW).relevance).toBe(1);
  });

  it('does not fall with the age of an approved skill, unlike in the reference system', () => {
    const year = hoursAgo(365 * 24);
    expect(rankingScoreOf(candidate({ writtenAt: undefined }), NOW).recency).toBe(1);
    expect(rankingScoreOf(candidate({ writtenAt: year }), NOW).recency).toBeLessThan(1e-9);
    const skill = candidate({ id: 'skill', relevance: 0.4, writtenAt: undefined });
    const aged = candidate({ id: 'aged', relevance: 0.4, writtenAt: year });
    expect(rank([aged, skill], NOW).map(({ id }) => id)).toEqual(['skill']);
  });

  it("treats a time in the future, from another machine's clock, as now", () => {
    expect(rankingScoreOf(candidate({ writtenAt: hoursAgo(-5) }), NOW).recency).toBe(1);
  });
});

describe('ranking', () => {
  it('leaves out memories below the threshold; recency does not lift a memory that does not age', () => {
    const low = candidate({ id: 'low', relevance: 0.1, writtenAt: hoursAgo(1_000) });
    const lowSkill = candidate({ id: 'low skill', relevance: 0.1, writtenAt: undefined });
    expect(rank([low, lowSkill, candidate()], NOW).map(({ id }) => id)).toEqual(['a']);
  });

  it('does not depend on the order of the candidates', () => {
    const one = fc.record({
      id: fc.nat({ max: 50 }).map(String),
      relevance: fc.double({ min: 0, max: 1, noNaN: true }),
      personal: fc.boolean(),
      writtenAt: fc.option(fc.nat({ max: 500 }).map(hoursAgo), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(one, { selector: ({ id }) => id }), (candidates) => {
        const ranked = rank(candidates, NOW);
        expect(rank([...candidates].reverse(), NOW)).toEqual(ranked);
        for (const { rank: found } of ranked) expect(found.combined).toBeGreaterThanOrEqual(RANKING.minRelevance);
      }),
    );
  });
});

describe('a BM25 score as relevance', () => {
  it('is a half for one average term of the query, grows with the score and stays below one', () => {
    expect(relevanceOfScore(3, 3)).toBe(0.5);
    expect(relevanceOfScore(6, 3)).toBeCloseTo(2 / 3, 12);
    expect(relevanceOfScore(0, 0)).toBe(0);
    expect(relevanceOfScore(1_000, 3)).toBeLessThan(1);
  });
});
