import { describe, expect, it } from '@jest/globals';
import { SeededRandom } from './seeded-random.js';

const DRAWS = 20_000;

function moments(draw: (random: SeededRandom) => number): { mean: number; variance: number } {
  const random = new SeededRandom(7);
  const draws = Array.from({ length: DRAWS }, () => draw(random));
  const mean = draws.reduce((sum, value) => sum + value, 0) / DRAWS;
  return { mean, variance: draws.reduce((sum, value) => sum + (value - mean) ** 2, 0) / DRAWS };
}

describe('seeded random numbers', () => {
  it('are the same for the same seed, and others for another', () => {
    const first = (seed: number): number[] => {
      const random = new SeededRandom(seed);
      return [random.uniform(), random.uniform(), random.normal()];
    };
    expect(first(1)).toEqual(first(1));
    expect(first(1)).not.toEqual(first(2));
  });

  it.each([
    ['uniform', (random: SeededRandom) => random.uniform(), 1 / 2, 1 / 12],
    ['normal', (random: SeededRandom) => random.normal(), 0, 1],
    ['beta', (random: SeededRandom) => random.beta(3.15, 5.85), 0.35, (0.35 * 0.65) / 10],
    ['beta below 1', (random: SeededRandom) => random.beta(0.4, 1.6), 0.2, (0.2 * 0.8) / 3],
    ['Poisson', (random: SeededRandom) => random.poisson(4), 4, 4],
    ['binomial', (random: SeededRandom) => random.binomial(10, 0.3), 3, 2.1],
  ])('have the mean and the variance of their distribution: %s', (_, draw, mean, variance) => {
    const seen = moments(draw);
    expect(Math.abs(seen.mean - mean)).toBeLessThan(5 * Math.sqrt(variance / DRAWS));
    expect(seen.variance / variance).toBeGreaterThan(0.95);
    expect(seen.variance / variance).toBeLessThan(1.05);
  });
});
