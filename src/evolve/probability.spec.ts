import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { probablyBetter } from './probability.js';
import { wilson } from './wilson.js';

describe('the probability that one thing works better than another', () => {
  it.each([
    // Against nothing known it is the mean of the posterior, (successes + 1) / (n + 2).
    [3, 3, 0, 0, 0.8],
    [9, 9, 0, 0, 10 / 11],
    [0, 0, 0, 0, 0.5],
    // P(Beta(2,1) > Beta(1,2)) = 5/6, by hand.
    [1, 1, 0, 1, 5 / 6],
    [25, 28, 89, 226, 1],
  ])('%d of %d against %d of %d', (successes, n, others, m, expected) => {
    expect(probablyBetter(wilson(successes, n), wilson(others, m))).toBeCloseTo(expected, 3);
  });

  it('of a against b and of b against a add up to one, and a success more never lowers it', () => {
    const trials = fc.tuple(fc.nat(40), fc.nat(40)).map(([good, bad]): [number, number] => [good, good + bad]);
    fc.assert(
      fc.property(trials, trials, ([s, n], [r, m]) => {
        const [a, b] = [wilson(s, n), wilson(r, m)];
        expect(probablyBetter(a, b) + probablyBetter(b, a)).toBeCloseTo(1, 6);
        expect(probablyBetter(wilson(s + 1, n + 1), b)).toBeGreaterThanOrEqual(probablyBetter(a, b) - 1e-9);
      }),
    );
  });
});
