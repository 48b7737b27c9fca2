import { describe, expect, it } from '@jest/globals';
import { type Candidate, orderingScore } from './ranking.js';

const NOW = new Date('2026-11-21T12:00:00Z');
const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000);
const scoreOf = (change: Partial<Candidate> = {}) =>
  orderingScore({ id: 'a', standing: 0.5, personal: false, writtenAt: NOW, ...change }, NOW);

describe('the place of a memory', () => {
  it('is seven parts where it stands among what was found and three parts recency', () => {
    expect(scoreOf()).toEqual({ recency: 1, combined: expect.closeTo(0.65, 12) });
    expect(scoreOf({ writtenAt: hoursAgo(100) }).combined).toBeCloseTo(0.35 + 0.3 * Math.exp(-1), 12);
  });

  it('is higher for memories of the agent itself, and never exceeds 1', () => {
    expect(scoreOf({ personal: true }).combined).toBeCloseTo(0.72, 12);
    expect(scoreOf({ personal: true, standing: 0.95 }).combined).toBeCloseTo(1, 12);
  });

  it('does not fall with the age of an approved skill', () => {
    expect(scoreOf({ writtenAt: undefined }).recency).toBe(1);
    expect(scoreOf({ writtenAt: hoursAgo(365 * 24) }).recency).toBeLessThan(1e-9);
  });

  it("treats a time in the future, from another machine's clock, as now", () => {
    expect(scoreOf({ writtenAt: hoursAgo(-5) }).recency).toBe(1);
  });
});
