import { describe, expect, it } from '@jest/globals';
import { seededRandom, shuffle } from './seeded-random.js';

describe('seeded random numbers', () => {
  it('are the same for the same seed, and others for another', () => {
    const first = (seed: number): number[] => Array.from({ length: 3 }, seededRandom(seed));
    expect(first(1)).toEqual(first(1));
    expect(first(1)).not.toEqual(first(2));
  });

  it('shuffle every order about equally often', () => {
    const random = seededRandom(3);
    const seen = new Map<string, number>();
    for (let draw = 0; draw < 6_000; draw++) {
      const list = ['a', 'b', 'c'];
      shuffle(list, random);
      seen.set(list.join(''), (seen.get(list.join('')) ?? 0) + 1);
    }
    expect(seen.size).toBe(6);
    for (const n of seen.values()) expect(Math.abs(n - 1_000)).toBeLessThan(150);
  });
});
